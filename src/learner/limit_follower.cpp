#include "learner/limit_follower.hpp"

#include "base/portable_math.hpp"
#include "base/state_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kLargestWindow = 100'000;  // draws
constexpr std::uint64_t kStepsPerWindow = 8;
constexpr double kSumGain = 4;
constexpr double kGain = 8;
constexpr double kLargestError = 0.1;     // early losses may be far from any limit
constexpr double kLargestLogOdds = 6;     // s does not grow beyond: it would take long to return
constexpr double kLargestMakeUp = 0.05;   // excess by which the rest of an average may deviate
constexpr double kLeastEpochsLeft = 3.0;  // to make up in

}  // namespace

LimitFollower::LimitFollower(const RiskLimit& limit, const Risk& risk, std::size_t rows,
                             std::uint64_t epochs)
    : limit_(limit),
      risk_(risk),
      rows_(static_cast<double>(rows)),
      total_epochs_(static_cast<double>(epochs)),
      losses_(std::min(rows, kLargestWindow)),
      importance_(losses_.size()),
      gamma_(std::midpoint(risk.gamma, 1.0)) {}

double LimitFollower::mean_gamma() const noexcept {
  return steps_ > 0 ? gamma_sum_ / steps_ : gamma_;
}

void LimitFollower::step(double value, double epochs) {
  epochs_ += epochs;
  excess_ = value / limit_.most - 1.0;
  const double make_up = std::clamp(debt_ / std::max(kLeastEpochsLeft, total_epochs_ - epochs_),
                                    -kLargestMakeUp, kLargestMakeUp);
  const double sign = limit_.of == RiskLimit::Of::mean ? 1.0 : -1.0;
  const double error = sign * std::clamp(excess_ + make_up, -kLargestError, kLargestError);
  const double log_odds = sum_ + kGain * error;
  const bool is_saturated = std::abs(log_odds) > kLargestLogOdds && (log_odds > 0) == (error > 0);
  if (!is_saturated) sum_ += kSumGain * error * epochs;
  gamma_ = risk_.gamma + (1.0 - risk_.gamma) * portable::sigmoid(sum_ + kGain * error);
  if (2 * epochs_ <= total_epochs_) return;
  ++steps_;
  gamma_sum_ += gamma_;
}

bool LimitFollower::observe(std::span<const double> losses, std::span<const double> importance) {
  for (std::size_t b = 0; b < losses.size(); ++b, ++draws_) {
    const std::size_t slot = draws_ % losses_.size();
    losses_[slot] = losses[b];
    importance_[slot] = importance[b];
  }
  const std::size_t filled = std::min<std::uint64_t>(draws_, losses_.size());
  if ((draws_ - draws_at_step_) * kStepsPerWindow < filled) return false;
  const double epochs = static_cast<double>(draws_ - draws_at_step_) / rows_;
  draws_at_step_ = draws_;
  step(limit_.value(tail_risk(std::span(losses_).first(filled),
                              std::span(importance_).first(filled), risk_.alpha)),
       epochs);
  return true;
}

void LimitFollower::measure(double value) { step(value, 1.0); }

void LimitFollower::measure_average(double value) {
  const double averaged = epochs_ + 1.0 - 0.5 * total_epochs_;
  debt_ = (value / limit_.most - 1.0) * std::max(0.0, averaged);
}

void LimitFollower::save(StateWriter& out) const {
  out.put(draws_);
  out.put(draws_at_step_);
  for (const double value : {epochs_, sum_, gamma_, excess_, debt_, steps_, gamma_sum_}) {
    out.put(value);
  }
  out.put_array(std::span<const double>(losses_));
  out.put_array(std::span<const double>(importance_));
}

void LimitFollower::load(StateReader& in) {
  draws_ = in.get<std::uint64_t>();
  draws_at_step_ = in.get<std::uint64_t>();
  for (double* value : {&epochs_, &sum_, &gamma_, &excess_, &debt_, &steps_, &gamma_sum_}) {
    *value = in.get<double>();
    in.require(std::isfinite(*value), "its limit has a number that is not finite");
  }
  in.get_array(std::span(losses_));
  in.get_array(std::span(importance_));
  const auto is_valid = [](double value) { return std::isfinite(value) && value >= 0; };
  in.require(draws_at_step_ <= draws_ && gamma_ >= risk_.gamma && gamma_ <= 1.0 &&
                 std::ranges::all_of(losses_, is_valid) &&
                 std::ranges::all_of(importance_, is_valid),
             "its limit is out of range");
}

}  // namespace adacvar
