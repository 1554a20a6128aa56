#include "learner/objective.hpp"

#include <adacvar/base/options.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include "base/portable_math.hpp"
#include "base/state_stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

constexpr double kUnseen = std::numeric_limits<double>::quiet_NaN();

std::size_t window_size(std::size_t rows, double alpha, double draws) {
  check_range("alpha", alpha, {.low = 0, .high = 1, .low_ok = false});
  check_range("level-window", draws, {.low = 1});
  const double wanted = std::ceil(draws / alpha);
  return wanted < static_cast<double>(rows) ? static_cast<std::size_t>(wanted) : rows;
}

}  // namespace

LossWindow::LossWindow(std::size_t rows, double alpha, double draws)
    : alpha_(alpha), slots_(window_size(rows, alpha, draws), kUnseen) {
  has_row_each_ = slots_.size() == rows;
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
  std::ranges::copy_if(slots_, std::back_inserter(filled_),
                       [](double x) { return !std::isnan(x); });
  return filled_;
}

std::size_t LossWindow::next_tail_size() {
  // Multiples of the golden ratio fill [0, 1) evenly.
  const double offset = std::fmod(0.6180339887498949 * static_cast<double>(fits_++), 1.0);
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

TruncObjective::TruncObjective(std::size_t rows, double alpha, double draws)
    : alpha_(alpha), window_(rows, alpha, draws) {}

void TruncObjective::weight(std::span<const Index> batch, std::span<const double> losses,
                            std::span<double> weights) {
  const bool is_first = window_.is_empty();
  if (is_first) window_.add(batch, losses);
  if (window_.is_due()) fit();
  for (std::size_t b = 0; b < losses.size(); ++b) {
    const double share = losses[b] > level_ ? 1.0 : (losses[b] == level_ ? share_at_level_ : 0.0);
    weights[b] = share / alpha_;
  }
  if (!is_first) window_.add(batch, losses);
}

// The level has the tail's losses above it: the largest of the others.
void TruncObjective::fit() {
  const std::span<const double> losses = window_.losses();
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

SoftObjective::SoftObjective(std::size_t rows, double alpha, double draws, double temperature)
    : alpha_(alpha), temperature_(temperature), window_(rows, alpha, draws) {
  check_range("temperature", temperature, {.low = 1e-9, .high = 1e9});
}

void SoftObjective::weight(std::span<const Index> batch, std::span<const double> losses,
                           std::span<double> weights) {
  const bool is_first = window_.is_empty();
  if (is_first) window_.add(batch, losses);
  if (window_.is_due()) fit();
  for (std::size_t b = 0; b < losses.size(); ++b) weights[b] = (losses[b] - level_) / width_;
  portable::sigmoid_in_place(weights.first(losses.size()));
  for (double& weight : weights) weight /= alpha_;
  if (!is_first) window_.add(batch, losses);
}

void SoftObjective::fit() {
  const std::span<const double> losses = window_.losses();
  // Not 0, and not so large that the level could overflow.
  width_ =
      std::clamp(temperature_ * cvar(losses, alpha_), std::numeric_limits<double>::min(), 1e300);
  const std::size_t tail = window_.next_tail_size();
  if (tail == 0 || tail == losses.size()) {
    level_ = tail == 0 ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::max();
    return;
  }
  std::vector<double> scaled(losses.size());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = losses[i] / width_;
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
