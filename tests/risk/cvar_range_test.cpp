#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <vector>

// Weights, losses and alpha over the whole range of double, against exact fractions.

namespace adacvar {
namespace {

using Values = std::vector<double>;
using Exact = boost::multiprecision::cpp_rational;

constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kMax = std::numeric_limits<double>::max();

struct Sample {
  Values losses;
  Values weights;
  double alpha = 1;
};

std::ostream& operator<<(std::ostream& out, const Sample& s) {
  out << std::hexfloat << "alpha " << s.alpha << ", (loss, weight):";
  for (std::size_t i = 0; i < s.losses.size(); ++i) {
    out << " (" << s.losses[i] << ", " << s.weights[i] << ")";
  }
  return out;
}

/// Slow reference. A mass within 8 roundings of an integer is that integer, as the header states.
class ExactTail {
 public:
  explicit ExactTail(const Sample& sample) : sample_(sample) {
    for (const double weight : sample.weights) total_ += Exact(weight);
    mass_ = Exact(sample.alpha) * total_;
    const Exact rounding = mass_ * Exact(8 * std::numeric_limits<double>::epsilon());
    border_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < sample.losses.size(); ++i) {
      const bool is_border = weight_above(sample.losses[i]) <= mass_ + rounding;
      if (sample.weights[i] > 0 && is_border) border_ = std::min(border_, sample.losses[i]);
    }
    const Exact above = weight_above(border_);
    if (abs(mass_ - above) <= rounding) mass_ = above;
    left_ = mass_ - above;
  }

  [[nodiscard]] double border() const { return border_; }
  [[nodiscard]] Exact mean() const {
    Exact sum = 0;
    for (std::size_t i = 0; i < sample_.losses.size(); ++i) {
      sum += Exact(sample_.weights[i]) * Exact(sample_.losses[i]);
    }
    return sum / total_;
  }
  [[nodiscard]] Exact cvar() const {
    Exact sum = left_ * Exact(border_);
    for (std::size_t i = 0; i < sample_.losses.size(); ++i) {
      if (sample_.losses[i] <= border_) continue;
      sum += Exact(sample_.weights[i]) * Exact(sample_.losses[i]);
    }
    return sum / mass_;
  }
  [[nodiscard]] Exact worst_case_weight(std::size_t i) const {
    if (sample_.losses[i] < border_) return 0;
    if (sample_.losses[i] > border_) return Exact(sample_.weights[i]) / mass_;
    Exact ties = 0;
    for (std::size_t j = 0; j < sample_.losses.size(); ++j) {
      if (sample_.losses[j] == border_) ties += Exact(sample_.weights[j]);
    }
    return left_ / mass_ * Exact(sample_.weights[i]) / ties;
  }

 private:
  [[nodiscard]] Exact weight_above(double loss) const {
    Exact sum = 0;
    for (std::size_t i = 0; i < sample_.losses.size(); ++i) {
      if (sample_.losses[i] > loss) sum += Exact(sample_.weights[i]);
    }
    return sum;
  }

  const Sample& sample_;
  Exact total_ = 0;
  Exact mass_ = 0;
  Exact left_ = 0;
  double border_ = 0;
};

// Tolerance relative to `size`, at least the spacing of subnormal numbers.
void expect_near(double found, const Exact& expected, double size, const Sample& sample) {
  ASSERT_TRUE(std::isfinite(found)) << sample;
  const Exact allowed = Exact(1e-13) * Exact(std::abs(size)) + 2 * Exact(kTiny);
  ASSERT_LE(abs(Exact(found) - expected), allowed) << found << "\n" << sample;
}

void expect_as_twin(const Sample& s) {
  const ExactTail twin(s);
  const TailRisk risk = tail_risk(s.losses, s.weights, s.alpha);
  ASSERT_EQ(risk.var, twin.border()) << s;
  const auto size = [](const Exact& value) { return static_cast<double>(value); };
  expect_near(risk.mean, twin.mean(), size(twin.mean()), s);
  expect_near(risk.cvar, twin.cvar(), size(twin.cvar()), s);
  const Values q = worst_case_weights(s.losses, s.weights, s.alpha);
  for (std::size_t i = 0; i < q.size(); ++i) expect_near(q[i], twin.worst_case_weight(i), 1, s);
  ASSERT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1, 1e-13) << s;
}

