#include "sampler/log_weight_buckets.hpp"

#include <adacvar/base/rng.hpp>

#include "support/kdpp_twin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace adacvar {
namespace {

/// Repeats every call on a plain vector of log-weights and compares the results.
class CheckedBuckets {
 public:
  CheckedBuckets(std::vector<double> x, std::size_t k)
      : x_(std::move(x)),
        w_(x_.size(), 1.0),
        target_(static_cast<double>(k)),
        buckets_(x_, target_) {}
  /// With row weights; the target is `alpha` of their sum.
  CheckedBuckets(std::vector<double> x, std::span<const double> weights, double alpha)
      : CheckedBuckets(std::move(x), std::make_shared<const WeightClasses>(weights), alpha) {}

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

  void multiply(double factor) {
    buckets_.multiply(factor);
    for (double& x : x_) x *= factor;
    ASSERT_LE(std::abs(buckets_.tilt()), 1e4);
  }

  void check() {
    check_bins();
    check_distribution();
    check_sums();
  }

 private:
  CheckedBuckets(std::vector<double> x, const std::shared_ptr<const WeightClasses>& classes,
                 double alpha)
      : x_(std::move(x)),
        w_(classes->weights().begin(), classes->weights().end()),
        target_(alpha * classes->total()),
        class_bounds_(classes->bounds().begin(), classes->bounds().end()),
        buckets_(x_, target_, classes) {}

  // Every item is in one list of one bin, below its upper edge and not below the edge before.
  void check_bins() {
    std::vector<int> seen(x_.size(), 0);
    for (std::size_t list = 0; list < buckets_.bin_count() * class_bounds_.size(); ++list) {
      const std::size_t bin = list / class_bounds_.size();
      const double bound = class_bounds_[list % class_bounds_.size()];
      for (std::uint32_t slot = 0; slot < buckets_.list_size(list); ++slot) {
        const Index i = *buckets_.slot_address(list, slot);
        ASSERT_LT(i, x_.size());
        ASSERT_LE(w_[i], bound);
        ASSERT_GT(w_[i] * 1.5, bound);
        ++seen[i];
        ASSERT_EQ(buckets_.log_weight(i), x_[i]);
        ASSERT_LT(x_[i], buckets_.upper_edge(bin));
        ASSERT_TRUE(bin == 0 || x_[i] >= buckets_.upper_edge(bin - 1));
      }
    }
    for (const int times : seen) ASSERT_EQ(times, 1);
  }

  void check_distribution() {
    const double total = std::accumulate(w_.begin(), w_.end(), 0.0);
    const auto expected = twin::weighted_marginals(x_, w_, target_ / total);
    std::vector<double> p(x_.size());
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      p[i] = 1 / (1 + std::exp(-(x_[i] + buckets_.tilt())));
      ASSERT_NEAR(w_[i] * p[i], w_[i] * expected[i], 1e-10 * std::max(1.0, target_))
          << "x = " << x_[i] << ", tilt " << buckets_.tilt();
      sum += w_[i] * p[i];
    }
    ASSERT_NEAR(sum, target_, 1e-10 * target_);
    std::vector<double> bounds(buckets_.bin_count());
    std::vector<double> masses(buckets_.bin_count());
    buckets_.bound_marginals(bounds, masses);
    for (std::size_t bin = 0; bin < bounds.size(); ++bin) {
      double mass = 0;
      for (std::size_t c = 0; c < class_bounds_.size(); ++c) {
        const std::size_t list = bin * class_bounds_.size() + c;
        const double before = mass;
        mass += class_bounds_[c] * buckets_.list_size(list);
        for (std::uint32_t slot = 0; slot < buckets_.list_size(list); ++slot) {
          ASSERT_LE(p[*buckets_.slot_address(list, slot)], bounds[bin] * (1 + 1e-12));
        }
        if (weighted() && mass - before > 1e-9 * mass) check_proposals(list, before);
      }
      ASSERT_NEAR(masses[bin], bounds[bin] * mass, 1e-12 * masses[bin]);
    }
  }

