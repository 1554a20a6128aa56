#include "sampler/step_rule.hpp"

#include <adacvar/risk/cvar.hpp>

#include "base/portable_math.hpp"
#include "base/state_stream.hpp"
#include "base/vector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace adacvar {

namespace {

// Memory of the running statistics, in batches: long enough to average over the draws, short
// enough to follow a model that is learning.
constexpr std::uint64_t kScaleMemory = 100;
constexpr double kBaselineMemory = 20.0;

constexpr double kLargest = std::numeric_limits<double>::max();

// Divides first: the sum of finite losses may not be finite.
double mean_of(std::span<const double> values) {
  const double share = 1.0 / static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value * share;
  return std::min(mean, kLargest);
}

// g = clip((L - b)/s, low, 1) + shift, all estimators in one form: losses are not negative.
struct Estimate {
  double baseline;
  double scale;
  double low;
  double shift;

  [[nodiscard]] double operator()(double loss) const noexcept {
    double g = (loss - baseline) / scale;
    g = g < low ? low : g;
    g = 1.0 < g ? 1.0 : g;
    return g + shift;
  }
};

Estimate estimate_of(Estimator estimator, double baseline, double scale) {
  switch (estimator) {
    case Estimator::gain:
      return {.baseline = 0.0, .scale = scale, .low = 0.0, .shift = 0.0};
    case Estimator::loss:
      return {.baseline = 0.0, .scale = scale, .low = 0.0, .shift = -1.0};
    case Estimator::centred:
      break;
  }
  return {.baseline = baseline, .scale = scale, .low = -1.0, .shift = 0.0};
}

// Computes N for every draw: the number of rows, or with row weights W / w, the number of rows if
// all had the weight of the one drawn.
struct SameSize {
  double size;
  [[nodiscard]] double operator[](std::size_t /*draw*/) const noexcept { return size; }
};

// An example of smaller probability is practically never drawn; its step must stay finite.
double floored(double probability, double size) noexcept {
  const double least = 1e-15 / size;
  return probability > least ? probability : least;
}

// Loops with divisions are separate and without branches, so that they are vectorised.
template <class Sizes>
ADACVAR_WIDE void take_steps(const double* losses, const double* probabilities, Sizes sizes,
                             std::size_t count, Estimate estimate, double epsilon, double eta,
                             double* steps) {
  for (std::size_t j = 0; j < count; ++j) {
    steps[j] =
        estimate(losses[j]) / (floored(probabilities[j], sizes[j]) + epsilon / sizes[j]) * eta;
  }
}

// Importance weights 1/(N q) of the losses above a level, 0 for the others.
template <class Sizes>
ADACVAR_WIDE void weight_above(const double* losses, const double* probabilities, Sizes sizes,
                               std::size_t count, double level, double* weights) {
  for (std::size_t j = 0; j < count; ++j) {
    weights[j] = 1.0 / (sizes[j] * floored(probabilities[j], sizes[j]));
  }
  for (std::size_t j = 0; j < count; ++j) weights[j] = losses[j] > level ? weights[j] : 0.0;
}

// Lemma 1 of [CLJK20]; the other schedules divide by T themselves.
double automatic_eta(double size, const AdaptiveSamplerOptions& options) {
  const double draws = options.schedule != EtaSchedule::constant ? 1.0
                       : options.horizon > 0 ? static_cast<double>(options.horizon)
                                             : 50.0 * size;
  return options.eta_scale.value_or(1.0) *
         std::sqrt(portable::log(std::max(size, 2.0)) / (size * draws));
}

}  // namespace

StepRule::StepRule(std::size_t size, const AdaptiveSamplerOptions& options)
    : alpha_(options.alpha),
      size_(static_cast<double>(size)),
      estimator_(options.estimator),
      schedule_(options.schedule),
      running_scale_(
          options.scale == LossScale::running ||
          (options.scale == LossScale::automatic && options.estimator == Estimator::centred)),
      base_eta_(options.eta ? *options.eta : automatic_eta(size_, options)),
      epsilon_(options.epsilon),
      scale_(options.loss_scale) {}

void StepRule::steps(std::span<const double> losses, std::span<const double> probabilities,
                     std::span<const double> sizes, std::span<double> steps) {
  if (sizes.empty()) {
    steps_with(losses, probabilities, SameSize{size_}, steps);
  } else {
    steps_with(losses, probabilities, sizes.data(), steps);
  }
}

