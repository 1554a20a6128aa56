#include "sampler/log_weight_buckets.hpp"

#include <adacvar/base/rng.hpp>

#include "support/kdpp_twin.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

/// Every call on a plain vector of log-weights too, every promise checked against it.
class CheckedBuckets {
 public:
  CheckedBuckets(std::vector<double> x, std::size_t k)
      : x_(std::move(x)), k_(k), buckets_(x_, static_cast<double>(k)) {}

  void add(const std::vector<Index>& indices, const std::vector<double>& steps) {
    std::vector<double> before(indices.size());
    std::vector<double> after(indices.size());
    buckets_.add(indices, steps, before, after);
    for (std::size_t j = 0; j < indices.size(); ++j) {
      double& x = x_[indices[j]];
      ASSERT_EQ(before[j], x);
      x = std::clamp(x + steps[j], -1e5, 1e5);
      ASSERT_EQ(after[j], x);
    }
    const double shift = buckets_.solve_tilt();
    for (double& x : x_) x = std::clamp(x - shift, -1e5, 1e5);
    ASSERT_LE(std::abs(buckets_.tilt()), 1e4);
  }

  void check() {
    check_bins();
    check_law();
    check_sums();
  }

 private:
  // Every item is in one bin, below its upper edge and not below the edge before.
  void check_bins() {
    std::vector<int> seen(x_.size(), 0);
    for (std::size_t bin = 0; bin < buckets_.bin_count(); ++bin) {
      for (std::uint32_t slot = 0; slot < buckets_.bin_size(bin); ++slot) {
        const Index i = *buckets_.slot_address(bin, slot);
        ASSERT_LT(i, x_.size());
        ++seen[i];
        ASSERT_EQ(buckets_.log_weight(i), x_[i]);
        ASSERT_LT(x_[i], buckets_.upper_edge(bin));
        ASSERT_TRUE(bin == 0 || x_[i] >= buckets_.upper_edge(bin - 1));
      }
    }
    for (const int times : seen) ASSERT_EQ(times, 1);
  }

  void check_law() {
    const auto expected = twin::matched_marginals(x_, k_);
    std::vector<double> p(x_.size());
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      p[i] = 1 / (1 + std::exp(-(x_[i] + buckets_.tilt())));
      ASSERT_NEAR(p[i], expected[i], 1e-10) << "x = " << x_[i] << ", tilt " << buckets_.tilt();
      sum += p[i];
    }
    ASSERT_NEAR(sum, static_cast<double>(k_), 1e-10 * static_cast<double>(k_));
    std::vector<double> bounds(buckets_.bin_count());
    std::vector<double> masses(buckets_.bin_count());
    buckets_.bound_marginals(bounds, masses);
    for (std::size_t bin = 0; bin < bounds.size(); ++bin) {
      ASSERT_NEAR(masses[bin], bounds[bin] * buckets_.bin_size(bin), 1e-12 * masses[bin]);
      for (std::uint32_t slot = 0; slot < buckets_.bin_size(bin); ++slot) {
        ASSERT_LE(p[*buckets_.slot_address(bin, slot)], bounds[bin] * (1 + 1e-12));
      }
    }
  }

  // Interpolated sums over the window equal plain ones, for smooth functions of several kinds.
  void check_sums() {
    const auto weights = buckets_.node_weights();
    const double low = buckets_.upper_edge(0);
    const double high = buckets_.upper_edge(buckets_.bin_count() - 2);
    const auto compare = [&](auto f) {
      double interpolated = 0;
      for (std::size_t n = 0; n < weights.size(); ++n) {
        interpolated += weights[n] * f(buckets_.node_position(n));
      }
      double plain = 0;
      for (const double x : x_) {
        if (x >= low && x < high) plain += f(x);
      }
      ASSERT_NEAR(interpolated, plain, 1e-11 * static_cast<double>(x_.size()));
    };
    const double nu = buckets_.tilt();
    compare([](double) { return 1.0; });
    compare([nu](double x) { return 1 / (1 + std::exp(-(x + nu))); });
    compare([](double x) { return std::sin(x); });
    std::uint64_t count = 0;
    for (std::size_t cell = 0; cell < buckets_.cells(); ++cell) count += buckets_.cell_size(cell);
    for (const double x : x_) count -= x >= low && x < high ? 1 : 0;
    ASSERT_EQ(count, 0U);
  }

  std::vector<double> x_;
  std::size_t k_;
  LogWeightBuckets buckets_;
};

TEST(LogWeightBuckets, equal_a_plain_vector_through_random_steps_of_all_sizes) {
  Rng rng(1);
  for (int history = 0; history < 300; ++history) {
    const std::size_t size = 2 + rng.below(200);
    const std::size_t k = 1 + rng.below(static_cast<std::uint32_t>(size - 1));
    const double spread = std::exp(8 * rng.uniform() - 3);
    const double step_size = std::exp(14 * rng.uniform() - 6);
    const double drift = rng.uniform() - 0.5;
    std::vector<double> x(size);
    for (double& value : x) value = spread * (rng.uniform() - 0.5);
    CheckedBuckets checked(x, k);
    checked.check();
    for (int t = 0; t < 30; ++t) {
      std::vector<Index> indices(1 + rng.below(30));
      std::vector<double> steps(indices.size());
      for (Index& i : indices) i = rng.below(static_cast<std::uint32_t>(size));
      for (double& step : steps) step = step_size * (rng.uniform() - 0.5 + drift);
      checked.add(indices, steps);
      if (t % 5 == 4) checked.check();
      if (HasFatalFailure()) {
        FAIL() << "history " << history << ", size " << size << ", k " << k << ", step " << t;
      }
    }
  }
}

// All weights rise together: the window follows them, and what it passes is merged and found again.
TEST(LogWeightBuckets, the_window_follows_weights_up_and_down) {
  constexpr std::size_t kSize = 50;
  std::vector<double> x(kSize);
  for (std::size_t i = 0; i < kSize; ++i) x[i] = static_cast<double>(i);
  CheckedBuckets checked(x, 10);
  std::vector<Index> all(kSize);
  for (std::size_t i = 0; i < kSize; ++i) all[i] = static_cast<Index>(i);
  for (const double direction : {1.0, -1.0, 40.0, -55.0, 3.0}) {
    for (int t = 0; t < 60; ++t) {
      checked.add(all, std::vector<double>(kSize, direction));
      checked.check();
      ASSERT_FALSE(HasFatalFailure()) << direction << ' ' << t;
    }
  }
}

TEST(LogWeightBuckets, log_weights_saturate_instead_of_overflowing) {
  CheckedBuckets checked(std::vector<double>(10, 0.0), 3);
  for (int t = 0; t < 3; ++t) {
    checked.add({1, 2, 3, 4}, {1e300, 1e300, -1e300, 7});
    checked.check();
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(LogWeightBuckets, a_guess_of_the_change_does_not_change_the_tilt) {
  std::vector<double> x(100);
  for (std::size_t i = 0; i < 100; ++i) x[i] = 0.05 * static_cast<double>(i);
  LogWeightBuckets buckets(x, 20);
  const double tilt = buckets.tilt();
  for (const double guess : {0.0, 1.0, -5.0, 1e9, -1e9}) {
    buckets.solve_tilt(guess);
    EXPECT_NEAR(buckets.tilt(), tilt, 1e-11) << guess;
  }
}

}  // namespace
}  // namespace adacvar