  // A place in the middle of the list's items on the line finds that list's middle item.
  void check_proposals(std::size_t list, double before) {
    const std::size_t bin = list / class_bounds_.size();
    double mass = 0;
    for (std::size_t c = 0; c < class_bounds_.size(); ++c) {
      mass += class_bounds_[c] * buckets_.list_size(bin * class_bounds_.size() + c);
    }
    const double width = class_bounds_[list % class_bounds_.size()];
    if (width < 1e-9 * mass) return;
    const std::uint32_t slot = buckets_.list_size(list) / 2;
    const WeightClasses::Place found =
        buckets_.propose(bin, (before + (slot + 0.25) * width) / mass);
    ASSERT_EQ(buckets_.slot_address(found), buckets_.slot_address(list, slot));
    ASSERT_NEAR(found.least_weight, 0.25 * width, 1e-4 * width);
  }

  [[nodiscard]] bool weighted() const { return std::ranges::count(w_, 1.0) < std::ssize(w_); }

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
      for (std::size_t i = 0; i < x_.size(); ++i) {
        if (x_[i] >= low && x_[i] < high) plain += w_[i] * f(x_[i]);
      }
      ASSERT_NEAR(interpolated, plain, 2e-11 * static_cast<double>(x_.size()));
    };
    const double nu = buckets_.tilt();
    compare([](double) { return 1.0; });
    compare([nu](double x) { return 1 / (1 + std::exp(-(x + nu))); });
    compare([](double x) { return std::sin(x); });
    if (weighted()) return;
    std::uint64_t count = 0;
    for (std::size_t cell = 0; cell < buckets_.cells(); ++cell) count += buckets_.cell_size(cell);
    for (const double x : x_) count -= x >= low && x < high ? 1 : 0;
    ASSERT_EQ(count, 0U);
  }

  std::vector<double> x_;
  std::vector<double> w_;
  double target_;
  std::vector<double> class_bounds_{1.0};
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

TEST(LogWeightBuckets, equal_a_plain_vector_with_row_weights_of_all_sizes) {
  Rng rng(2);
  for (int history = 0; history < 150; ++history) {
    const std::size_t size = 2 + rng.below(200);
    const double spread = std::exp(8 * rng.uniform() - 3);
    const double step_size = std::exp(14 * rng.uniform() - 6);
    const double drift = rng.uniform() - 0.5;
    const double octaves = history % 3 == 0 ? 80 : 6 * rng.uniform();
    std::vector<double> x(size);
    std::vector<double> weights(size);
    for (double& value : x) value = spread * (rng.uniform() - 0.5);
    for (double& weight : weights) weight = std::exp2(octaves * rng.uniform());
    CheckedBuckets checked(x, weights, 0.01 + 0.98 * rng.uniform());
    checked.check();
    for (int t = 0; t < 30; ++t) {
      std::vector<Index> indices(1 + rng.below(30));
      std::vector<double> steps(indices.size());
      for (Index& i : indices) i = rng.below(static_cast<std::uint32_t>(size));
      for (double& step : steps) step = step_size * (rng.uniform() - 0.5 + drift);
      checked.add(indices, steps);
      if (t % 5 == 4) checked.check();
      if (HasFatalFailure()) FAIL() << "history " << history << ", size " << size << ", step " << t;
    }
  }
}

// Steps of thousands between the factors move items out of the window and back into it.
TEST(LogWeightBuckets, equal_a_plain_vector_that_is_multiplied_between_steps) {
  Rng rng(3);
  for (int history = 0; history < 60; ++history) {
    const std::size_t size = 2 + rng.below(200);
    const double step_size = std::exp(14 * rng.uniform() - 6);
    const bool is_weighted = history % 3 == 0;
    std::vector<double> weights(size);
    for (double& weight : weights) weight = std::exp2(6 * rng.uniform());
    const std::vector<double> x(size, 0.0);
    const double alpha = 0.01 + 0.98 * rng.uniform();
    const std::size_t k = 1 + rng.below(static_cast<std::uint32_t>(size - 1));
    CheckedBuckets checked = is_weighted ? CheckedBuckets(x, weights, alpha) : CheckedBuckets(x, k);
    for (int t = 0; t < 30; ++t) {
      std::vector<Index> indices(1 + rng.below(30));
      std::vector<double> steps(indices.size());
      for (Index& i : indices) i = rng.below(static_cast<std::uint32_t>(size));
      for (double& step : steps) step = step_size * (rng.uniform() - 0.5);
      checked.add(indices, steps);
      if (t % 3 == 2) {
        checked.multiply(t % 9 == 8 ? 0.0 : rng.uniform());
        checked.check();
      }
      if (HasFatalFailure()) FAIL() << "history " << history << ", size " << size << ", step " << t;
    }
  }
}

// All weights rise together: the window follows them, and items that it passes are merged and found
// again.
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
