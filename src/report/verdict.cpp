#include "report/verdict.hpp"

#include "base/join.hpp"
#include "run/trained_model.hpp"

#include "report/certificate_report.hpp"
#include "report/run_heading.hpp"

#include <adacvar/risk/cvar.hpp>
#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

const RunResult* find(const RunReport& report, Algorithm algorithm) {
  const auto found = std::ranges::find_if(report.results, [&](const RunResult& result) {
    return result.model.parts().options.algorithm == algorithm;
  });
  return found == report.results.end() ? nullptr : &*found;
}

std::string tail_text(double alpha, const std::string& part) {
  return fmt::format("the worst {:g} % of the {} rows", 100 * alpha, part);
}

// A large gap may be due to the model or to the bound.
std::string certified_text(const std::optional<Certificate>& certificate, const std::string& whose,
                           const std::string& rows) {
  if (certificate && certificate->is_perfect_fit()) {
    return fmt::format(" {} CVaR of the {} rows is 0 up to rounding.", whose, rows);
  }
  if (!certificate || std::isinf(certificate->relative_gap())) return {};
  const double gap = certificate->relative_gap();
  if (gap > 1) {
    return fmt::format(" {} CVaR of the {} rows is {:.3g} times the certified lower bound.", whose,
                       rows, 1 + gap);
  }
  if (gap > 0.1) {
    return fmt::format(" {} CVaR of the {} rows is at most {} above that of the best linear model.",
                       whose, rows, percent_text(gap));
  }
  return fmt::format(" {} CVaR of the {} rows is certified within {} of the best linear model's.",
                     whose, rows, gap < 1e-4 ? "0.01 %" : percent_text(gap));
}

// `, 4.9 times the mean over all rows, 0.0116`.
std::string times_mean(double cvar, double mean) {
  if (!(mean > 0)) return fmt::format("; over all rows it is {}", number_text(mean));
  if (std::abs(cvar / mean - 1) < 0.05) {
    return fmt::format(", about the mean over all rows, {}", number_text(mean));
  }
  return fmt::format(", {:.2g} times the mean over all rows, {}", cvar / mean, number_text(mean));
}

std::string accuracy_text(const PartRisk& risk) {
  return risk.accuracy ? fmt::format(" Accuracy {:.3f}.", *risk.accuracy) : "";
}

// Names the algorithms not significantly different from Ada-CVaR, which has the least CVaR.
std::string similar_text(const RunReport& report, const RunResult& ada) {
  std::vector<std::string> names;
  for (const RunResult& result : report.results) {
    const Algorithm algorithm = result.model.parts().options.algorithm;
    const bool is_other =
        (algorithm != Algorithm::adacvar && algorithm != Algorithm::mean) || result.budget;
    if (is_other && &result != &ada && detailed_risk(result).best)
      names.push_back(result_title(result));
  }
  if (names.empty()) return {};
  return fmt::format(" {} {} not significantly different from Ada-CVaR on the {} rows.",
                     join(names, " and "), names.size() > 1 ? "are" : "is",
                     report.results[0].detail->part);
}

// Names the algorithm with the least CVaR if it is not Ada-CVaR.
std::string better_text(const RunReport& report, const RunResult& ada) {
  const RunResult* best = &ada;
  for (const RunResult& result : report.results) {
    if (result.is_candidate() && detailed_risk(result).risk.cvar < detailed_risk(*best).risk.cvar) {
      best = &result;
    }
  }
  if (best == &ada) return similar_text(report, ada);
  const std::string change =
      change_than_text(detailed_risk(*best).risk.cvar, detailed_risk(ada).risk.cvar);
  if (change.starts_with("the same")) return {};
  if (best->model.parts().options.algorithm == Algorithm::mean) {
    return " No other algorithm has a lower CVaR there than the mean-trained model.";
  }
  return fmt::format(" {} has the least CVaR there, {} Ada-CVaR's{}.", result_title(*best), change,
                     detailed_risk(ada).best ? ", but not significantly different" : "");
}

// By a paired bootstrap over the rows; empty without losses.
std::string significance_text(const RunResult& ada, const RunResult& mean) {
  const std::vector<std::vector<double>> losses = {ada.detail->losses, mean.detail->losses};
  if (losses[0].empty() || losses[0].size() != losses[1].size()) return {};
  const TrainOptions& options = ada.model.parts().options;
  const auto found = compare_cvar(losses, 1, options.alpha, {.seed = options.seed});
  return found[0].is_told_apart() ? "" : " (not significant by a paired bootstrap)";
}

std::string comparison(const RunReport& report, const RunResult& ada, const RunResult& mean) {
  const PartRisk& one = detailed_risk(ada);
  const PartRisk& other = detailed_risk(mean);
  std::string text =
      fmt::format("On {} Ada-CVaR's loss is {} the mean-trained model's{}; on average it is {}.",
                  tail_text(ada.model.parts().options.alpha, ada.detail->part),
                  change_than_text(one.risk.cvar, other.risk.cvar), significance_text(ada, mean),
                  change_text(one.risk.mean, other.risk.mean));
  if (one.accuracy && other.accuracy) {
    text += fmt::format(" Its accuracy is {:.3f}, that of the other {:.3f}.", *one.accuracy,
                        *other.accuracy);
  }
  return text + certified_text(ada.certificate, "Its", "training") + better_text(report, ada);
}

