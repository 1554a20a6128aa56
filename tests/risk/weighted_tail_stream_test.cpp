#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/tail_stream.hpp>
#include <adacvar/risk/weighted_tail_stream.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Rows {
  std::vector<double> losses;
  std::vector<double> weights;

  [[nodiscard]] double weight() const { return std::reduce(weights.begin(), weights.end()); }
};

/// Losses with ties, rising or falling; whole weights, any weights, or weights far apart.
Rows draw_rows(Rng& rng, std::size_t n) {
  Rows rows;
  const std::uint32_t shape = rng.below(4);
  const std::uint32_t kind = rng.below(3);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = rng.uniform();
    const auto x = static_cast<double>(i);
    const double losses[] = {u - 0.5, std::floor(6 * u), x, -x};
    const double weights[] = {static_cast<double>(rng.below(5)), rng.uniform(),
                              std::pow(10.0, 20 * rng.uniform() - 10)};
    rows.losses.push_back(losses[shape]);
    rows.weights.push_back(weights[kind]);
  }
  rows.weights.front() += 1;
  return rows;
}

void expect_near(const TailRisk& is, const TailRisk& should) {
  EXPECT_EQ(is.var, should.var);
  EXPECT_NEAR(is.cvar, should.cvar, 1e-15 * (1 + std::abs(should.cvar)));
  EXPECT_NEAR(is.mean, should.mean, 1e-15 * (1 + std::abs(should.mean)));
}

TEST(WeightedTailStream, counts_the_border_row_by_its_fraction) {
  WeightedTailStream stream(0.5, 10);
  stream.push(4, 1);
  stream.push(2, 3);
  EXPECT_EQ(stream.risk(), (TailRisk{.mean = 2.5, .var = 2, .cvar = 3}));
  stream.push(1, 6);  // the tail weighs 5: 4 once, 2 three times, 1 once
  EXPECT_EQ(stream.risk(), (TailRisk{.mean = 1.6, .var = 1, .cvar = 2.2}));
  EXPECT_EQ(stream.weight(), 10);
}

TEST(WeightedTailStream, agrees_with_the_whole_sample_however_it_is_cut) {
  Rng rng(1);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const std::size_t n = 1 + rng.below(300);
    const Rows rows = draw_rows(rng, n);
    const double alpha = rng.below(5) == 0 ? 1.0 : 1 - rng.uniform();
    const double room = rng.below(2) == 0 ? 1 : 3;
    WeightedTailStream stream(alpha, room * rows.weight());
    WeightedTailStream block = stream;
    const std::size_t cut = rng.below(static_cast<std::uint32_t>(n + 1));
    for (std::size_t i = 0; i < cut; ++i) stream.push(rows.losses[i], rows.weights[i]);
    block.push(std::span(rows.losses).subspan(cut), std::span(rows.weights).subspan(cut));
    stream.merge(block);
    SCOPED_TRACE(testing::Message() << "repeat " << repeat << ", alpha " << alpha);
    expect_near(stream.risk(), tail_risk(rows.losses, rows.weights, alpha));
  }
}

TEST(WeightedTailStream, whole_weights_are_repeated_rows) {
  Rng rng(2);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const double alpha = 0.1 * (1 + rng.below(9));
    WeightedTailStream weighted(alpha, 2000);
    TailStream repeated(alpha, 2000);
    for (int i = 0; i < 300; ++i) {
      const double loss = std::floor(50 * rng.uniform());
      const std::uint32_t weight = rng.below(6);
      weighted.push(loss, weight);
      for (std::uint32_t copy = 0; copy < weight; ++copy) repeated.push(loss);
    }
    expect_near(weighted.risk(), repeated.risk());
  }
}

TEST(WeightedTailStream, merges_with_itself_as_every_row_twice) {
  WeightedTailStream stream(0.3, 200);
  for (int i = 0; i < 90; ++i) stream.push(i % 37, 1);
  const TailRisk before = stream.risk();
  stream.merge(stream);
  EXPECT_EQ(stream.weight(), 180);
  expect_near(stream.risk(), before);
}

TEST(WeightedTailStream, keeps_the_tail_only) {
  WeightedTailStream rising(0.001, 2e5);
  WeightedTailStream equal(0.001, 2e5);
  for (int i = 0; i < 100'000; ++i) {
    rising.push(i, 2);
    equal.push(7, 2);
    ASSERT_LE(rising.kept(), 2 * 101);
    ASSERT_LE(equal.kept(), 2 * 101);
  }
  EXPECT_EQ(rising.risk().var, 99'899);
  EXPECT_EQ(equal.risk(), (TailRisk{.mean = 7, .var = 7, .cvar = 7}));
}

TEST(WeightedTailStream, takes_weights_at_the_ends_of_double) {
  for (const double weight : {5e-324, 1e-300, 1e300}) {
    WeightedTailStream stream(0.5, 4 * weight);
    for (const double loss : {4.0, 3.0, 2.0, 1.0}) stream.push(loss, weight);
    EXPECT_EQ(stream.risk(), (TailRisk{.mean = 2.5, .var = 2, .cvar = 3.5})) << weight;
  }
}

TEST(WeightedTailStream, bad_input_is_named_and_leaves_the_stream_as_it_was) {
  expect_words<OptionError>([] { WeightedTailStream(0, 5); }, "alpha = 0 ... (0, 1]");
  expect_words<OptionError>([] { WeightedTailStream(0.5, 0); }, "max_weight = 0 ... (0, inf)");
  expect_words<OptionError>([] { WeightedTailStream(0.5, kInf); }, "max_weight = inf");

  WeightedTailStream stream(0.4, 5);
  expect_words<DataError>([&] { std::ignore = stream.risk(); }, "sum to 0");
  stream.push(1, 0);
  expect_words<DataError>([&] { std::ignore = stream.risk(); }, "sum to 0");
  stream.push(3, 2.5);
  const TailRisk before = stream.risk();
  expect_words<DataError>([&] { stream.push(kNan, 1); }, "loss = nan");
  expect_words<DataError>([&] { stream.push(1, -1); }, "weight = -1 ... [0, inf)");
  expect_words<DataError>([&] { stream.push(1, kNan); }, "weight = nan");
  expect_words<OptionError>([&] { stream.push(9, 3); }, "weight = 5.5 ... max_weight = 5");
  expect_words<OptionError>(
      [&] {
        stream.merge(stream);
        stream.push(9, 1);
      },
      "max_weight = 5");
  WeightedTailStream fresh(0.4, 5);
  fresh.push(3, 2.5);
  expect_words<OptionError>([&] { fresh.push(std::vector<double>{1}, std::vector<double>{}); },
                            "weights has 0 ... losses has 1");
  expect_words<OptionError>([&] { fresh.merge(WeightedTailStream(0.5, 5)); },
                            "alpha = 0.5 ... 0.4");
  expect_words<OptionError>([&] { fresh.merge(WeightedTailStream(0.4, 6)); }, "max_weight = 6");
  EXPECT_EQ(fresh.risk(), before);
}

}  // namespace
}  // namespace adacvar
