#include <adacvar/adacvar.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using Numbers = std::vector<double>;

struct Rows {
  Numbers x;  // two columns and a constant one between them
  Numbers y;
};

Rows make_rows() {
  Rng rng(1);
  Rows rows;
  for (int i = 0; i < 300; ++i) {
    const double a = rng.uniform();
    const double b = 50 + 10 * rng.uniform();
    rows.x.insert(rows.x.end(), {a, 4, b});
    rows.y.push_back(7 + 2 * a + 0.3 * b - a * std::log(rng.uniform()));
  }
  return rows;
}

double risk_by_hand(const Rows& rows, const Numbers& weights, double intercept, double alpha) {
  Numbers losses;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    double score = intercept;
    for (std::size_t c = 0; c < 3; ++c) score += weights[c] * rows.x[3 * i + c];
    losses.push_back((score - rows.y[i]) * (score - rows.y[i]));
  }
  return cvar(losses, alpha);
}

TEST(CertifyLinear, the_risk_is_that_of_the_model_given) {
  const Rows rows = make_rows();
  const MatrixView x(rows.x, rows.y.size(), 3);
  const Numbers weights = {2.5, 1, 0.3};
  const Numbers intercept = {3.5};
  const LinearCertificate found = certify_linear(x, rows.y, {weights, intercept}, {.alpha = 0.1});
  const double expected = risk_by_hand(rows, weights, 3.5, 0.1);
  EXPECT_NEAR(found.risk.cvar, expected, 1e-5 * expected);
  EXPECT_NEAR(found.certificate.upper, expected, 1e-5 * expected);
  const Model best = fit(x, rows.y, {.alpha = 0.1});
  EXPECT_LE(found.certificate.lower, best.training_risk().cvar * (1 + 1e-9));
  EXPECT_GE(found.certificate.lower, best.training_risk().cvar * (1 - 1e-3));
}

TEST(CertifyLinear, the_mean_is_certified_at_gamma_1) {
  const Rows rows = make_rows();
  const MatrixView x(rows.x, rows.y.size(), 3);
  const Model best = fit(x, rows.y, {.gamma = 1});
  const Numbers weights = {2.5, 1, 0.3};
  const LinearCertificate found = certify_linear(x, rows.y, {weights, Numbers{3.5}}, {.gamma = 1});
  EXPECT_NEAR(found.certificate.upper, found.risk.mean, 1e-9 * found.risk.mean);
  EXPECT_NEAR(found.certificate.lower, best.training_risk().mean, 1e-3 * best.training_risk().mean);
}

TEST(CertifyLinear, what_does_not_fit_is_refused) {
  const Rows rows = make_rows();
  const MatrixView x(rows.x, rows.y.size(), 3);
  const Numbers two = {1, 2};
  const Numbers three = {1, 2, std::numeric_limits<double>::quiet_NaN()};
  const Numbers one = {0};
  expect_words<DataError>(
      [&] {
        (void)certify_linear(x, rows.y, {two, one});
      },
      "2 weights ... need 3");
  expect_words<DataError>([&] { (void)certify_linear(x, rows.y, {three, one}); }, "finite");
  const Numbers good = {1, 2, 3};
  expect_words<DataError>([&] { (void)certify_linear(x, rows.y, {good, two}); }, "2 intercepts");
  expect_words<OptionError>(
      [&] {
        (void)certify_linear(x, rows.y, {good, one}, {.mean_budget = 0.1});
      },
      "mean-budget");
  expect_words<OptionError>(
      [&] {
        (void)certify_linear(x, rows.y, {good, one}, {.alpha = 0});
      },
      "alpha");
  const std::vector<std::string> levels = {"a"};
  expect_words<OptionError>(
      [&] {
        (void)certify_linear(x.with_categories(0, levels), rows.y, {good, one});
      },
      "dense");
}

TEST(TraceFrontier, of_a_matrix_ends_at_the_fits) {
  const Rows rows = make_rows();
  const MatrixView x(rows.x, rows.y.size(), 3);
  const FrontierReport curve = trace_frontier(x, rows.y, {.alpha = 0.1}, {.points = 6});
  const double mean = fit(x, rows.y, {.gamma = 1}).training_risk().mean;
  const double tail = fit(x, rows.y).training_risk().cvar;
  EXPECT_NEAR(curve.points.front().train->risk.mean, mean, 1e-5 * mean);
  EXPECT_NEAR(curve.points.back().train->risk.cvar, tail, 1e-5 * tail);
  expect_words<OptionError>([&] { (void)trace_frontier(x, rows.y, {.mean_budget = 0.1}, {}); },
                            "mean-budget");
}

}  // namespace
}  // namespace adacvar
