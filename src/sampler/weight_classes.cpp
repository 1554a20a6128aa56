#include "sampler/weight_classes.hpp"

#include <adacvar/base/error.hpp>

#include "base/printable.hpp"
#include "base/state_stream.hpp"
#include "sampler/check_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

// 2^200: far beyond any data, and products of weights and probabilities stay normal numbers.
constexpr int kMostOctaves = 200;

// Scaling by powers of two is exact. The largest near 1 first: the sum cannot overflow.
int exponent_for(std::span<const double> weights) {
  const int largest = std::ilogb(std::ranges::max(weights));
  double sum = 0.0;
  for (const double weight : weights) sum += std::ldexp(weight, -largest);
  return largest + std::ilogb(sum / static_cast<double>(weights.size()));
}

}  // namespace

void check_weights(std::span<const double> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0 && std::isfinite(weights[i]))) {
      throw DataError(
          fmt::format("weights[{}] = {} is outside (0, inf)", i, printable(weights[i])));
    }
  }
}

void check_weight_range(double least, double most) {
  if (std::ilogb(most) - std::ilogb(least) >= kMostOctaves) {
    throw DataError(fmt::format(
        "weights range from {} to {}: the largest may be at most 1e60 times the smallest", least,
        most));
  }
}

WeightClasses::WeightClasses(std::span<const double> weights) {
  check_size(weights.size());
  check_weights(weights);
  const auto [least, most] = std::ranges::minmax(weights);
  check_weight_range(least, most);
  take_weights(weights, exponent_for(weights));
  make_classes();
}

WeightClasses::WeightClasses(std::span<const double> weights, int exponent) {
  take_weights(weights, exponent);
  make_classes();
}

void WeightClasses::take_weights(std::span<const double> weights, int exponent) {
  weights_.resize(weights.size());
  std::ranges::transform(weights, weights_.begin(),
                         [=](double weight) { return std::ldexp(weight, -exponent); });
  total_ = 0.0;
  for (const double weight : weights_) total_ += weight;
}

void WeightClasses::make_classes() {
  const auto [least, most] = std::ranges::minmax(weights_);
  first_key_ = key_of(least);
  const std::size_t keys = key_of(most) - first_key_ + 1;
  std::vector<std::uint32_t> counts(keys, 0);
  std::vector<double> sums(keys, 0.0);
  std::vector<double> largest(keys, 0.0);
  for (const double weight : weights_) {
    const std::size_t key = key_of(weight) - first_key_;
    ++counts[key];
    sums[key] += weight;
    largest[key] = std::max(largest[key], weight);
  }
  std::vector<std::size_t> order;
  for (std::size_t key = 0; key < keys; ++key) {
    if (counts[key] > 0) order.push_back(key);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t key) { return sums[key]; });

  class_of_key_.assign(keys, 0);
  start_.push_back(0);
  starts_.push_back(0.0);
  for (const std::size_t key : order) {
    class_of_key_[key] = static_cast<std::uint16_t>(bounds_.size());
    bounds_.push_back(largest[key]);
    inverse_bounds_.push_back(1.0 / largest[key]);
    starts_.push_back(starts_.back() + largest[key] * counts[key]);
    start_.push_back(start_.back() + counts[key]);
  }
  count_ = bounds_.size();
  starts_.resize(1 + (count_ + kStretch - 1) / kStretch * kStretch,
                 std::numeric_limits<double>::infinity());
  rows_.resize(weights_.size());
  std::vector<std::uint32_t> next = start_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[next[class_of(weights_[i])]++] = static_cast<Index>(i);
  }
}

WeightedSlot WeightClasses::propose(double uniform) const noexcept {
  const Place place = find(starts_.data(), uniform);
  const std::uint32_t last = start_[place.list + 1] - 1;
  return {&rows_[std::min(start_[place.list] + place.slot, last)], place.least_weight};
}

Index WeightClasses::draw(Rng& rng) const noexcept {
  while (true) {
    const WeightedSlot proposed = propose(rng.uniform());
    if (weights_[*proposed.row] > proposed.least_weight) return *proposed.row;
  }
}

std::size_t WeightClasses::memory_bytes() const noexcept {
  return sizeof(*this) + weights_.capacity() * sizeof(double) + rows_.capacity() * sizeof(Index) +
         (2 * bounds_.capacity() + starts_.capacity()) * sizeof(double) +
         start_.capacity() * sizeof(std::uint32_t) +
         class_of_key_.capacity() * sizeof(std::uint16_t);
}

void WeightClasses::save(StateWriter& writer) const {
  writer.put_array(std::span<const double>(weights_));
}

std::shared_ptr<const WeightClasses> WeightClasses::load(StateReader& reader, std::size_t size) {
  reader.require(size >= 1 && size <= reader.remaining() / sizeof(double),
                 "it holds fewer weights than it says");
  std::vector<double> weights(size);
  reader.get_array(std::span(weights));
  try {
    return std::make_shared<const WeightClasses>(weights);
  } catch (const DataError& error) {
    reader.require(false, error.what());
    throw;
  }
}

}  // namespace adacvar
