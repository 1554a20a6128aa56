#include <adacvar/risk/tail_stream.hpp>

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

TailStream::TailStream(double alpha, std::size_t max_count) : alpha_(alpha), max_count_(max_count) {
  detail::check_alpha(alpha);
  // Counts are multiplied by alpha as doubles, which hold every whole number up to 2^53.
  constexpr std::size_t kMost = std::size_t{1} << 53U;
  if (max_count < 1 || max_count > kMost) {
    throw OptionError(fmt::format("max_count = {} is outside [1, {}]", max_count, kMost));
  }
  const auto tail = static_cast<std::size_t>(detail::tail_count(alpha, max_count));
  needed_ = std::min(tail + 1, max_count);
  max_capacity_ = std::min(2 * needed_, max_count);
}

void TailStream::push(double loss) {
  if (!std::isfinite(loss)) {
    const double shown = std::isnan(loss) ? std::abs(loss) : loss;  // no sign on a NaN
    throw DataError(fmt::format("loss = {} is not finite", shown));
  }
  check_room(1);
  keep(loss);
  sum_.add(loss);
  ++count_;
}

void TailStream::push(std::span<const double> losses) {
  const detail::AccurateSum sum = detail::checked_sum(losses);
  check_room(losses.size());
  for (const double loss : losses) keep(loss);
  sum_.add(sum);
  count_ += losses.size();
}

void TailStream::merge(const TailStream& other) {
  if (other.alpha_ != alpha_) {
    throw OptionError(
        fmt::format("alpha = {} of the other stream is not {}", other.alpha_, alpha_));
  }
  if (other.max_count_ != max_count_) {
    throw OptionError(
        fmt::format("max_count = {} of the other stream is not {}", other.max_count_, max_count_));
  }
  check_room(other.count_);
  // A copy, since a stream may be merged with itself.
  const std::vector<double> losses = other.worst_;
  sum_.add(other.sum_);
  count_ += other.count_;
  for (const double loss : losses) keep(loss);
}

TailRisk TailStream::risk() const {
  if (count_ == 0) throw DataError("losses is empty: at least one loss is needed");
  return detail::tail_risk_of(worst_, sum_, count_, alpha_);
}

void TailStream::check_room(std::size_t more) const {
  if (more > max_count_ - count_) {
    throw OptionError(
        fmt::format("count = {} is outside [0, max_count = {}]", count_ + more, max_count_));
  }
}

void TailStream::keep(double loss) {
  if (loss <= floor_) return;
  if (worst_.size() == max_capacity_) {
    drop_all_but_needed();
  } else if (worst_.size() == worst_.capacity()) {
    // The vector's own growth could overshoot the bound.
    worst_.reserve(std::min(std::max<std::size_t>(2 * worst_.size(), 16), max_capacity_));
  }
  worst_.push_back(loss);
}

void TailStream::drop_all_but_needed() {
  const detail::Ranked border = detail::select_from_top(worst_, needed_ - 1);
  std::size_t ties_left = needed_ - border.above;
  std::size_t kept = 0;
  for (const double loss : worst_) {
    if (loss < border.loss) continue;
    if (loss == border.loss) {
      if (ties_left == 0) continue;
      --ties_left;
    }
    worst_[kept++] = loss;
  }
  worst_.resize(kept);
  floor_ = border.loss;
}

}  // namespace adacvar
