#include "run/notes.hpp"

#include "base/join.hpp"

#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace adacvar {

namespace {

void note_small_tails(const PreparedData& data, double alpha, std::vector<std::string>& notes) {
  const auto note = [&](const Dataset& part, const std::string& rows) {
    if (part.rows == 0) return;
    std::string text = small_tail_note(part, alpha, rows);
    if (!text.empty()) notes.push_back(std::move(text));
  };
  note(data.train, "training rows");
  note(data.valid, "validation rows");
  note(data.test, "test rows");
}

// A comparison has a row with a mean budget; else the command that gives such a model.
std::string advice_of(const std::vector<RunResult>& results) {
  if (results.size() > 1) {
    const auto row = std::ranges::find_if(
        results, [](const RunResult& result) { return result.budget.has_value(); });
    return row == results.end()
               ? "Look at the accuracy, or set a mean budget: --mean-budget 5%"
               : fmt::format(
                     "The row '{}' has the smallest tail at a mean that is only so much larger",
                     row->label());
  }
  return "The same command with --mean-budget 5% gives the smallest tail at a price in the mean of "
         "5 %";
}

// Explains to users of a small alpha why the optimum is the uniform prediction.
void note_uniform_optimum(const std::vector<RunResult>& results,
                          std::vector<std::string>& headlines) {
  double even = 0;
  std::size_t classes = 0;
  std::vector<std::string> alphas;
  for (const RunResult& result : results) {
    if (!result.certificate || !result.model.parts().loss.has_probabilities()) continue;
    classes = result.model.parts().preprocessor.parts().class_names.size();
    even = std::log(static_cast<double>(classes));
    const double alpha = result.model.parts().options.alpha;
    const bool is_pure = result.model.parts().options.gamma == 0 && !result.budget;
    if (!is_pure || alpha == 1 || result.certificate->lower < even * (1 - 1e-4)) continue;
    std::string text = fmt::format("{:g}", alpha);
    if (std::ranges::find(alphas, text) == alphas.end()) alphas.push_back(std::move(text));
  }
  if (alphas.empty()) return;
  headlines.push_back(fmt::format(
      "at alpha = {} no linear model has a training CVaR below {:.4f} = log {}, that of giving "
      "every class the same probability: by this measure nothing can be learned. {}",
      join(alphas, ", "), even, classes, advice_of(results)));
}

void note_missed_limits(const std::vector<RunResult>& results, std::vector<std::string>& notes) {
  constexpr double kSlack = 0.01;
  for (const RunResult& result : results) {
    if (!result.budget || !result.is_trained()) continue;
    const BudgetOutcome& budget = *result.budget;
    if (budget.attained <= (1 + kSlack) * budget.limit.most) continue;
    notes.push_back(fmt::format(
        "{}: the {} of the {} rows is {:.4g}, {:.2g} % above its limit of {:.4g}; more epochs, or "
        "algorithm = exact, come nearer",
        result.label(), budget.limit.of == RiskLimit::Of::mean ? "mean" : "CVaR",
        budget.on_validation ? "validation" : "training", budget.attained,
        100 * (budget.attained / budget.limit.most - 1), budget.limit.most));
  }
}

// A network can learn its hardest training rows by heart: the tail of new rows then grows.
void note_memorised_tails(const std::vector<RunResult>& results,
                          std::vector<std::string>& headlines) {
  constexpr double kFactor = 2;
  for (const RunResult& result : results) {
    const TrainedModel& model = result.model.parts();
    const bool is_for_tail = model.options.algorithm != Algorithm::mean;
    if (model.networks() == nullptr || !is_for_tail || !result.valid || !result.is_trained())
      continue;
    const double training = result.train->risk.cvar;
    const double validation = result.valid->risk.cvar;
    if (!(validation > kFactor * training)) continue;
    headlines.push_back(fmt::format(
        "{}: the tail is being memorised: training CVaR {:.3g}, validation CVaR {:.3g}; {}",
        result.label(), training, validation,
        result.blend ? "a larger share of validation rows, --weight-decay or fewer epochs may help"
                     : "without --fine-tune 0 plain training bounds that"));
  }
}

// Where the validation rows cannot choose, trees are not mixed.
void note_plain_trees(const RunOptions& options, const std::vector<RunResult>& results,
                      std::vector<std::string>& notes) {
  if (options.train.risk().is_mean()) return;
  for (const RunResult& result : results) {
    const TrainedModel& model = result.model.parts();
    if (model.trees() == nullptr || model.options.algorithm == Algorithm::mean || result.blend ||
        !result.is_trained()) {
      continue;
    }
    const std::size_t rows = result.valid ? result.valid->rows : 0;
    notes.push_back(fmt::format(
        "{}: the trees are those of plain boosting: choosing how many trees for the tail to mix in "
        "takes 20 validation rows in the tail, at alpha = 0.1 or the larger one given, and there "
        "are {} in all; give them a larger share of split",
        result.label(), rows));
  }
}

bool is_exact(const RunResult& result) {
  return result.model.parts().options.algorithm == Algorithm::exact;
}

void note_missed_gap(const RunOptions& options, const std::vector<RunResult>& results,
                     std::vector<std::string>& notes) {
  if (!(options.solve.until_gap > 0) || !results[0].certificate) return;
  const StopReason reason = results[0].model.parts().stop_reason;
  if (reason != StopReason::epochs && reason != StopReason::patience) return;
  const double gap = results[0].certificate->relative_gap();
  notes.push_back(fmt::format("the gap of until-gap = {:g} was not reached in {} epochs{}",
                              options.solve.until_gap, results[0].epochs,
                              std::isfinite(gap) ? fmt::format(": it is {:.3g}", gap) : ""));
}

void note_endings(const std::vector<RunResult>& results, std::vector<std::string>& notes) {
  for (const RunResult& result : results) {
    const bool is_stopped = result.model.parts().stop_reason == StopReason::interrupted;
    if (is_exact(result) && is_stopped) {
      notes.push_back(
          "exact was stopped before it reached the tolerance; its certificate is still valid");
    } else if (is_stopped && result.epochs == 0 && results.size() > 1) {
      notes.push_back(fmt::format("{} was stopped before its first epoch ended: ignore its figures",
                                  result.label()));
    }
    if (result.model.parts().stop_reason == StopReason::not_attained) {
      notes.push_back(fmt::format(
          "the classes are separable: the CVaR approaches 0 as the weights grow, and no model "
          "attains it (here {:.3g}, norm of the parameters {:.3g}); use ridge > 0",
          result.train->risk.cvar, result.norm));
    }
    if (result.model.parts().stop_reason == StopReason::stalled) {
      notes.push_back(
          fmt::format("the exact solver stopped before it reached the tolerance; its certificate "
                      "is still valid (norm of the parameters {:.3g})",
                      result.norm));
    }
    if (result.model.parts().stop_reason != StopReason::diverged) continue;
    notes.push_back(fmt::format(
        "{} diverged after {} epochs: its last finite model with the least loss is "
        "kept; try a smaller learning rate{}",
        result.label(), result.epochs,
        result.no_certificate.empty() ? "" : ". No certificate: " + result.no_certificate));
  }
}

}  // namespace

