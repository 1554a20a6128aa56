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

SigmoidSums block_sums(const Sample& sample, std::size_t block, double level, double width) {
  SigmoidSums sums;
  std::array<double, kChunk> values;
  const std::size_t end = std::min(sample.size(), (block + 1) * kBlock);
  for (std::size_t begin = block * kBlock; begin < end; begin += kChunk) {
    const std::size_t count = std::min(kChunk, end - begin);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = (sample.losses[(begin + i) * sample.stride] - level) / width;
    }
    portable::sigmoid_in_place(std::span(values).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double weight =
          sample.weights.empty() ? 1.0 : sample.weights[(begin + i) * sample.stride];
      sums.value += weight * values[i];
      sums.derivative += weight * values[i] * (1 - values[i]);
      sums.weight += weight;
    }
  }
  return sums;
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
    if (!(next > low && next < high)) {
      next = std::isinf(low)    ? high - 2 * std::max(width, std::abs(high - level))
             : std::isinf(high) ? low + 2 * std::max(width, std::abs(low - level))
                                : 0.5 * (low + high);
    }
    if (next == level) break;
    level = next;
  }
  return level;
}

// Rounding to a multiple of a power of two leaves 22 bits of the largest value.
class Grid {
 public:
  explicit Grid(double most) {
    if (!(most > 0)) return;
    int exponent = 0;
    (void)std::frexp(most, &exponent);
    step_ = std::ldexp(1.0, exponent - 22);
  }
  [[nodiscard]] float operator()(double value) const {
    return static_cast<float>(std::nearbyint(value / step_) * step_);
  }

 private:
  double step_ = 1;
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
    for (double& loss : losses) loss = (loss - level_) / width_;
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
      losses_(rows.rows),
      derivatives_(rows.rows * outputs_) {}

void BoostingObjective::evaluate(std::span<const float> margins) {
  for_each_block(block_count(rows_.rows), threads_, [&](std::size_t block) {
    const std::size_t begin = block * kBlock;
    const std::size_t count = std::min(kBlock, rows_.rows - begin);
    const auto derivatives = std::span(derivatives_).subspan(begin * outputs_, count * outputs_);
    std::ranges::copy(margins.subspan(begin * outputs_, count * outputs_), derivatives.begin());
    loss_.evaluate(derivatives, std::span(rows_.targets).subspan(begin, count),
                   std::span(losses_).subspan(begin, count), derivatives);
  });
}

double BoostingObjective::compute(std::span<const float> margins, std::span<float> gradients,
                                  std::span<float> hessians) {
  evaluate(margins);
  const std::span<const double> weights = rows_.weights;
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < rows_.rows; ++i) {
    sum += rows_.weight(i) * losses_[i];
    total += rows_.weight(i);
  }
  if (!std::isfinite(sum)) throw NumericalError("the loss of a training row is not finite");
  const TailWeights tail(losses_, weights, rule_, threads_);

  struct Most {
    double gradient = 0;
    double hessian = 0;
  };
  const std::size_t blocks = block_count(rows_.rows);
  std::vector<Most> most(blocks);
  const double unit = unit_of(loss_.kind());
  // Gradients stay in double until their largest is known; hessians are recomputed.
  const auto for_rows = [&](std::size_t block, const auto& use) {
    const std::size_t begin = block * kBlock;
    const std::size_t end = std::min(rows_.rows, begin + kBlock);
    std::array<double, kChunk> marginals;
    for (std::size_t first = begin; first < end; first += kChunk) {
      const auto part = std::span(marginals).first(std::min(kChunk, end - first));
      std::copy_n(losses_.begin() + static_cast<std::ptrdiff_t>(first), part.size(), part.begin());
      tail.to_marginals(part);
      for (std::size_t k = 0; k < part.size(); ++k) {
        const std::size_t i = first + k;
        const TailWeights::Weight weight = tail.of(part[k]);
        const double row = unit * rows_.weight(i);
        const auto derivatives = std::span(derivatives_).subspan(i * outputs_, outputs_);
        double size = 0;
        for (const double derivative : derivatives) size += std::abs(derivative);
        for (std::size_t c = 0; c < outputs_; ++c) {
          const double derivative = derivatives[c];
          const bool is_target = outputs_ > 1 && rows_.targets[i] == static_cast<double>(c);
          const double second = second_derivative(loss_.kind(), derivative, is_target);
          use(i * outputs_ + c, row * weight.value * derivative,
              row * (weight.value * second + weight.growth * std::abs(derivative) * size));
        }
      }
    }
  };
  for_each_block(blocks, threads_, [&](std::size_t block) {
    for_rows(block, [&](std::size_t, double gradient, double hessian) {
      most[block].gradient = std::max(most[block].gradient, std::abs(gradient));
      most[block].hessian = std::max(most[block].hessian, hessian);
    });
  });
  Most largest;
  for (const Most& one : most) {
    largest.gradient = std::max(largest.gradient, one.gradient);
    largest.hessian = std::max(largest.hessian, one.hessian);
  }
  const Grid gradient_grid(largest.gradient);
  const Grid hessian_grid(largest.hessian);
  for_each_block(blocks, threads_, [&](std::size_t block) {
    for_rows(block, [&](std::size_t at, double gradient, double hessian) {
      gradients[at] = gradient_grid(gradient);
      hessians[at] = hessian_grid(hessian);
    });
  });
  return sum / total;
}

}  // namespace adacvar
