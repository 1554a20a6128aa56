#include <adacvar/learner/loss.hpp>

#include "base/name_list.hpp"
#include "base/portable_math.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

struct Point {
  double loss;
  double derivative;
};

Point squared(double r) { return {r * r, 2.0 * r}; }

Point absolute(double r) { return {std::abs(r), r > 0 ? 1.0 : (r < 0 ? -1.0 : 0.0)}; }

Point huber(double r, double delta) {
  if (std::abs(r) <= delta) return {0.5 * r * r, r};
  return {delta * (std::abs(r) - 0.5 * delta), std::copysign(delta, r)};
}

Point pinball(double r, double tau) {
  if (r == 0) return {0.0, 0.0};
  return r > 0 ? Point{(1.0 - tau) * r, 1.0 - tau} : Point{-tau * r, -tau};
}

Point hinge(double m) { return m < 1 ? Point{1.0 - m, -1.0} : Point{0.0, 0.0}; }

template <class Function>
void by_residual(std::span<const double> scores, std::span<const double> targets,
                 std::span<double> losses, std::span<double> derivatives, Function function) {
  for (std::size_t b = 0; b < targets.size(); ++b) {
    const Point point = function(scores[b] - targets[b]);
    losses[b] = point.loss;
    derivatives[b] = point.derivative;
  }
}

template <class Function>
void by_margin(std::span<const double> scores, std::span<const double> targets,
               std::span<double> losses, std::span<double> derivatives, Function function) {
  for (std::size_t b = 0; b < targets.size(); ++b) {
    const double sign = targets[b] > 0.5 ? 1.0 : -1.0;
    const Point point = function(sign * scores[b]);
    losses[b] = point.loss;
    derivatives[b] = sign * point.derivative;
  }
}

// Block size for vectorised exponentials and logarithms, which are several times as fast.
constexpr std::size_t kBlock = 256;

// Computes log(1 + e^-m) of the margin m, without overflow for either sign.
void by_logistic(std::span<const double> scores, std::span<const double> targets,
                 std::span<double> losses, std::span<double> derivatives) {
  std::array<double, kBlock> powers;
  for (std::size_t start = 0; start < targets.size(); start += kBlock) {
    const auto e = std::span(powers).first(std::min(kBlock, targets.size() - start));
    for (std::size_t b = 0; b < e.size(); ++b) e[b] = -std::abs(scores[start + b]);
    portable::exp_in_place(e);
    for (std::size_t b = 0; b < e.size(); ++b) {
      const double sign = targets[start + b] > 0.5 ? 1.0 : -1.0;
      const double margin = sign * scores[start + b];
      losses[start + b] = margin < 0 ? -margin : 0.0;
      derivatives[start + b] = sign * ((margin < 0 ? -1.0 : -e[b]) / (1.0 + e[b]));
    }
    portable::log1p_in_place(e);
    for (std::size_t b = 0; b < e.size(); ++b) losses[start + b] += e[b];
  }
}

// Replaces scores by derivatives: the class probabilities, less 1 for the target's class. Up to
// kBlock examples.
void softmax(std::span<const double> scores, std::span<const double> targets,
             std::span<double> losses, std::span<double> derivatives) {
  const std::size_t classes = scores.size() / targets.size();
  for (std::size_t b = 0; b < targets.size(); ++b) {
    const auto row = scores.subspan(b * classes, classes);
    const double most = *std::ranges::max_element(row);
    losses[b] = most - row[static_cast<std::size_t>(targets[b])];
    for (std::size_t c = 0; c < classes; ++c) derivatives[b * classes + c] = row[c] - most;
  }
  portable::exp_in_place(derivatives);
  std::array<double, kBlock> sums;
  for (std::size_t b = 0; b < targets.size(); ++b) {
    const auto row = derivatives.subspan(b * classes, classes);
    sums[b] = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& derivative : row) derivative /= sums[b];
    row[static_cast<std::size_t>(targets[b])] -= 1.0;
  }
  portable::log_in_place(std::span(sums).first(targets.size()));
  for (std::size_t b = 0; b < targets.size(); ++b) losses[b] = std::max(0.0, losses[b] + sums[b]);
}

void by_class(std::span<const double> scores, std::span<const double> targets,
              std::span<double> losses, std::span<double> derivatives) {
  if (targets.empty()) return;
  const std::size_t classes = scores.size() / targets.size();
  for (std::size_t start = 0; start < targets.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, targets.size() - start);
    softmax(scores.subspan(start * classes, count * classes), targets.subspan(start, count),
            losses.subspan(start, count), derivatives.subspan(start * classes, count * classes));
  }
}

}  // namespace