std::vector<std::string> data_notes(const PreparedData& data, double alpha) {
  std::vector<std::string> notes = data.notes;
  note_small_tails(data, alpha, notes);
  return notes;
}

void add_result_notes(const RunOptions& options, RunReport& report) {
  note_endings(report.results, report.notes);
  note_plain_trees(options, report.results, report.notes);
  note_missed_gap(options, report.results, report.notes);
  note_missed_limits(report.results, report.headlines);
  note_uniform_optimum(report.results, report.headlines);
  note_memorised_tails(report.results, report.headlines);
}

std::string small_tail_note(const Dataset& data, double alpha, const std::string& rows) {
  RowWeightSums sums{.rows = data.rows, .total = data.total_weight()};
  if (!data.weights.empty()) sums.least = std::ranges::min(data.weights);
  return small_tail_note(sums, alpha, rows);
}

std::string small_tail_note(const RowWeightSums& sums, double alpha, const std::string& rows) {
  const double tail = alpha * sums.total;
  if (tail >= sums.least.value_or(1.0)) return {};
  const std::string share =
      sums.least ? fmt::format("the weight {:.6g} of {} {} is {:.3g}, less than that of any row",
                               sums.total, sums.rows, rows, tail)
                 : fmt::format("{} {} is {:.3g} rows, less than one", sums.rows, rows, tail);
  return fmt::format("alpha = {} of {}: the CVaR of these rows is their largest loss", alpha,
                     share);
}

std::string heavy_tail_note(const RiskEstimate& risk, double level, const std::string& rows) {
  return fmt::format(
      "the tail is too heavy for an interval: the losses of {} have a tail index of about {:.2g}, "
      "and from {:g} their variance is infinite; the intervals of mean and CVaR contain the true "
      "value less often than {:g} %",
      rows, risk.tail_index.value_or(0), kHeavyTailIndex, 100 * level);
}

}  // namespace adacvar
