#include "report/adjustment_lines.hpp"

#include "base/number_text.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <cmath>

namespace adacvar {

namespace {

std::string limit_line(const BudgetOutcome& budget, const TrainOptions& options) {
  const std::string rows = budget.on_validation ? "validation" : "training";
  const std::string gamma = options.algorithm == Algorithm::mean
                                ? std::string()
                                : fmt::format("; gamma {:.3g}", options.gamma);
  if (!budget.mean_budget) {
    return fmt::format("{} CVaR {}, limit {}{}", rows, number_text(budget.attained),
                       number_text(budget.limit.most), gamma);
  }
  const double change = budget.attained / budget.least - 1;
  return fmt::format(
      "mean budget {:g} %: {} mean {}, {:.2g} % {} that of plain training, {}{}{}",
      100 * *budget.mean_budget, rows, number_text(budget.attained), 100 * std::abs(change),
      change < 0 ? "below" : "above", number_text(budget.least),
      budget.least_interrupted ? " (interrupted: the least mean may be smaller)" : "", gamma);
}

// What the validation rows chose, and what it changes.
std::string blend_line(const RunResult& result) {
  const Blend& blend = *result.blend;
  const std::string alpha = blend.alpha == result.model.parts().options.alpha
                                ? std::string()
                                : fmt::format(" at alpha {:.3g}", blend.alpha);
  const std::string choice =
      blend.share == 0 ? "plain training"
      : blend.is_mix
          ? fmt::format("scores of two {}, {:.0f} % of that for the tail",
                        result.model.parts().trees() != nullptr ? "sets of trees" : "networks",
                        100 * blend.share)
          : fmt::format("weights {:.0f} % of the way from plain training to the tail",
                        100 * blend.share);
  const std::string temperature =
      result.calibration ? fmt::format(", temperature {:.3g}", result.calibration->temperature)
                         : std::string();
  return fmt::format(
      "{}{}: validation CVaR{} {} -> {}, mean {} -> {} ({:+.2g} %, budget {:g} %)", choice,
      temperature, alpha, number_text(blend.plain.cvar), number_text(blend.blended.cvar),
      number_text(blend.plain.mean), number_text(blend.blended.mean),
      100 * (blend.blended.mean / blend.plain.mean - 1), 100 * result.budget->mean_budget.value());
}

std::string factor_line(const RunResult& result) {
  const Calibration& found = *result.calibration;
  const TailRisk& after = result.valid->risk;
  return fmt::format("temperature {:.3g}: validation mean {} -> {}, CVaR {} -> {}",
                     found.temperature, number_text(found.before.mean), number_text(after.mean),
                     number_text(found.before.cvar), number_text(after.cvar));
}

}  // namespace

std::vector<std::string> adjustment_lines(const RunReport& report) {
  std::vector<std::string> lines;
  for (const RunResult& result : report.results) {
    const std::string label = report.results.size() > 1 ? result.label() + ": " : "";
    if (result.blend) {
      lines.push_back(label + blend_line(result));
    } else if (result.budget) {
      lines.push_back(label + limit_line(*result.budget, result.model.parts().options));
    }
    const bool is_changed = result.calibration && !result.blend &&
                            std::abs(result.calibration->temperature - 1) > 0.005;
    if (is_changed) lines.push_back(label + factor_line(result));
  }
  return lines;
}

}  // namespace adacvar
