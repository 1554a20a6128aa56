#include "learner/temperature.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace adacvar {

namespace {

constexpr double kMost = 4.1588830833596715;  // log 64
constexpr double kPrecision = 1e-6;           // of the logarithm of the factor

/// The minimiser in [-kMost, kMost] of a function with one minimum, by golden sections.
double minimiser(const std::function<double(double)>& function) {
  constexpr double kShare = 1 / std::numbers::phi;
  double low = -kMost;
  double high = kMost;
  double left = high - kShare * (high - low);
  double right = low + kShare * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  while (high - low > kPrecision) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kShare * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kShare * (high - low);
      at_right = function(right);
    }
  }
  return std::midpoint(low, high);
}

/// The point farthest from `inside`, towards `outside`, where a convex function is at most
/// `most`, as it is inside.
double last_below(const std::function<double(double)>& function, double inside, double outside,
                  double most) {
  if (function(outside) <= most) return outside;
  while (std::abs(outside - inside) > kPrecision) {
    const double middle = std::midpoint(inside, outside);
    (function(middle) <= most ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

TailRisk risk_with_factor(std::span<const double> scores, const Dataset& data, const Loss& loss,
                          double alpha, double factor) {
  std::vector<double> scaled(scores.begin(), scores.end());
  for (double& score : scaled) score *= factor;
  std::vector<double> losses(data.rows);
  loss.evaluate(scaled, data.targets, losses, scaled);
  return tail_risk(losses, data.weights, alpha);
}

double factor_within(double factor, std::span<const double> scores, const Dataset& data,
                     const Loss& loss, double alpha, const RiskLimit& limit) {
  const auto limited = [&](double logarithm) {
    return limit.value(risk_with_factor(scores, data, loss, alpha, std::exp(logarithm)));
  };
  return std::exp(last_below(limited, 0, std::log(factor), limit.most));
}

double least_mean(std::span<const double> scores, const Dataset& data, const Loss& loss) {
  const double factor = best_factor(scores, data, loss, {.risk = {1, 1}});
  return risk_with_factor(scores, data, loss, 1, factor).mean;
}

double best_factor(std::span<const double> scores, const Dataset& data, const Loss& loss,
                   const FactorRule& rule) {
  return best_factor(
      [&](double factor) { return risk_with_factor(scores, data, loss, rule.risk.alpha, factor); },
      rule);
}

double best_factor(const RiskOfFactor& risk, const FactorRule& rule) {
  const auto risk_at = [&](double logarithm) { return risk(std::exp(logarithm)); };
  const auto mean = [&](double logarithm) { return risk_at(logarithm).mean; };
  if (!rule.mean_budget && !rule.most_mean) {
    const double best = minimiser([&](double at) { return rule.risk.of(risk_at(at)); });
    return std::exp(rule.keeps_mean ? last_below(mean, 0, best, mean(0)) : best);
  }
  const double of_mean = minimiser(mean);
  const double least = mean(of_mean);
  const double most = rule.most_mean.value_or((1 + rule.mean_budget.value_or(0)) * least);
  if (least > most) return std::exp(of_mean);
  const double of_tail = minimiser([&](double at) { return risk_at(at).cvar; });
  return std::exp(last_below(mean, of_mean, of_tail, most));
}

}  // namespace adacvar
