#include "run/blend.hpp"

#include "learner/temperature.hpp"

#include <algorithm>

namespace adacvar {

namespace {

constexpr double kLeastTail = 20;  // rows, or their weight
constexpr double kMostAlpha = 0.1;
constexpr int kShares = 10;

}  // namespace

std::optional<double> judged_alpha(double alpha, const Dataset& held_out) {
  if (held_out.rows == 0) return std::nullopt;
  const double least = kLeastTail / held_out.total_weight();
  if (least > std::max(alpha, kMostAlpha)) return std::nullopt;
  return std::max(alpha, least);
}

BlendChoice choose_blend(const std::function<std::vector<double>(double share)>& scores_at,
                         const Dataset& held_out, const Loss& loss, const BlendRule& rule) {
  const auto factor_of = [&](const std::vector<double>& scores, const FactorRule& factor_rule) {
    return rule.has_factor ? best_factor(scores, held_out, loss, factor_rule) : 1.0;
  };
  const auto risk_of = [&](const std::vector<double>& scores, double factor) {
    return risk_with_factor(scores, held_out, loss, rule.alpha, factor);
  };
  BlendChoice choice;
  std::vector<double> scores = scores_at(0);
  choice.plain = risk_of(scores, factor_of(scores, {.risk = {rule.alpha, 1}}));
  const double most = (1 + rule.mean_budget) * choice.plain.mean;
  for (int k = 0; k <= (rule.is_plain ? 0 : kShares); ++k) {
    const double share = static_cast<double>(k) / kShares;
    if (k > 0) scores = scores_at(share);
    const double factor = factor_of(scores, {.risk = {rule.alpha, 0}, .most_mean = most});
    const TailRisk risk = risk_of(scores, factor);
    const bool is_better = risk.mean <= most && risk.cvar < choice.chosen.cvar;
    if (k == 0 || is_better) {
      choice.share = share;
      choice.factor = factor;
      choice.chosen = risk;
    }
  }
  return choice;
}

}  // namespace adacvar
