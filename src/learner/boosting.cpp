#include "learner/boosting.hpp"

#include "base/parallel.hpp"
#include "base/portable_math.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kBlock = 1 << 14;  // rows whose sums are added at once, on any thread
constexpr std::size_t kChunk = 512;      // rows whose values are in the cache
constexpr std::size_t kSampled = 1 << 15;

std::size_t block_count(std::size_t rows) { return (rows + kBlock - 1) / kBlock; }

/// Weighted sums over rows of sigma and of its derivative.
struct SigmoidSums {
  double value = 0;
  double derivative = 0;
  double weight = 0;
};

/// Every `stride`-th of some losses.
struct Sample {
  std::span<const double> losses;
  std::span<const double> weights;
  std::size_t stride = 1;

  [[nodiscard]] std::size_t size() const { return (losses.size() + stride - 1) / stride; }
};

/// Sums in several lanes, so that additions do not wait for each other.
class LaneSum {
 public:
  void add(std::size_t i, double value) { lanes_[i % kLanes] += value; }
  [[nodiscard]] double total() const { return (lanes_[0] + lanes_[1]) + (lanes_[2] + lanes_[3]); }

 private:
  static constexpr std::size_t kLanes = 4;
  std::array<double, kLanes> lanes_ = {};
};

SigmoidSums block_sums(const Sample& sample, std::size_t block, double level, double width) {
  LaneSum value, derivative, total;
  std::array<double, kChunk> marginals;
  std::array<double, kChunk> weights;
  weights.fill(1);
  const double inverse = 1 / width;
  const std::size_t end = std::min(sample.size(), (block + 1) * kBlock);
  for (std::size_t begin = block * kBlock; begin < end; begin += kChunk) {
    const std::size_t count = std::min(kChunk, end - begin);
    for (std::size_t i = 0; i < count; ++i) {
      marginals[i] = (sample.losses[(begin + i) * sample.stride] - level) * inverse;
      if (!sample.weights.empty()) weights[i] = sample.weights[(begin + i) * sample.stride];
    }
    portable::sigmoid_in_place(std::span(marginals).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double part = weights[i] * marginals[i];
      value.add(i, part);
      derivative.add(i, part * (1 - marginals[i]));
      total.add(i, weights[i]);
    }
  }
  return {value.total(), derivative.total(), total.total()};
}

SigmoidSums sigmoid_sums(const Sample& sample, double level, double width, unsigned threads) {
  std::vector<SigmoidSums> blocks(block_count(sample.size()));
  for_each_block(blocks.size(), threads,
                 [&](std::size_t b) { blocks[b] = block_sums(sample, b, level, width); });
  SigmoidSums sums;
  for (const SigmoidSums& block : blocks) {
    sums.value += block.value;
    sums.derivative += block.derivative;
    sums.weight += block.weight;
  }
  return sums;
}

// Newton steps on the log-odds of the mean of sigma, which is nearly linear in the level, within a
// bracket. The mean falls from 1 to 0 as the level grows.
double find_level(const Sample& sample, double alpha, double width, double start,
                  unsigned threads) {
  constexpr int kMostSteps = 100;
  constexpr double kTolerance = 1e-10;
  // A step of s widths leaves a relative error below s^2 / 2: a short one needs no check.
  constexpr double kShortStep = 1e-4;
  const double wanted = std::log(alpha / (1 - alpha));
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double level = start;
  for (int step = 0; step < kMostSteps; ++step) {
    const SigmoidSums sums = sigmoid_sums(sample, level, width, threads);
    const double mean = sums.value / sums.weight;
    if (std::abs(mean - alpha) <= kTolerance * alpha) break;
    (mean > alpha ? low : high) = level;
    double next = mean > alpha ? level + width : level - width;
    if (mean > 0 && mean < 1 && sums.derivative > 0) {
      const double slope = sums.derivative / sums.weight / width / (mean * (1 - mean));
      next = level + (std::log(mean / (1 - mean)) - wanted) / slope;
    }
    const bool is_newton = next > low && next < high;
    if (!is_newton) {
      next = std::isinf(low)    ? high - 2 * std::max(width, std::abs(high - level))
             : std::isinf(high) ? low + 2 * std::max(width, std::abs(low - level))
                                : 0.5 * (low + high);
    }
    if (next == level) break;
    const bool is_short = is_newton && std::abs(next - level) <= kShortStep * width;
    level = next;
    if (is_short) break;
  }
  return level;
}

// Rounding to a multiple of a power of two leaves 22 bits of the largest value: adding a large
// number and subtracting it again rounds to the last place of that number.
class Grid {
 public:
  explicit Grid(double most) {
    if (!(most > 0)) return;
    int exponent = 0;
    (void)std::frexp(most, &exponent);
    constexpr int kBits = 22;
    large_ = std::ldexp(1.5, exponent - kBits + 52);
  }
  [[nodiscard]] float operator()(float value) const {
    return static_cast<float>((double{value} + large_) - large_);
  }

 private:
  double large_ = 0;
};

