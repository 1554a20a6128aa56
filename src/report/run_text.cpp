#include <adacvar/report/run_text.hpp>

#include "run/trained_model.hpp"

#include "report/certificate_report.hpp"
#include "report/run_heading.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

using PartMember = std::optional<PartRisk> RunResult::*;

bool is_exact(const RunResult& result) {
  return result.model.parts().options.algorithm == Algorithm::exact;
}

std::string label_of(const RunResult& result, bool path) {
  std::string label =
      fmt::format("  {}", kAlgorithmNames.of(result.model.parts().options.algorithm));
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

// Gaps are shown for the training rows only.
std::vector<std::string> header_of(std::string name, bool classes, bool gaps) {
  std::vector<std::string> header = {std::move(name), "mean", "VaR", "CVaR"};
  if (classes) header.insert(header.end(), {"accuracy", "min prec."});
  header.emplace_back("seconds");
  if (gaps) header.emplace_back("gap");
  return header;
}

std::vector<std::string> row_of(const RunResult& result, const PartRisk& part, std::string label,
                                std::string_view mark) {
  std::vector<std::string> row = {std::move(label), number_text(part.risk.mean),
                                  number_text(part.risk.var),
                                  fmt::format("{}{}", number_text(part.risk.cvar), mark)};
  if (part.accuracy) {
    row.push_back(share_text(part.accuracy));
    row.push_back(share_text(part.min_class_precision));
  }
  row.push_back(fmt::format("{:.2f}", result.seconds));
  return row;
}

// One table for all sets of rows, so that their columns are aligned.
void add_part(const RunReport& report, PartMember member, std::string_view name, TextTable& table) {
  const std::optional<PartRisk>& first = report.results[0].*member;
  if (!first) return;
  const bool several = report.results.size() > 1;
  const bool path = is_path(report);
  const bool gaps = member == &RunResult::train && several && report.results[0].certificate;
  table.add(header_of(std::string(name), first->accuracy.has_value(), gaps));
  for (const RunResult& result : report.results) {
    const PartRisk& part = *(result.*member);
    const std::string_view mark = !several ? "" : part.best ? "*" : " ";
    auto row = row_of(result, part, label_of(result, path), mark);
    if (gaps) row.push_back(gap_text(result));
    table.add(std::move(row));
  }
}

std::string tuning_line(const RunResult& result) {
  const TrainOptions& options = result.model.parts().options;
  constexpr Names kOptimizers{"sgd", "adam"};
  const std::string accuracy =
      result.selected_by_accuracy && result.valid
          ? fmt::format(" by validation accuracy {}", share_text(result.valid->accuracy))
          : "";
  std::string line =
      fmt::format("{}: selected from {} runs{}: {}, learning rate {:g}",
                  kAlgorithmNames.of(options.algorithm), result.trials, accuracy,
                  kOptimizers.of(options.optimizer.kind), options.learning_rate.value_or(0.0));
  if (options.algorithm == Algorithm::adacvar) {
    line += options.sampler.eta
                ? fmt::format(", eta {:g}", *options.sampler.eta)
                : fmt::format(", eta-scale {:g}", options.sampler.eta_scale.value_or(1.0));
  }
  if (options.algorithm == Algorithm::soft)
    line += fmt::format(", temperature {:g}", options.temperature);
  return line + "\n";
}

}  // namespace

std::string run_text(const RunReport& report) {
  const RunResult& first = report.results.at(0);
  const TrainOptions& options = first.model.parts().options;
  const std::string alpha = is_path(report) ? "" : fmt::format("alpha {:g}, ", options.alpha);
  std::string text = run_heading(first, fmt::format("{}seed {}", alpha, options.seed)) + '\n';
  TextTable table;
  add_part(report, &RunResult::train, "training", table);
  add_part(report, &RunResult::valid, "validation", table);
  add_part(report, &RunResult::test, "test", table);
  text += table.text();
  if (report.results.size() > 1 && !is_exact(first)) {
    text += fmt::format("\n* least CVaR{}, or not significantly different (paired bootstrap)\n",
                        std::ranges::any_of(report.results, is_exact) ? " (except exact)" : "");
    if (first.certificate) text += "gap: certified distance from the least possible\n";
  } else if (first.certificate && report.results.size() == 1) {
    text += fmt::format(
        "\n{}\n", certificate_text(*first.certificate, options.ridge > 0 ? "training CVaR and ridge"
                                                                         : "training CVaR"));
  }
  if (first.trials > 1) text += '\n';
  for (const RunResult& result : report.results) {
    if (result.trials > 1) text += tuning_line(result);
  }
  return text;
}

}  // namespace adacvar
