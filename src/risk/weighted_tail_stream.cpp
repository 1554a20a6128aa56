#include <adacvar/risk/weighted_tail_stream.hpp>

#include <adacvar/base/error.hpp>

#include "base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

// A caller's own sum of the weights may be rounded down: up to this share more is accepted.
constexpr double kRounding = 1e-9;

constexpr std::size_t kLeastKept = 16;

void check_row(double loss, double weight) {
  if (!std::isfinite(loss)) {
    throw DataError(fmt::format("loss = {} is not finite", printable(loss)));
  }
  if (!(weight >= 0 && std::isfinite(weight))) {
    throw DataError(fmt::format("weight = {} is outside [0, inf)", printable(weight)));
  }
}

}  // namespace

WeightedTailStream::WeightedTailStream(double alpha, double max_weight)
    : alpha_(alpha), max_weight_(max_weight), most_kept_(kLeastKept) {
  detail::check_alpha(alpha);
  if (!(max_weight > 0 && std::isfinite(max_weight))) {
    throw OptionError(fmt::format("max_weight = {} is outside (0, inf)", printable(max_weight)));
  }
  exponent_ = std::ilogb(max_weight);
}

void WeightedTailStream::push(double loss, double weight) {
  push(std::span(&loss, 1), std::span(&weight, 1));
}

void WeightedTailStream::push(std::span<const double> losses, std::span<const double> weights) {
  if (weights.size() != losses.size()) {
    throw OptionError(
        fmt::format("weights has {} values, losses has {}", weights.size(), losses.size()));
  }
  detail::AccurateSum more;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    check_row(losses[i], weights[i]);
    more.add(weights[i]);
  }
  check_room(more.value());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum_.add_product(std::ldexp(weights[i], -exponent_), losses[i]);
    keep({losses[i], weights[i]});
  }
  weight_.add(more);
}

void WeightedTailStream::merge(const WeightedTailStream& other) {
  if (other.alpha_ != alpha_) {
    throw OptionError(
        fmt::format("alpha = {} of the other stream is not {}", other.alpha_, alpha_));
  }
  if (other.max_weight_ != max_weight_) {
    throw OptionError(fmt::format("max_weight = {} of the other stream is not {}",
                                  other.max_weight_, max_weight_));
  }
  check_room(other.weight());
  // A copy, since a stream may be merged with itself.
  const std::vector<Row> rows = other.worst_;
  weight_.add(other.weight_);
  dropped_.add(other.dropped_);
  sum_.add(other.sum_);
  // Rows that the other has dropped are at most its floor, where enough weight is kept.
  for (const Row& row : rows) keep(row);
  floor_ = std::max(floor_, other.floor_);
}

TailRisk WeightedTailStream::risk() const {
  if (weight() == 0) throw DataError("weights sum to 0: at least one weight above 0 is needed");
  std::vector<double> losses;
  std::vector<double> weights;
  losses.reserve(worst_.size() + 1);
  weights.reserve(worst_.size() + 1);
  for (const Row& row : worst_) {
    losses.push_back(row.loss);
    weights.push_back(row.weight);
  }
  if (dropped_.value() > 0) {
    losses.push_back(floor_);  // not below a dropped loss, and not above the border
    weights.push_back(dropped_.value());
  }
  TailRisk risk = tail_risk(losses, weights, alpha_);
  risk.mean = sum_.divided_by(std::ldexp(weight(), -exponent_));
  return risk;
}

void WeightedTailStream::check_room(double more) const {
  const double weight = this->weight() + more;
  if (weight > max_weight_ * (1 + kRounding)) {
    throw OptionError(
        fmt::format("weight = {} is outside [0, max_weight = {}]", weight, max_weight_));
  }
}

void WeightedTailStream::keep(Row row) {
  if (row.weight == 0) return;
  if (row.loss <= floor_) {
    dropped_.add(row.weight);
    return;
  }
  if (worst_.size() >= most_kept_) {
    drop_all_but_needed();
    most_kept_ = std::max(kLeastKept, 2 * worst_.size());
    worst_.reserve(most_kept_);
  }
  worst_.push_back(row);
}

// Keeps the largest losses up to the first whose weight, with those above it, exceeds the tail's.
void WeightedTailStream::drop_all_but_needed() {
  std::ranges::sort(worst_, std::ranges::greater{}, &Row::loss);
  const double needed = alpha_ * max_weight_ * (1 + 2 * kRounding);
  detail::AccurateSum weight;
  std::size_t kept = 0;
  while (kept < worst_.size() && weight.value() <= needed) weight.add(worst_[kept++].weight);
  if (weight.value() <= needed) return;
  for (std::size_t i = kept; i < worst_.size(); ++i) dropped_.add(worst_[i].weight);
  worst_.resize(kept);
  floor_ = worst_.back().loss;
}

}  // namespace adacvar