/// Second derivative in one score whose first derivative is known.
double second_derivative(LossKind kind, double derivative, bool is_target) {
  switch (kind) {
    case LossKind::logistic: {
      const double size = std::abs(derivative);
      return size * (1 - size);
    }
    case LossKind::softmax: {
      const double probability = derivative + (is_target ? 1.0 : 0.0);
      return 2 * probability * (1 - probability);  // bounds the matrix by its diagonal
    }
    default:
      return kind == LossKind::squared ? 2.0 : 1.0;
  }
}

// XGBoost's squared loss is half of ours, and its ridge on leaves is relative to that.
double unit_of(LossKind kind) { return kind == LossKind::squared ? 0.5 : 1.0; }

/// The rows' weights in the objective and how these grow with the loss.
class TailWeights {
 public:
  TailWeights(std::span<const double> losses, std::span<const double> weights,
              const BoostingRule& rule, unsigned threads)
      : rule_(rule) {
    if (!rule.for_tail || rule.alpha >= 1 || rule.gamma >= 1) return;
    const TailRisk risk =
        weights.empty() ? tail_risk(losses, rule.alpha) : tail_risk(losses, weights, rule.alpha);
    width_ = rule.temperature * risk.cvar;
    if (!(width_ > 0)) return;  // nothing is lost in the tail
    is_flat_ = false;
    level_ = matched_level(losses, weights, rule.alpha, width_, threads);
  }

  struct Weight {
    double value = 1;
    double growth = 0;
  };
  /// Replaces losses by their marginals.
  void to_marginals(std::span<double> losses) const {
    if (is_flat_) return;
    const double inverse = 1 / width_;
    for (double& loss : losses) loss = (loss - level_) * inverse;
    portable::sigmoid_in_place(losses);
  }
  [[nodiscard]] Weight of(double marginal) const {
    if (is_flat_) return {};
    const double share = (1 - rule_.gamma) * marginal / rule_.alpha;
    return {share + rule_.gamma, share * (1 - marginal) / width_};
  }

 private:
  BoostingRule rule_;
  bool is_flat_ = true;
  double width_ = 0;
  double level_ = 0;
};

}  // namespace

double matched_level(std::span<const double> losses, std::span<const double> weights, double alpha,
                     double width, unsigned threads) {
  Sample sample{losses, weights, std::max<std::size_t>(1, losses.size() / kSampled)};
  double level = 0;
  if (sample.stride == 1) {
    level = weights.empty() ? value_at_risk(losses, alpha) : value_at_risk(losses, weights, alpha);
  } else {
    std::vector<double> few;
    for (std::size_t i = 0; i < losses.size(); i += sample.stride) few.push_back(losses[i]);
    level = find_level(sample, alpha, width, value_at_risk(few, alpha), 1);
    sample.stride = 1;
  }
  return find_level(sample, alpha, width, level, threads);
}

double smoothed_cvar(std::span<const double> losses, std::span<const double> weights, double alpha,
                     double temperature) {
  const TailRisk risk =
      weights.empty() ? tail_risk(losses, alpha) : tail_risk(losses, weights, alpha);
  const double width = temperature * risk.cvar;
  if (!(width > 0) || alpha >= 1) return risk.cvar;
  const double level = matched_level(losses, weights, alpha, width);
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double z = (losses[i] - level) / width;
    const double weight = weights.empty() ? 1.0 : weights[i];
    sum += weight * (std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))));
    total += weight;
  }
  return level + width / alpha * sum / total;
}

BoostingObjective::BoostingObjective(const Dataset& rows, const Loss& loss,
                                     const BoostingRule& rule, unsigned threads)
    : rows_(rows),
      loss_(loss),
      rule_(rule),
      threads_(threads),
      outputs_(loss.outputs(rows.class_names.size())),
      total_weight_(rows.total_weight()),
      losses_(rows.rows),
      derivatives_(rows.rows * outputs_) {}

double BoostingObjective::evaluate(std::span<const float> margins) {
  const std::size_t blocks = block_count(rows_.rows);
  std::vector<double> sums(blocks);
  for_each_block(blocks, threads_, [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    const std::size_t count = std::min(kBlock, rows_.rows - begin);
    const auto derivatives = std::span(derivatives_).subspan(begin * outputs_, count * outputs_);
    const auto losses = std::span(losses_).subspan(begin, count);
    std::ranges::copy(margins.subspan(begin * outputs_, count * outputs_), derivatives.begin());
    loss_.evaluate(derivatives, std::span(rows_.targets).subspan(begin, count), losses,
                   derivatives);
    LaneSum sum;
    for (std::size_t i = 0; i < count; ++i) sum.add(i, rows_.weight(begin + i) * losses[i]);
    sums[block] = sum.total();
  });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  if (!std::isfinite(sum)) throw NumericalError("the loss of a training row is not finite");
  return sum / total_weight_;
}

namespace {

/// Largest first and second derivatives.
struct Most {
  float gradient = 0;
  float hessian = 0;