const std::vector<OptionSpec>& LossOptions::options() {
  using O = LossOptions;
  static const std::vector<OptionSpec> all{
      {"loss", &O::loss,
       Names{"auto", "squared", "absolute", "huber", "pinball", "logistic", "softmax", "hinge"},
       "auto: squared for regression, logistic for two classes, softmax for more"},
      {"delta", &O::delta, Bounds{.low = 0, .low_ok = false},
       "residual where the loss becomes linear, in standard deviations of the target",
       with("loss", {"huber"})},
      {"tau", &O::tau, Bounds{.low = 0, .high = 1, .low_ok = false, .high_ok = false},
       "quantile to predict", with("loss", {"pinball"})},
  };
  return all;
}

Loss::Loss(LossKind kind, double delta, double tau) : kind_(kind), delta_(delta), tau_(tau) {
  check_range("delta", delta, {.low = 0, .low_ok = false});
  check_range("tau", tau, {.low = 0, .high = 1, .low_ok = false, .high_ok = false});
}

Loss Loss::of_task(Task task) {
  switch (task) {
    case Task::regression:
      return Loss(LossKind::squared);
    case Task::binary:
      return Loss(LossKind::logistic);
    case Task::multiclass:
      break;
  }
  return Loss(LossKind::softmax);
}

bool Loss::fits(Task task) const noexcept {
  switch (kind_) {
    case LossKind::squared:
    case LossKind::absolute:
    case LossKind::huber:
    case LossKind::pinball:
      return task == Task::regression;
    case LossKind::logistic:
    case LossKind::hinge:
      return task == Task::binary;
    case LossKind::softmax:
      break;
  }
  return task != Task::regression;
}

double Loss::curvature() const noexcept {
  switch (kind_) {
    case LossKind::squared:
      return 2.0;
    case LossKind::huber:
      return 1.0;
    case LossKind::logistic:
      return 0.25;
    case LossKind::softmax:
      return 0.5;
    case LossKind::absolute:
    case LossKind::pinball:
    case LossKind::hinge:
      break;
  }
  return 0.0;
}

void Loss::evaluate(std::span<const double> scores, std::span<const double> targets,
                    std::span<double> losses, std::span<double> derivatives) const {
  const auto residual = [&](auto f) { by_residual(scores, targets, losses, derivatives, f); };
  const auto margin = [&](auto f) { by_margin(scores, targets, losses, derivatives, f); };
  switch (kind_) {
    case LossKind::squared:
      residual(squared);
      break;
    case LossKind::absolute:
      residual(absolute);
      break;
    case LossKind::huber:
      residual([this](double r) { return huber(r, delta_); });
      break;
    case LossKind::pinball:
      residual([this](double r) { return pinball(r, tau_); });
      break;
    case LossKind::logistic:
      by_logistic(scores, targets, losses, derivatives);
      break;
    case LossKind::hinge:
      margin(hinge);
      break;
    case LossKind::softmax:
      by_class(scores, targets, losses, derivatives);
      break;
  }
}

double Loss::unit(double target_sd) const noexcept {
  switch (kind_) {
    case LossKind::squared:
    case LossKind::huber:
      return target_sd * target_sd;
    case LossKind::absolute:
    case LossKind::pinball:
      return target_sd;
    case LossKind::logistic:
    case LossKind::softmax:
    case LossKind::hinge:
      break;
  }
  return 1.0;
}

Loss make_loss(const LossOptions& options, const Dataset& data) {
  check_options(options);
  if (options.loss == LossChoice::automatic) return Loss::of_task(data.task);
  const auto kind = static_cast<LossKind>(static_cast<int>(options.loss) - 1);
  const Loss loss(kind, options.delta, options.tau);
  if (loss.fits(data.task)) return loss;
  const std::string given = data.task == Task::regression
                                ? "the target is a number"
                                : fmt::format("the target has {} classes: {}",
                                              data.class_names.size(), name_list(data.class_names));
  const bool two = kind == LossKind::logistic || kind == LossKind::hinge;
  throw OptionError(fmt::format("loss = {} needs {}; {}", kLossNames.of(kind),
                                two                         ? "a target of two classes"
                                : kind == LossKind::softmax ? "a target of classes"
                                                            : "a numeric target",
                                given));
}

}  // namespace adacvar
