#include <adacvar/report/run_text.hpp>

#include "run/trained_model.hpp"

#include "report/adjustment_lines.hpp"
#include "report/certificate_report.hpp"
#include "report/coefficient_report.hpp"
#include "report/confusion_report.hpp"
#include "report/importance_report.hpp"
#include "report/run_heading.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

using PartMember = std::optional<PartRisk> RunResult::*;

bool is_exact(const RunResult& result) {
  return result.model.parts().options.algorithm == Algorithm::exact;
}

std::string label_of(const RunResult& result, bool path) {
  std::string label = "  " + result.label();
  if (path) label += fmt::format(", alpha {:g}", result.model.parts().options.alpha);
  if (result.model.parts().stop_reason == StopReason::diverged) label += " (diverged)";
  return label;
}

std::string gap_text(const RunResult& result) {
  const auto gap = relative_gap(result.certificate);
  return gap ? percent_text(*gap) : "";
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.3f}", *share) : "";
}

/// Columns that are left out where lines would be too long; --json has them.
struct Columns {
  bool precision = true;
  bool auc = true;
};

// Gaps are shown for the training rows only.
std::vector<std::string> header_of(std::string name, bool classes, bool gaps,
                                   const Columns& columns) {
  std::vector<std::string> header = {std::move(name), "mean", "VaR", "CVaR"};
  if (classes) header.emplace_back("accuracy");
  if (classes && columns.precision) header.emplace_back("min prec.");
  if (classes && columns.auc) header.emplace_back("AUC");
  header.emplace_back("seconds");
  if (gaps) header.emplace_back("gap");
  return header;
}

std::vector<std::string> row_of(const RunResult& result, const PartRisk& part, std::string label,
                                std::string_view mark, const Columns& columns) {
  std::vector<std::string> row = {std::move(label), number_text(part.risk.mean),
                                  number_text(part.risk.var),
                                  fmt::format("{}{}", number_text(part.risk.cvar), mark)};
  if (part.accuracy) {
    row.push_back(share_text(part.accuracy));
    if (columns.precision) row.push_back(share_text(part.min_class_precision));
    if (columns.auc) row.push_back(share_text(part.auc));
  }
  row.push_back(fmt::format("{:.2f}", result.seconds));
  return row;
}

// One table for all sets of rows, so that their columns are aligned.
void add_part(const RunReport& report, PartMember member, std::string_view name,
              const Columns& columns, TextTable& table) {
  const std::optional<PartRisk>& first = report.results[0].*member;
  if (!first) return;
  const bool several = report.results.size() > 1;
  const bool path = is_path(report);
  const bool gaps = member == &RunResult::train && several && report.results[0].certificate;
  table.add(header_of(std::string(name), first->accuracy.has_value(), gaps, columns));
  for (const RunResult& result : report.results) {
    const PartRisk& part = *(result.*member);
    const std::string_view mark = !several ? "" : part.best ? "*" : " ";
    auto row = row_of(result, part, label_of(result, path), mark, columns);
    if (gaps) row.push_back(gap_text(result));
    table.add(std::move(row));
  }
}

TextTable fitting_table(const RunReport& report) {
  TextTable table;
  for (const Columns& columns :
       {Columns{}, Columns{.precision = false}, Columns{.precision = false, .auc = false}}) {
    table = TextTable();
    add_part(report, &RunResult::train, "training", columns, table);
    add_part(report, &RunResult::valid, "validation", columns, table);
    add_part(report, &RunResult::test, "test", columns, table);
    if (table.width() <= kTerminalWidth) break;
  }
  return table;
}

std::string tree_setting(const TreeOptions& trees) {
  return fmt::format("depth {}, tree-rate {:g}, min-leaf-weight {:g}", trees.depth, trees.tree_rate,
                     trees.min_leaf_weight);
}

