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

constexpr double kTrustAfter = 5;  // epochs; before, a difference is mostly noise of the draws

}  // namespace

LimitFollower::LimitFollower(const RiskLimit& limit, const Risk& risk, std::size_t rows,
                             std::uint64_t draws)
    : limit_(limit),
      risk_(risk),
      rows_(static_cast<double>(rows)),
      total_draws_(draws),
      losses_(std::min(rows, kLargestWindow)),
      importance_(losses_.size()),
      gamma_(std::midpoint(risk.gamma, 1.0)) {}

double LimitFollower::mean_gamma() const noexcept {
  return steps_ > 0 ? gamma_sum_ / steps_ : gamma_;
}

double LimitFollower::error() const noexcept {
  const double left = std::max(kLeastEpochsLeft * rows_,
                               static_cast<double>(total_draws_) - static_cast<double>(draws_));
  const double make_up = std::clamp(debt_ / left, -kLargestMakeUp, kLargestMakeUp);
  const double sign = limit_.of == RiskLimit::Of::mean ? 1.0 : -1.0;
  return sign * std::clamp(excess() + make_up, -kLargestError, kLargestError);
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
  const TailRisk estimate = tail_risk(std::span(losses_).first(filled),
                                      std::span(importance_).first(filled), risk_.alpha);
  excess_ = limit_.value(estimate) / limit_.most - 1.0;
  const double e = error();
  const double log_odds = sum_ + kGain * e;
  const bool is_saturated = std::abs(log_odds) > kLargestLogOdds && (log_odds > 0) == (e > 0);
  if (!is_saturated) sum_ += kSumGain * e * epochs;
  gamma_ = risk_.gamma + (1.0 - risk_.gamma) * portable::sigmoid(sum_ + kGain * e);
  if (2 * draws_ > total_draws_) {
    ++steps_;
    excess_sum_ += excess_;
    gamma_sum_ += gamma_;
  }
  return true;
}

void LimitFollower::measure(double value) { difference_ = excess_ - (value / limit_.most - 1.0); }

void LimitFollower::measure_average(double value) {
  if (steps_ == 0) return;
  const double excess = value / limit_.most - 1.0;
  const double draws = static_cast<double>(draws_) - 0.5 * static_cast<double>(total_draws_);
  difference_ = (excess_sum_ / steps_ - excess) * draws / (draws + kTrustAfter * rows_);
  debt_ = excess * draws;
}

void LimitFollower::save(StateWriter& out) const {
  out.put(draws_);
  out.put(draws_at_step_);
  for (const double value :
       {sum_, gamma_, excess_, difference_, debt_, steps_, excess_sum_, gamma_sum_}) {
    out.put(value);
  }
  out.put_array(std::span<const double>(losses_));
  out.put_array(std::span<const double>(importance_));
}

void LimitFollower::load(StateReader& in) {
  draws_ = in.get<std::uint64_t>();
  draws_at_step_ = in.get<std::uint64_t>();
  for (double* value :
       {&sum_, &gamma_, &excess_, &difference_, &debt_, &steps_, &excess_sum_, &gamma_sum_}) {
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