template <class Sizes>
void StepRule::steps_with(std::span<const double> losses, std::span<const double> probabilities,
                          Sizes sizes, std::span<double> steps) {
  const bool first = batches_++ == 0;
  if (first) begin(losses, probabilities, sizes);
  const bool adagrad = schedule_ == EtaSchedule::adagrad;
  const double squares = adagrad ? sum_of_squares(losses, probabilities, sizes) : 0.0;
  if (scale_ > 0.0) {
    take_steps(losses.data(), probabilities.data(), sizes, losses.size(),
               estimate_of(estimator_, baseline_, scale_), epsilon_,
               eta_after(losses.size(), squares), steps.data());
  } else {
    std::ranges::fill(steps, 0.0);  // all losses so far were 0
  }
  draws_ += losses.size();
  squares_ += squares;
  if (!first) follow(losses, probabilities, sizes);
}

template <class Sizes>
double StepRule::sum_of_squares(std::span<const double> losses,
                                std::span<const double> probabilities, Sizes sizes) const noexcept {
  if (scale_ <= 0.0) return 0.0;
  const Estimate estimate = estimate_of(estimator_, baseline_, scale_);
  double squares = 0.0;
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const double g = estimate(losses[j]);
    const double q = floored(probabilities[j], sizes[j]) + epsilon_ / sizes[j];
    squares += g * g / (sizes[j] * q);
  }
  return squares;
}

double StepRule::eta_after(std::size_t draws, double squares) const noexcept {
  switch (schedule_) {
    case EtaSchedule::constant:
      break;
    case EtaSchedule::inverse_sqrt:
      return base_eta_ / std::sqrt(static_cast<double>(draws_ + draws));
    case EtaSchedule::adagrad:
      return base_eta_ / std::sqrt(1.0 + squares_ + squares);
  }
  return base_eta_;
}

// The first batch sets the statistics for its own losses.
template <class Sizes>
void StepRule::begin(std::span<const double> losses, std::span<const double> probabilities,
                     Sizes sizes) {
  if (running_scale_) scale_ = mean_of(losses);
  if (estimator_ != Estimator::centred) return;
  std::vector<double> shares(probabilities.size());
  for (std::size_t j = 0; j < shares.size(); ++j) {
    shares[j] = size_ / sizes[j] / floored(probabilities[j], sizes[j]);
  }
  baseline_ = value_at_risk(losses, shares, alpha_);
}

// Later batches use the statistics of the batches before them, so that the estimate of a draw does
// not depend on the draw.
template <class Sizes>
void StepRule::follow(std::span<const double> losses, std::span<const double> probabilities,
                      Sizes sizes) {
  if (running_scale_) {
    scale_ += (mean_of(losses) - scale_) / static_cast<double>(std::min(batches_, kScaleMemory));
  }
  if (estimator_ != Estimator::centred) return;
  // Importance weights 1/(N q) make the share of losses above b an unbiased estimate of the share
  // in the whole data; b moves until that share is alpha.
  above_.resize(losses.size());
  weight_above(losses.data(), probabilities.data(), sizes, losses.size(), baseline_, above_.data());
  const double above = std::accumulate(above_.begin(), above_.end(), 0.0);
  const double excess = above / (static_cast<double>(losses.size()) * alpha_) - 1.0;
  // A baseline far above the losses, as early in training, decreases relative to itself, not
  // relative to the losses, which may be small by then.
  const double pace = std::max(scale_, baseline_) / kBaselineMemory;
  const double step = pace * std::clamp(excess, -1.0, 1.0);
  baseline_ = std::clamp(baseline_ + step, 0.0, kLargest);
}

void StepRule::save(StateWriter& writer) const {
  writer.put(batches_);
  writer.put(draws_);
  writer.put(squares_);
  writer.put(baseline_);
  writer.put(scale_);
}

void StepRule::load(StateReader& reader) {
  batches_ = reader.get<std::uint64_t>();
  draws_ = reader.get<std::uint64_t>();
  squares_ = reader.get<double>();
  baseline_ = reader.get<double>();
  scale_ = reader.get<double>();
  reader.require(squares_ >= 0 && std::isfinite(squares_) && baseline_ >= 0 &&
                     std::isfinite(baseline_) && scale_ >= 0 && std::isfinite(scale_),
                 "its running statistics are out of range");
}

}  // namespace adacvar