double log_uniform(Rng& rng, int low, int high) {
  const double exponent = low + rng.uniform() * (high - low);
  return std::ldexp(1 + rng.uniform(), static_cast<int>(std::floor(exponent)));
}

// Positive losses, so that a mean may be compared by its relative error.
Sample draw_sample(Rng& rng) {
  Sample s;
  const bool ties = rng.below(3) == 0;
  const int low = static_cast<int>(rng.below(2098)) - 1075;
  const int high = low + 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(1023 - low)));
  const std::size_t rows = 1 + rng.below(8);
  for (std::size_t i = 0; i < rows; ++i) {
    s.losses.push_back(ties ? 1.0 + rng.below(3) : log_uniform(rng, -1070, 1022));
    s.weights.push_back(rng.below(8) == 0 ? 0.0 : log_uniform(rng, low, high));
  }
  s.weights[rng.below(static_cast<std::uint32_t>(rows))] = log_uniform(rng, low + 1, high + 1);
  if (std::ranges::max(s.weights) == 0) s.weights[0] = kTiny;
  switch (rng.below(4)) {
    case 0:
      s.alpha = 1;
      break;
    case 1:
      s.alpha = rng.uniform() + 1e-6 > 1 ? 1 : rng.uniform() + 1e-6;
      break;
    case 2:
      s.alpha = log_uniform(rng, -1074, -1);
      break;
    default: {  // near the share of a row
      const double share = s.weights[rng.below(static_cast<std::uint32_t>(rows))] /
                           std::ranges::max(s.weights) * rng.uniform();
      s.alpha = std::clamp(share, kTiny, 1.0);
    }
  }
  s.alpha = std::min(s.alpha, 1.0);
  return s;
}

TEST(CvarRange, random_weights_and_alphas_match_the_exact_reference) {
  Rng rng(1);
  for (int run = 0; run < 5000; ++run) expect_as_twin(draw_sample(rng));
}

TEST(CvarRange, the_smallest_alpha_with_subnormal_weights) {
  expect_as_twin({{3, 1, 2}, {kTiny, kTiny, kTiny}, kTiny});
  expect_as_twin({{3, 3, 2}, {kTiny, 3 * kTiny, kTiny}, kTiny});
  expect_as_twin({{3, 1, 2}, {1e-310, kTiny, 1e-300}, 1e-320});
  const Values q = worst_case_weights(Values{3, 1}, Values{kTiny, kTiny}, kTiny);
  EXPECT_EQ(q, (Values{1, 0}));
}

TEST(CvarRange, the_smallest_loss_is_the_var_at_alpha_1_whatever_its_weight) {
  EXPECT_EQ(value_at_risk(Values{5, 1}, Values{1e300, 1e-300}, 1), 1);
  EXPECT_EQ(value_at_risk(Values{5, 1, 0}, Values{kMax, kTiny, 0}, 1), 1);
  expect_as_twin({{5, 1, 1}, {kMax, kTiny, 3 * kTiny}, 1});
  expect_as_twin({{5, 1, 7}, {kMax, kTiny, kMax}, 1});
}

TEST(CvarRange, a_row_of_tiny_weight_may_dominate_the_mean) {
  expect_as_twin({{1e308, 1e-200}, {1e-300, 1e100}, 1});
  expect_as_twin({{1e308, 1e-200}, {1e-300, 1e100}, 0.5});
}

TEST(CvarRange, without_weights_the_smallest_alpha_is_the_maximum) {
  const Values losses{1, 4, 4, 2};
  EXPECT_EQ(tail_risk(losses, kTiny).cvar, 4);
  EXPECT_EQ(worst_case_weights(losses, kTiny), (Values{0, 0.5, 0.5, 0}));
}

}  // namespace
}  // namespace adacvar
