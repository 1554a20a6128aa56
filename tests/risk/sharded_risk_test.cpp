#include "risk/sharded_risk.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/base/self_communicator.hpp>

#include "base/thread_communicator.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

struct Rows {
  std::vector<double> losses;
  std::vector<double> weights;
};

// Row i on rank hash(i): ranks differ in their number of rows.
Rows part_of(const Rows& all, const Communicator& ranks) {
  Rows part;
  for (std::size_t i = 0; i < all.losses.size(); ++i) {
    if ((i * i + 3 * i) % 7 % ranks.size() != ranks.rank()) continue;
    part.losses.push_back(all.losses[i]);
    if (!all.weights.empty()) part.weights.push_back(all.weights[i]);
  }
  return part;
}

TailRisk risk_on(std::size_t count, const Rows& all, double alpha) {
  std::vector<TailRisk> results(count);
  run_on_threads(count, [&](Communicator& ranks) {
    const Rows part = part_of(all, ranks);
    results[ranks.rank()] = tail_risk(ranks, part.losses, part.weights, alpha);
  });
  for (const TailRisk& result : results) EXPECT_EQ(result, results[0]);
  return results[0];
}

// Equal on all numbers of ranks, and within rounding of that of all rows at once.
void expect_risk(const Rows& all, double alpha, const std::string& where) {
  const TailRisk wanted = tail_risk(all.losses, all.weights, alpha);
  const TailRisk alone = risk_on(1, all, alpha);
  EXPECT_EQ(alone.var, wanted.var) << where;
  double scale = 0;
  for (const double loss : all.losses) scale = std::max(scale, std::abs(loss));
  const double rounding = 5e-16 * scale + std::numeric_limits<double>::denorm_min();
  EXPECT_NEAR(alone.mean, wanted.mean, rounding) << where;
  EXPECT_NEAR(alone.cvar, wanted.cvar, rounding) << where;
  for (const std::size_t ranks : {2, 4}) EXPECT_EQ(risk_on(ranks, all, alpha), alone) << where;
}

// Worst 2.5 of 10: (9 + 8 + 0.5 * 7) / 2.5 = 8.2.
TEST(ShardedRisk, counts_the_border_loss_by_its_fraction) {
  const TailRisk risk = risk_on(2, {{0, 9, 1, 8, 2, 7, 3, 6, 4, 5}, {}}, 0.25);
  EXPECT_EQ(risk.mean, 4.5);
  EXPECT_EQ(risk.var, 7);
  EXPECT_DOUBLE_EQ(risk.cvar, 8.2);
}

// The tail has the weight 2: (10 * 1 + 4 * 1) / 2 = 7; the mean is (10 + 4 * 3 + 1 * 4) / 8.
TEST(ShardedRisk, counts_a_row_by_its_weight) {
  const TailRisk risk = risk_on(2, {{4, 1, 10}, {3, 4, 1}}, 0.25);
  EXPECT_EQ(risk.mean, 3.25);
  EXPECT_EQ(risk.var, 4);
  EXPECT_EQ(risk.cvar, 7);
}

TEST(ShardedRisk, equals_that_of_all_rows_at_once) {
  Rng rng(3);
  for (const bool weighted : {false, true}) {
    for (const std::size_t rows : {1, 2, 3, 10, 100, 3000}) {
      for (const double alpha : {0.001, 0.05, 0.29, 0.5, 0.999, 1.0}) {
        Rows all;
        for (std::size_t i = 0; i < rows; ++i) {
          // Ties, negative losses and far outliers.
          const double u = rng.uniform();
          all.losses.push_back(rng.below(3) == 0 ? rng.below(4) - 1.0 : std::exp(20 * u) - 50);
          if (weighted) all.weights.push_back(rng.below(5) == 0 ? 0 : std::exp2(20 * u - 5));
        }
        if (weighted) all.weights[0] = 1;
        expect_risk(
            all, alpha,
            std::to_string(weighted) + " " + std::to_string(rows) + " " + std::to_string(alpha));
      }
    }
  }
}

TEST(ShardedRisk, does_not_overflow_or_underflow) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  for (const bool weighted : {false, true}) {
    const std::vector<double> weights =
        weighted ? std::vector<double>{3e-200, 1e80, 5e-200, 7} : std::vector<double>{};
    expect_risk({{most, most, most, most / 2}, weights}, 0.5, "largest");
    expect_risk({{-most, most, 0.0, 1e-300}, weights}, 0.3, "both signs");
    expect_risk({{1e-300, 3e-300, 2e-300, 1e-301}, weights}, 0.6, "tiny");
    expect_risk({{least, 3 * least, 0.0, -0.0}, weights}, 0.3, "least");
    expect_risk({{0.0, 0.0, -0.0, 0.0}, weights}, 0.3, "zero");
  }
}

// alpha * n = 28.999999999999996 is a tail of 29 rows, as in tail_risk.
TEST(ShardedRisk, takes_a_tail_within_rounding_of_a_whole_number_for_it) {
  Rows all;
  for (int i = 0; i < 100; ++i) all.losses.push_back(i);
  EXPECT_EQ(risk_on(2, all, 0.29), tail_risk(all.losses, 0.29));
  all.weights.assign(100, 0.1);
  EXPECT_EQ(risk_on(2, all, 0.29).var, tail_risk(all.losses, all.weights, 0.29).var);
}

TEST(ShardedRisk, refuses_on_all_ranks) {
  SelfCommunicator self;
  const auto risk = [&](const Rows& rows, double alpha = 0.1) {
    return [&self, rows, alpha] { (void)tail_risk(self, rows.losses, rows.weights, alpha); };
  };
  expect_words<OptionError>(risk({{1}, {}}, 0), "alpha = 0");
  expect_words<DataError>(risk({{}, {}}), "losses is empty");
  expect_words<DataError>(risk({{1, NAN, INFINITY}, {}}), "2 of the losses are not finite");
  expect_words<OptionError>(risk({{1, 2}, {1}}), "weights has 1 ... losses has 2");
  expect_words<DataError>(risk({{1, 2}, {1, -1}}), "1 of the weights are outside [0, inf)");
  expect_words<DataError>(risk({{1, 2}, {0, 0}}), "weights sum to 0");
  expect_words<DataError>(risk({{1, 2}, {1e-200, 1e200}}), "1e-200 to 1e+200");
  run_on_threads(2, [](Communicator& ranks) {
    const std::vector<double> losses{ranks.rank() == 0 ? 1.0 : NAN};
    EXPECT_EQ(tail_risk_if_finite(ranks, losses, {}, 0.1), std::nullopt);
    expect_words<DataError>([&] { (void)tail_risk(ranks, losses, {}, 0.1); }, "1 of the losses");
  });
}

}  // namespace
}  // namespace adacvar