  void add(float first, float second) {
    gradient = std::abs(first) > gradient ? std::abs(first) : gradient;
    hessian = second > hessian ? second : hessian;
  }
  void add(const Most& other) { add(other.gradient, other.hessian); }
};

/// A chunk of rows with what their derivatives are made of.
struct DerivativeRows {
  std::span<const double> derivatives;  ///< outputs per row
  std::span<const double> targets;
  std::span<const double> weights;    ///< of the rows; empty: 1
  std::span<const double> marginals;  ///< see TailWeights
};

// A score per row, without branches inside: this takes most of the time.
template <LossKind kind>
Most write_scores(const DerivativeRows& rows, const TailWeights& tail, double unit,
                  float* gradients, float* hessians) {
  Most most;
  for (std::size_t i = 0; i < rows.derivatives.size(); ++i) {
    const double derivative = rows.derivatives[i];
    const TailWeights::Weight weight = tail.of(rows.marginals[i]);
    const double row = rows.weights.empty() ? unit : unit * rows.weights[i];
    const double second = second_derivative(kind, derivative, false);
    gradients[i] = static_cast<float>(row * weight.value * derivative);
    hessians[i] = static_cast<float>(
        row * (weight.value * second + weight.growth * (derivative * derivative)));
  }
  for (std::size_t i = 0; i < rows.derivatives.size(); ++i) most.add(gradients[i], hessians[i]);
  return most;
}

// The matrix of a row's second derivatives is bounded by a diagonal.
Most write_class_scores(const DerivativeRows& rows, std::size_t outputs, const TailWeights& tail,
                        double unit, float* gradients, float* hessians) {
  Most most;
  for (std::size_t i = 0; i < rows.targets.size(); ++i) {
    const TailWeights::Weight weight = tail.of(rows.marginals[i]);
    const double row = rows.weights.empty() ? unit : unit * rows.weights[i];
    const auto derivatives = rows.derivatives.subspan(i * outputs, outputs);
    double size = 0;
    for (const double derivative : derivatives) size += std::abs(derivative);
    for (std::size_t c = 0; c < outputs; ++c) {
      const double derivative = derivatives[c];
      const bool is_target = rows.targets[i] == static_cast<double>(c);
      const double second = second_derivative(LossKind::softmax, derivative, is_target);
      const std::size_t at = i * outputs + c;
      gradients[at] = static_cast<float>(row * weight.value * derivative);
      hessians[at] = static_cast<float>(
          row * (weight.value * second + weight.growth * std::abs(derivative) * size));
      most.add(gradients[at], hessians[at]);
    }
  }
  return most;
}

}  // namespace

double BoostingObjective::compute(std::span<const float> margins, std::span<float> gradients,
                                  std::span<float> hessians) {
  const double mean = evaluate(margins);
  const TailWeights tail(losses_, rows_.weights, rule_, threads_);
  const double unit = unit_of(loss_.kind());
  const auto write_chunk = [&](std::size_t begin, std::size_t count) {
    std::array<double, kChunk> marginals;
    std::copy_n(losses_.begin() + static_cast<std::ptrdiff_t>(begin), count, marginals.begin());
    tail.to_marginals(std::span(marginals).first(count));
    const DerivativeRows rows{
        .derivatives = std::span(derivatives_).subspan(begin * outputs_, count * outputs_),
        .targets = std::span(rows_.targets).subspan(begin, count),
        .weights = rows_.weights.empty() ? std::span<const double>()
                                         : std::span(rows_.weights).subspan(begin, count),
        .marginals = std::span(marginals).first(count)};
    float* const to_gradients = gradients.data() + begin * outputs_;
    float* const to_hessians = hessians.data() + begin * outputs_;
    if (outputs_ > 1) {
      return write_class_scores(rows, outputs_, tail, unit, to_gradients, to_hessians);
    }
    switch (loss_.kind()) {
      case LossKind::squared:
        return write_scores<LossKind::squared>(rows, tail, unit, to_gradients, to_hessians);
      case LossKind::logistic:
        return write_scores<LossKind::logistic>(rows, tail, unit, to_gradients, to_hessians);
      default:
        return write_scores<LossKind::absolute>(rows, tail, unit, to_gradients, to_hessians);
    }
  };
  const std::size_t blocks = block_count(rows_.rows);
  std::vector<Most> most(blocks);
  for_each_block(blocks, threads_, [&](std::size_t block) {
    const std::size_t end = std::min(rows_.rows, (block + 1) * kBlock);
    for (std::size_t begin = block * kBlock; begin < end; begin += kChunk) {
      most[block].add(write_chunk(begin, std::min(kChunk, end - begin)));
    }
  });
  Most largest;
  for (const Most& one : most) largest.add(one);
  const Grid gradient_grid(static_cast<double>(largest.gradient));
  const Grid hessian_grid(static_cast<double>(largest.hessian));
  for_each_block(blocks, threads_, [&](std::size_t block) {
    const std::size_t end = std::min(rows_.rows, (block + 1) * kBlock) * outputs_;
    for (std::size_t i = block * kBlock * outputs_; i < end; ++i) {
      gradients[i] = gradient_grid(gradients[i]);
      hessians[i] = hessian_grid(hessians[i]);
    }
  });
  return mean;
}

}  // namespace adacvar
