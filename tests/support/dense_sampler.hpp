#pragma once

#include <adacvar/sampler/adaptive_sampler.hpp>

#include "support/kdpp_twin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace adacvar::twin {

/// The adaptive sampler as its header defines it, in its plainest form: all log-weights in a
/// vector, the whole distribution recomputed for every batch. Cost: O(N) a bisection step, O(N k)
/// when exact.
class DenseSampler {
 public:
  DenseSampler(std::size_t size, const AdaptiveSamplerOptions& options,
               std::vector<double> weights = {})
      : o_(options),
        weights_(std::move(weights)),
        n_(static_cast<double>(size)),
        k_(std::max<std::size_t>(1,
                                 static_cast<std::size_t>(std::floor(options.alpha * n_ + 1e-9)))),
        x_(size, 0.0),
        scale_(options.loss_scale) {
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      share_.push_back(weights_.empty() ? 1 / n_ : weights_[i] / total);
    }
    update_distribution();
  }

  [[nodiscard]] const std::vector<double>& probabilities() const { return q_; }
  [[nodiscard]] double baseline() const { return baseline_; }
  [[nodiscard]] double scale() const { return scale_; }

  void observe(std::span<const Index> drawn, std::span<const double> losses) {
    std::vector<double> q;  // times N / share: what the formulas of N equal rows call q
    for (const Index i : drawn) q.push_back(q_[i] / share_[i] / n_);
    ++batches_;
    const bool first = batches_ == 1;
    if (first) {
      if (running()) scale_ = mean(losses);
      if (o_.estimator == Estimator::centred) baseline_ = weighted_quantile(losses, q);
    }
    std::vector<double> g;
    double squares = 0;
    for (std::size_t j = 0; j < drawn.size(); ++j) {
      g.push_back(estimate(losses[j]));
      squares += g[j] * g[j] / (n_ * q[j] + o_.epsilon);
    }
    draws_ += static_cast<double>(drawn.size());
    squares_ += squares;
    for (std::size_t j = 0; j < drawn.size(); ++j) {
      double& x = x_[drawn[j]];
      const double share = share_[drawn[j]];
      x = std::clamp(x + eta() * g[j] / (q_[drawn[j]] + o_.epsilon * share), -1e5, 1e5);
    }
    if (!first) follow(losses, q);
    update_distribution();
  }

  void discount(double factor) {
    for (double& x : x_) x *= factor;
    update_distribution();
  }

 private:
  static double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  [[nodiscard]] bool running() const {
    return o_.scale == LossScale::running ||
           (o_.scale == LossScale::automatic && o_.estimator == Estimator::centred);
  }

  [[nodiscard]] double estimate(double loss) const {
    if (scale_ == 0) return 0;
    if (o_.estimator == Estimator::gain) return std::clamp(loss / scale_, 0.0, 1.0);
    if (o_.estimator == Estimator::loss) return std::clamp(loss / scale_, 0.0, 1.0) - 1;
    return std::clamp((loss - baseline_) / scale_, -1.0, 1.0);
  }

  [[nodiscard]] double eta() const {
    double base = 0;
    if (o_.eta) {
      base = *o_.eta;
    } else {
      double horizon = o_.horizon > 0 ? static_cast<double>(o_.horizon) : 50 * n_;
      if (o_.schedule != EtaSchedule::constant) horizon = 1;
      base = o_.eta_scale.value_or(1.0) * std::sqrt(std::log(std::max(n_, 2.0)) / (n_ * horizon));
    }
    if (o_.schedule == EtaSchedule::inverse_sqrt) return base / std::sqrt(draws_);
    if (o_.schedule == EtaSchedule::adagrad) return base / std::sqrt(1 + squares_);
    return base;
  }

  // The largest loss l such that the losses above it have weight at most alpha, weights in
  // proportion to 1/q.
  [[nodiscard]] double weighted_quantile(std::span<const double> losses,
                                         const std::vector<double>& q) const {
    double total = 0;
    for (const double p : q) total += 1 / p;
    double answer = *std::ranges::max_element(losses);
    for (const double candidate : losses) {
      double above = 0;
      for (std::size_t j = 0; j < losses.size(); ++j) {
        if (losses[j] > candidate) above += 1 / q[j] / total;
      }
      if (above <= o_.alpha + 1e-12) answer = std::min(answer, candidate);
    }
    return answer;
  }

  void follow(std::span<const double> losses, const std::vector<double>& q) {
    if (running()) scale_ += (mean(losses) - scale_) / std::min(batches_, 100.0);
    if (o_.estimator != Estimator::centred) return;
    double share = 0;
    for (std::size_t j = 0; j < losses.size(); ++j) {
      if (losses[j] > baseline_) share += 1 / (n_ * q[j]) / static_cast<double>(losses.size());
    }
    const double pull = std::clamp(share / o_.alpha - 1, -1.0, 1.0);
    baseline_ = std::max(0.0, baseline_ + std::max(scale_, baseline_) * pull / 20);
  }

  void update_distribution() {
    if (!weights_.empty()) {
      const auto p = o_.alpha < 1 ? weighted_marginals(x_, weights_, o_.alpha)
                                  : std::vector<double>(x_.size(), 1.0);
      q_.resize(p.size());
      for (std::size_t i = 0; i < p.size(); ++i) {
        q_[i] = share_[i] * ((1 - o_.gamma) * p[i] / o_.alpha + o_.gamma);
      }
      return;
    }
    std::vector<double> p(x_.size(), 1.0);
    if (k_ < x_.size()) {
      p = o_.marginals == Marginals::exact ? exact_marginals(x_, k_) : matched_marginals(x_, k_);
    }
    q_.resize(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
      q_[i] = (1 - o_.gamma) * p[i] / static_cast<double>(k_) + o_.gamma / n_;
    }
  }

  AdaptiveSamplerOptions o_;
  std::vector<double> weights_;  // empty: all 1
  std::vector<double> share_;    // w_i / W
  double n_;
  std::size_t k_;
  std::vector<double> x_;
  std::vector<double> q_;
  double batches_ = 0;
  double draws_ = 0;
  double squares_ = 0;
  double baseline_ = 0;
  double scale_;
};

}  // namespace adacvar::twin
