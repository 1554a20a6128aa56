#include "learner/objective.hpp"

#include <adacvar/base/options.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include "base/portable_math.hpp"
#include "base/state_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

constexpr double kUnseen = std::numeric_limits<double>::quiet_NaN();

std::size_t window_size(std::size_t rows, double alpha, double draws) {
  check_range("alpha", alpha, {.low = 0, .high = 1, .low_ok = false});
  check_range("level-window", draws, {.low = 1});
  const double wanted = std::ceil(draws / alpha);
  return wanted < static_cast<double>(rows) ? static_cast<std::size_t>(wanted) : rows;
}

// Solves sum w_i sigma(z_i + nu) = alpha sum w_i for nu, alpha < 1, by Newton steps in a bracket
// from the smallest and largest z.
double weighted_tilt(std::span<const double> z, std::span<const double> weights, double alpha) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double odds = portable::log(alpha / (1.0 - alpha));
  const auto [least, most] = std::ranges::minmax(z);
  double low = odds - most;
  double high = odds - least;
  double tilt = std::midpoint(low, high);
  for (int iteration = 0; iteration < 200 && low < high; ++iteration) {
    double gap = -alpha * total;
    double derivative = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double p = portable::sigmoid(z[i] + tilt);
      gap += weights[i] * p;
      derivative += weights[i] * p * (1.0 - p);
    }
    (gap < 0.0 ? low : high) = tilt;
    if (std::abs(gap) <= 1e-13 * alpha * total) break;
    double next = tilt - gap / derivative;
    // Written so that a NaN or an infinite step bisects.
    if (!(next > low && next < high)) next = std::midpoint(low, high);
    if (next == tilt) break;
    tilt = next;
  }
  return tilt;
}

// The weight of an example of which `share` is in the tail.
double weight_of(double share, const Risk& risk) {
  return (1.0 - risk.gamma) * share / risk.alpha + risk.gamma;
}

}  // namespace

LossWindow::LossWindow(std::size_t rows, double alpha, double draws,
                       std::span<const double> weights)
    : alpha_(alpha), slots_(window_size(rows, alpha, draws), kUnseen) {
  has_row_each_ = slots_.size() == rows;
  if (has_row_each_) weights_.assign(weights.begin(), weights.end());
}

void LossWindow::add(std::span<const Index> batch, std::span<const double> losses) {
  for (std::size_t b = 0; b < losses.size(); ++b) {
    double& slot = slots_[has_row_each_ ? batch[b] : draws_ % slots_.size()];
    if (std::isnan(slot)) ++filled_count_;
    slot = losses[b];
    ++draws_;
  }
}

bool LossWindow::is_due() const noexcept {
  return filled_count_ > 0 && (draws_ - draws_at_fit_) * 4 >= filled_count_;
}

std::span<const double> LossWindow::losses() {
  draws_at_fit_ = draws_;
  if (filled_count_ == slots_.size()) return slots_;
  filled_.clear();
  filled_weights_.clear();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    if (std::isnan(slots_[slot])) continue;
    filled_.push_back(slots_[slot]);
    if (!weights_.empty()) filled_weights_.push_back(weights_[slot]);
  }
  return filled_;
}

std::span<const double> LossWindow::weights() const noexcept {
  return filled_count_ == slots_.size() ? weights_ : filled_weights_;
}

double LossWindow::next_offset() {
  // Multiples of the golden ratio fill [0, 1) evenly.
  return std::fmod(0.6180339887498949 * static_cast<double>(fits_++), 1.0);
}

std::size_t LossWindow::next_tail_size() {
  const double offset = next_offset();
  const auto count = static_cast<double>(filled_count_);
  return static_cast<std::size_t>(std::min(count, std::floor(alpha_ * count + offset)));
}

void LossWindow::save(StateWriter& out) const {
  out.put(draws_);
  out.put(draws_at_fit_);
  out.put(fits_);
  out.put(filled_count_);
  out.put_array(std::span<const double>(slots_));
}

void LossWindow::load(StateReader& in) {
  draws_ = in.get<std::uint64_t>();
  draws_at_fit_ = in.get<std::uint64_t>();
  fits_ = in.get<std::uint64_t>();
  filled_count_ = in.get<std::uint64_t>();
  in.get_array(std::span(slots_));
  const auto filled = std::ranges::count_if(slots_, [](double x) { return !std::isnan(x); });
  in.require(draws_at_fit_ <= draws_ && static_cast<std::uint64_t>(filled) == filled_count_,
             "its window of losses is inconsistent");
}

void MeanObjective::weight(std::span<const Index> /*batch*/, std::span<const double> /*losses*/,
                           std::span<double> weights) {
  std::ranges::fill(weights, 1.0);
}

TruncObjective::TruncObjective(std::size_t rows, const Risk& risk, double draws,
                               std::span<const double> row_weights)
    : risk_(risk), window_(rows, risk.alpha, draws, row_weights) {}

