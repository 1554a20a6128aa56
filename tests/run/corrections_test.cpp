#include "run/corrections.hpp"

#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Numbers = std::vector<double>;

TEST(MeanExcess, by_hand) {
  const Numbers given = {1, 1, 2};
  const Numbers corrected = {1.1, 1, 2.2};
  // Excesses 0.1, 0, 0.2: mean 0.1, deviations 0, -0.1, 0.1.
  const MeanExcess plain = mean_excess(given, corrected, {}, 0);
  EXPECT_NEAR(plain.mean, 0.1, 1e-12);
  EXPECT_NEAR(plain.error, std::sqrt(0.02) / 3, 1e-12);
  // A budget of a tenth takes 0.1, 0.1 and 0.2 away.
  EXPECT_NEAR(mean_excess(given, corrected, {}, 0.1).mean, -0.1 / 3, 1e-12);
  const MeanExcess weighted = mean_excess(given, corrected, Numbers{2, 1, 1}, 0);
  EXPECT_NEAR(weighted.mean, 0.1, 1e-12);
  EXPECT_NEAR(weighted.error, std::sqrt(0.02) / 4, 1e-12);
}

// Each budget at a time by the public function is the slow twin.
TEST(CorrectionsWithin, are_those_of_one_budget_at_a_time) {
  Rng rng(3);
  constexpr std::size_t kRows = 300;
  Numbers x;
  Numbers f;
  Numbers y;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = support::normal(rng);
    const double b = support::normal(rng);
    x.insert(x.end(), {a, b});
    f.push_back(100 + 10 * a);
    y.push_back(f.back() + 4 * std::max(b, 0.0) - 1.6 + support::normal(rng));
  }
  const MatrixView features(x, kRows, 2);
  const std::array budgets = {0.0, 0.02, 0.1};
  const Corrections found = corrections_within(features, f, y, {}, budgets);
  ASSERT_EQ(found.corrected.size(), budgets.size());
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    const Correction twin = correct(features, f, y, {.mean_budget = budgets[b]});
    const TailRisk given = tail_risk(found.given, 0.1);
    const TailRisk corrected = tail_risk(found.corrected[b].held_out, 0.1);
    EXPECT_NEAR(given.cvar, twin.trial->given.cvar, 1e-9 * given.cvar);
    EXPECT_NEAR(corrected.cvar, twin.trial->corrected.cvar, 1e-2 * corrected.cvar);
    EXPECT_NEAR(corrected.mean, twin.trial->corrected.mean, 1e-2 * corrected.mean);
  }
}

}  // namespace
}  // namespace adacvar
