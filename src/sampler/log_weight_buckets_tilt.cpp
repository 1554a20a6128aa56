#include "sampler/log_weight_buckets.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

// The tilt nu: the root of sum w sigma(x + nu) = target.
namespace adacvar {

double LogWeightBuckets::solve_tilt(double change) {
  refresh_sums();
  if (variance_ > 0.0) tilt_ += std::clamp(-change / variance_, -1.0, 1.0);
  if (!newton(16)) {
    jump_to_threshold();
    [[maybe_unused]] const bool found = newton(400);
    assert(found);
  }
  if (weights_ != nullptr) refresh_masses();
  return std::abs(tilt_) > kMaxTilt ? recentre() : 0.0;
}

TiltSums LogWeightBuckets::sums_at(double tilt) {
  refresh_sums();
  keep_window_around(tilt);
  return evaluate(tilt);
}

void LogWeightBuckets::set_tilt(double tilt) {
  keep_window_around(tilt);
  tilt_ = tilt;
  if (weights_ != nullptr) refresh_masses();
}

// Rounding of the running sums grows like the square root of the number of updates; recomputing
// them now and then costs a sixteenth of an item's pass per update.
void LogWeightBuckets::refresh_sums() {
  if (updates_since_refresh_ > 16 * items_.size() + (std::uint64_t{1} << 20U)) recompute_moments();
}

// Returns false if not converged after `iterations`.
bool LogWeightBuckets::newton(int iterations) {
  TiltSearch search(target_);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    keep_window_around(tilt_);
    const TiltSums sums = evaluate(tilt_);
    variance_ = sums.first;
    if (search.step(sums, tilt_)) {
      variance_ += search.last_step() * sums.second;
      return true;
    }
  }
  return false;
}

// Returns the value at which the weight, summed from the largest down, passes the target, or the
// midpoint to the one above if the target falls between the two: without row weights, half way
// between the k-th and the (k+1)-th largest. Selection, so O(n).
double LogWeightBuckets::middle_of(std::vector<WeightedValue> values) const {
  const double whole = 1e-12 * target_;
  double above = 0.0;  // weight of the values before `begin`, which are the largest
  auto begin = values.begin();
  for (auto end = values.end(); end - begin > 1;) {
    const auto middle = begin + (end - begin) / 2;
    std::ranges::nth_element(begin, middle, end, std::ranges::greater{}, &WeightedValue::x);
    double upper = 0.0;
    for (auto value = begin; value != middle; ++value) upper += value->weight;
    if (above + upper > target_ + whole) {
      end = middle;
    } else {
      above += upper;
      begin = middle;
    }
  }
  if (begin == values.begin() || target_ - above > whole) return begin->x;
  const auto next = std::ranges::min_element(values.begin(), begin, {}, &WeightedValue::x);
  return 0.5 * next->x + 0.5 * begin->x;
}

// Returns the items with the largest log-weights whose total weight exceeds the target: whole bins
// from the top down.
std::vector<LogWeightBuckets::WeightedValue> LogWeightBuckets::largest_values() const {
  std::vector<WeightedValue> values;
  double weight_so_far = 0.0;
  for (std::size_t bin = bin_count(); bin-- > 0 && weight_so_far <= target_ * (1.0 + 1e-9);) {
    for (std::size_t list = bin * classes_; list < (bin + 1) * classes_; ++list) {
      for (std::uint32_t slot = 0; slot < lists_[list].count; ++slot) {
        const Index i = *slot_address(list, slot);
        values.push_back({items_[i].x, weight(i)});
        weight_so_far += weight(i);
      }
    }
  }
  return values;
}

// Sets -nu to the value where the weight of the largest values reaches the target, which is within
// log N of the root at any scale, and moves the window there. Cost: O(k) when weights have risen,
// O(N) when they have fallen below the window.
void LogWeightBuckets::jump_to_threshold() {
  tilt_ = -middle_of(largest_values());
  const std::int64_t wanted = wanted_first_cell(tilt_);
  if (wanted != first_cell_) shift_window(wanted);
}

}  // namespace adacvar