// The row under a mean budget or CVaR limit, if there is one.
std::string budget_comparison(const RunReport& report, const RunResult& mean) {
  const auto found = std::ranges::find_if(
      report.results, [](const RunResult& result) { return result.budget && result.is_trained(); });
  if (found == report.results.end()) return {};
  const PartRisk& one = detailed_risk(*found);
  const PartRisk& other = detailed_risk(mean);
  std::string text = fmt::format(
      "{}: on {} the loss is {} the mean-trained model's{}; on average it is {}",
      result_title(*found), tail_text(found->model.parts().options.alpha, found->detail->part),
      change_than_text(one.risk.cvar, other.risk.cvar), significance_text(*found, mean),
      change_text(one.risk.mean, other.risk.mean));
  if (one.accuracy) text += fmt::format(", with an accuracy of {:.3f}", *one.accuracy);
  return text + ".";
}

// The tail costs so much on average that hardly anyone would take the model.
bool is_useless(const RunResult& ada, const RunResult& mean) {
  const PartRisk& one = detailed_risk(ada);
  const PartRisk& other = detailed_risk(mean);
  return one.risk.mean > 1.25 * other.risk.mean ||
         (one.accuracy && *one.accuracy < *other.accuracy - 0.05);
}

std::string single_verdict(const RunResult& result) {
  const PartRisk& risk = detailed_risk(result);
  const bool exact = result.model.parts().options.algorithm == Algorithm::exact;
  return fmt::format("On {} the loss of {} is {}{}.{}{}",
                     tail_text(result.model.parts().options.alpha, result.detail->part),
                     exact && !result.budget ? "the exact optimum" : result_title(result),
                     number_text(risk.risk.cvar), times_mean(risk.risk.cvar, risk.risk.mean),
                     accuracy_text(risk), certified_text(result.certificate, "The", "training"));
}

std::string interval_text(const Interval& interval) {
  return fmt::format("{} to {}", number_text(interval.low), number_text(interval.high));
}

std::string hardest_group(const Evaluation& evaluation) {
  if (evaluation.groups.size() < 2) return {};
  const std::size_t own = own_alpha(evaluation);
  const RiskTable* hardest = nullptr;
  for (const RiskTable& group : evaluation.groups) {
    const RiskEstimate& risk = group.risk.at(own);
    if (!risk.reliable) continue;
    if (hardest == nullptr || risk.cvar > hardest->risk[own].cvar) hardest = &group;
  }
  if (hardest == nullptr) {
    return fmt::format(
        " No group of {} has 10 rows in its tail, so the hardest group is not named.",
        evaluation.group_column);
  }
  return fmt::format(" Hardest is {} = {}, with a CVaR of {} (interval {}).",
                     evaluation.group_column, hardest->name, number_text(hardest->risk[own].cvar),
                     interval_text(hardest->risk[own].cvar_interval));
}

std::string tail_limits(const RiskEstimate& risk) {
  if (!risk.reliable) return " With fewer than 10 rows in the tail the interval is not reliable.";
  return risk.heavy_tail() ? " The tail is too heavy for a reliable interval." : "";
}

// Names the algorithm with the least mean CVaR and those not significantly different.
std::string least_text(std::span<const RepeatedResult> results,
                       std::optional<RepeatedPart> RepeatedResult::*part) {
  std::string least;
  std::vector<std::string> others;
  for (const RepeatedResult& result : results) {
    const RepeatedPart& summary = (result.*part).value();
    if (!summary.best) continue;
    if (summary.is_least() && least.empty()) {
      least = result.title;
    } else {
      others.push_back(result.title);
    }
  }
  if (least.empty()) return {};
  if (others.empty()) return fmt::format(" {} has the least CVaR there.", least);
  return fmt::format(" {} has the least CVaR there; not significantly different: {}.", least,
                     join(others, ", "));
}

// Compares the smallest with the largest tail share: the gain in the tail, the cost on average.
std::string path_text(const RunReport& report) {
  const auto [least, most] = std::ranges::minmax_element(
      report.results, {},
      [](const RunResult& result) { return result.model.parts().options.alpha; });
  const double alpha = least->model.parts().options.alpha;
  const auto in_tail = [&](const RunResult& result) { return cvar(result.detail->losses, alpha); };
  return fmt::format(
      "On {} the exact optimum of tail share {:g} has a loss {} that of tail share {:g}; on "
      "average "
      "it is {}.{}",
      tail_text(alpha, least->detail->part), alpha,
      change_than_text(in_tail(*least), in_tail(*most)), most->model.parts().options.alpha,
      change_text(detailed_risk(*least).risk.mean, detailed_risk(*most).risk.mean),
      certified_text(least->certificate, "Its", "training"));
}

}  // namespace