std::string tuning_line(const RunResult& result) {
  const TrainOptions& options = result.model.parts().options;
  const std::string accuracy =
      result.selected_by_accuracy && result.valid
          ? fmt::format(" by validation accuracy {}", share_text(result.valid->accuracy))
          : "";
  std::string line =
      fmt::format("{}: selected from {} runs{}: ", result.label(), result.trials, accuracy);
  if (options.trees.trees) return line + tree_setting(options.trees) + "\n";
  line += fmt::format("{}, learning rate {:g}", kOptimizerNames.of(options.optimizer.kind),
                      options.learning_rate.value_or(0.0));
  if (options.algorithm == Algorithm::adacvar) {
    line += options.sampler.eta
                ? fmt::format(", eta {:g}", *options.sampler.eta)
                : fmt::format(", eta-scale {:g}", options.sampler.eta_scale.value_or(1.0));
  }
  if (options.gamma > 0) line += fmt::format(", gamma {:g}", options.gamma);
  if (options.algorithm == Algorithm::soft)
    line += fmt::format(", temperature {:g}", options.temperature);
  return line + "\n";
}

// The quantity that the certificate bounds.
std::string certified_risk(const RunResult& result) {
  const TrainOptions& options = result.model.parts().options;
  const bool is_limited = result.budget && !result.budget->on_validation;
  std::string name =
      is_limited ? fmt::format("training {} within the limit",
                               result.budget->limit.of == RiskLimit::Of::mean ? "CVaR" : "mean")
      : options.gamma > 0
          ? fmt::format("training {:g} CVaR + {:g} mean", 1 - options.gamma, options.gamma)
          : std::string("training CVaR");
  return options.ridge > 0 ? name + " and ridge" : name;
}

std::string adjustments_text(const RunReport& report) {
  std::string text;
  for (const std::string& line : adjustment_lines(report)) {
    text += wrap(line, kTerminalWidth, 2) + '\n';
  }
  const bool follows_table = report.results.size() > 1 || !report.results[0].certificate;
  return follows_table && !text.empty() ? "\n" + text : text;
}

// Confusion matrix and coefficients of a single model.
std::string model_text(const RunResult& result) {
  const auto& [part, rows] = result.test    ? std::pair(*result.test, "test rows")
                             : result.valid ? std::pair(*result.valid, "validation rows")
                                            : std::pair(result.train.value(), "training rows");
  std::string text;
  if (!part.confusion.empty()) {
    text += '\n' + confusion_text({part.confusion, result.model.classes()}, rows);
  }
  if (const auto coefficients = scaled_coefficients(result.model)) {
    text += '\n' + coefficients_text(*coefficients);
  }
  if (result.model.parts().trees() != nullptr) {
    text += '\n' + importance_text(result.model.importance());
  }
  return text;
}

}  // namespace

std::string run_text(const RunReport& report) {
  const RunResult& first = report.results.at(0);
  const TrainOptions& options = first.model.parts().options;
  const std::string alpha = is_path(report) ? "" : fmt::format("alpha {:g}, ", options.alpha);
  std::string text = run_heading(first, fmt::format("{}seed {}", alpha, options.seed)) + '\n';
  text += fitting_table(report).text();
  if (report.results.size() > 1 && !is_exact(first)) {
    text += fmt::format("\n* least CVaR{}, or not significantly different (paired bootstrap)\n",
                        std::ranges::any_of(report.results, is_exact) ? " (except exact)" : "");
    if (first.certificate) text += "gap: certified distance from the least possible\n";
  } else if (first.certificate && report.results.size() == 1) {
    text += '\n' +
            wrap(certificate_text(*first.certificate, certified_risk(first)), kTerminalWidth, 2) +
            '\n';
  }
  if (first.train && first.train->auc && first.model.classes().size() > 2) {
    text += fmt::format("{}AUC: mean over the classes of one versus rest\n",
                        report.results.size() == 1 && !first.certificate ? "\n" : "");
  }
  text += adjustments_text(report);
  if (first.trials > 1) text += '\n';
  for (const RunResult& result : report.results) {
    if (result.trials > 1) text += tuning_line(result);
  }
  if (report.results.size() == 1) text += model_text(first);
  return text;
}

}  // namespace adacvar