void TruncObjective::weight(std::span<const Index> batch, std::span<const double> losses,
                            std::span<double> weights) {
  const bool is_first = window_.is_empty();
  if (is_first) window_.add(batch, losses);
  if (window_.is_due()) fit();
  for (std::size_t b = 0; b < losses.size(); ++b) {
    const double share = losses[b] > level_ ? 1.0 : (losses[b] == level_ ? share_at_level_ : 0.0);
    weights[b] = weight_of(share, risk_);
  }
  if (!is_first) window_.add(batch, losses);
}

// Returns the level: the largest loss that is not in the tail.
void TruncObjective::fit() {
  const std::span<const double> losses = window_.losses();
  if (!window_.weights().empty()) {
    fit_weighted(losses, window_.weights());
    return;
  }
  const std::size_t tail = window_.next_tail_size();
  std::vector<double> sorted(losses.begin(), losses.end());
  const auto border =
      sorted.begin() + static_cast<std::ptrdiff_t>(std::min(tail, sorted.size() - 1));
  std::ranges::nth_element(sorted, border, std::ranges::greater{});
  level_ = tail < sorted.size() ? *border : -std::numeric_limits<double>::max();
  const auto above = std::ranges::count_if(losses, [&](double x) { return x > level_; });
  const auto at_level = std::ranges::count(losses, level_);
  share_at_level_ = at_level == 0 ? 0.0
                                  : static_cast<double>(static_cast<std::ptrdiff_t>(tail) - above) /
                                        static_cast<double>(at_level);
}

// As above with weights: rows are in the tail as a whole, the border row so often that the mean
// weight of the tail is exact.
void TruncObjective::fit_weighted(std::span<const double> losses, std::span<const double> weights) {
  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return losses[i]; });
  double left = risk_.alpha * std::accumulate(weights.begin(), weights.end(), 0.0);
  const double rounding = 1e-12 * left;
  std::size_t tail = 0;
  for (; tail < order.size() && weights[order[tail]] <= left + rounding; ++tail) {
    left -= weights[order[tail]];
  }
  const double offset = window_.next_offset();
  if (tail < order.size() && left / weights[order[tail]] + offset >= 1.0) ++tail;
  level_ = tail < order.size() ? losses[order[tail]] : -std::numeric_limits<double>::max();
  double at_level = 0.0;
  double in_tail = 0.0;  // and at the level
  for (std::size_t j = 0; j < order.size(); ++j) {
    if (losses[order[j]] != level_) continue;
    at_level += weights[order[j]];
    if (j < tail) in_tail += weights[order[j]];
  }
  share_at_level_ = at_level > 0.0 ? in_tail / at_level : 0.0;
}

void TruncObjective::save(StateWriter& out) const {
  window_.save(out);
  out.put(level_);
  out.put(share_at_level_);
}

void TruncObjective::load(StateReader& in) {
  window_.load(in);
  level_ = in.get<double>();
  share_at_level_ = in.get<double>();
}

SoftObjective::SoftObjective(std::size_t rows, const Risk& risk, double draws, double temperature,
                             std::span<const double> row_weights)
    : risk_(risk), temperature_(temperature), window_(rows, risk.alpha, draws, row_weights) {
  check_range("temperature", temperature, {.low = 1e-9, .high = 1e9});
}

void SoftObjective::weight(std::span<const Index> batch, std::span<const double> losses,
                           std::span<double> weights) {
  const bool is_first = window_.is_empty();
  if (is_first) window_.add(batch, losses);
  if (window_.is_due()) fit();
  for (std::size_t b = 0; b < losses.size(); ++b) weights[b] = (losses[b] - level_) / width_;
  portable::sigmoid_in_place(weights.first(losses.size()));
  for (double& weight : weights) weight = weight_of(weight, risk_);
  if (!is_first) window_.add(batch, losses);
}

void SoftObjective::fit() {
  const std::span<const double> losses = window_.losses();
  // Above 0, and not so large that the level could overflow.
  width_ = std::clamp(temperature_ * cvar(losses, window_.weights(), risk_.alpha),
                      std::numeric_limits<double>::min(), 1e300);
  std::vector<double> scaled(losses.size());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = losses[i] / width_;
  if (!window_.weights().empty()) {
    level_ = risk_.alpha < 1.0 ? -width_ * weighted_tilt(scaled, window_.weights(), risk_.alpha)
                               : -std::numeric_limits<double>::max();
    return;
  }
  const std::size_t tail = window_.next_tail_size();
  if (tail == 0 || tail == losses.size()) {
    level_ = tail == 0 ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::max();
    return;
  }
  level_ = -width_ * matched_tilt(scaled, tail);
}

void SoftObjective::save(StateWriter& out) const {
  window_.save(out);
  out.put(level_);
  out.put(width_);
}

void SoftObjective::load(StateReader& in) {
  window_.load(in);
  level_ = in.get<double>();
  width_ = in.get<double>();
}

}  // namespace adacvar