std::string algorithm_title(Algorithm algorithm) {
  constexpr Names kTitles{"Ada-CVaR", "Trunc-CVaR", "Soft-CVaR", "Mean", "Exact optimum"};
  return std::string(kTitles.of(algorithm));
}

std::string result_title(const RunResult& result) {
  if (result.model.parts().stack() != nullptr) return "best";
  std::string title = algorithm_title(result.model.parts().options.algorithm);
  if (!result.budget) return title;
  if (const auto share = result.budget->mean_budget) {
    return fmt::format("{}, mean +{:g} %", title, 100 * *share);
  }
  return fmt::format("{}, CVaR at most {}", title, number_text(result.budget->limit.most));
}

bool is_path(const RunReport& report) {
  return std::ranges::any_of(report.results, [&](const RunResult& result) {
    return result.model.parts().options.alpha != report.results[0].model.parts().options.alpha;
  });
}

std::string rows_name(const Evaluation& evaluation) {
  const std::string& part = evaluation.detail.part;
  return part.empty() || part == "all" ? "rows" : part + " rows";
}

const PartRisk& detailed_risk(const RunResult& result) {
  const std::string& part = result.detail.value().part;
  if (part == "test") return result.test.value();
  return part == "validation" ? result.valid.value() : result.train.value();
}

std::string change_text(double value, double reference) {
  const double change = value / reference - 1;
  if (!std::isfinite(change) || reference < 0) {
    return value < reference ? "lower" : value > reference ? "higher" : "the same";
  }
  if (std::abs(change) < 5e-4) return "the same";
  if (change > 9) return fmt::format("{:.3g} times as high", change + 1);
  const double percent = 100 * std::abs(change);
  return fmt::format("{} % {}",
                     percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent),
                     change < 0 ? "lower" : "higher");
}

std::string change_than_text(double value, double reference) {
  const std::string change = change_text(value, reference);
  return change + (change.ends_with("lower") || change.ends_with("higher") ? " than" : " as");
}

std::string verdict(const RunReport& report) {
  const RunResult* ada = find(report, Algorithm::adacvar);
  const RunResult* mean = find(report, Algorithm::mean);
  if (ada != nullptr && mean != nullptr) {
    for (const RunResult* result : {ada, mean}) {
      if (result->is_trained()) continue;
      return fmt::format("No verdict: {} {}.",
                         algorithm_title(result->model.parts().options.algorithm),
                         result->model.parts().stop_reason == StopReason::diverged
                             ? "diverged"
                             : "was stopped before its first epoch ended");
    }
    const std::string within = ada->budget ? "" : budget_comparison(report, *mean);
    const std::string pure = comparison(report, *ada, *mean);
    if (within.empty()) return pure;
    return is_useless(*ada, *mean) ? within + " Without a limit on the mean: " + pure
                                   : pure + " " + within;
  }
  return is_path(report) ? path_text(report) : single_verdict(report.results.at(0));
}

std::string verdict(std::span<const RepeatedResult> results, std::size_t repeats, double alpha) {
  const RepeatedResult& any = results[0];
  const auto part = any.test    ? &RepeatedResult::test
                    : any.valid ? &RepeatedResult::valid
                                : &RepeatedResult::train;
  const std::string rows = any.test ? "test" : any.valid ? "validation" : "training";
  const auto of = [&](Algorithm algorithm) -> const RepeatedPart& {
    const auto found = std::ranges::find(results, algorithm, &RepeatedResult::algorithm);
    return ((*found).*part).value();
  };
  const RepeatedPart& ada = of(Algorithm::adacvar);
  const RepeatedPart& mean = of(Algorithm::mean);
  return fmt::format(
      "Over {} seeds and splits, on {} Ada-CVaR's loss is {}, {} the mean-trained model's, {}; "
      "on average it is {}.{}",
      repeats, tail_text(alpha, rows), spread_text(ada.cvar.mean, ada.cvar.sd),
      change_than_text(ada.cvar.mean, mean.cvar.mean), spread_text(mean.cvar.mean, mean.cvar.sd),
      change_text(ada.mean.mean, mean.mean.mean), least_text(results, part));
}

std::string verdict(const Evaluation& evaluation) {
  const RiskEstimate& risk = evaluation.all.risk.at(own_alpha(evaluation));
  const std::string rows =
      fmt::format("{} {}", count_text(evaluation.all.rows), rows_name(evaluation));
  std::string text =
      risk.alpha == 1
          ? fmt::format("On average over {} the loss is {} ({:g} % interval {}).", rows,
                        number_text(risk.mean), 100 * evaluation.level,
                        interval_text(risk.mean_interval))
          : fmt::format("On the worst {:g} % of {} the loss is {} ({:g} % interval {}){}.",
                        100 * risk.alpha, rows, number_text(risk.cvar), 100 * evaluation.level,
                        interval_text(risk.cvar_interval), times_mean(risk.cvar, risk.mean));
  text += tail_limits(risk);
  if (evaluation.all.accuracy) text += fmt::format(" Accuracy {:.3f}.", *evaluation.all.accuracy);
  text += hardest_group(evaluation);
  return text + certified_text(evaluation.certificate, "The", "evaluated");
}

}  // namespace adacvar
