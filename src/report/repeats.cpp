#include "report/repeats.hpp"

#include "run/trained_model.hpp"

#include "report/run_heading.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"

#include <fmt/core.h>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace adacvar {

namespace {

using RiskMember = std::optional<PartRisk> RunResult::*;
using SummaryMember = std::optional<RepeatedPart> RepeatedResult::*;

/// One set of rows, and its share of the split.
struct Part {
  std::string_view name;
  RiskMember risk;
  SummaryMember summary;
  double SplitShares::*share;
};

constexpr std::array kParts = {
    Part{"training", &RunResult::train, &RepeatedResult::train, &SplitShares::train},
    Part{"validation", &RunResult::valid, &RepeatedResult::valid, &SplitShares::valid},
    Part{"test", &RunResult::test, &RepeatedResult::test, &SplitShares::test}};

/// Collects `value` of the risks of result `i` over all reports.
template <class Value>
std::vector<double> over_repeats(std::span<const RunReport> reports, std::size_t i,
                                 const Part& part, const Value& value) {
  std::vector<double> values;
  for (const RunReport& report : reports) values.push_back(value(*(report.results[i].*part.risk)));
  return values;
}

std::vector<double> cvars(std::span<const RunReport> reports, std::size_t i, const Part& part) {
  return over_repeats(reports, i, part, [](const PartRisk& risk) { return risk.risk.cvar; });
}

RepeatedPart summarise(std::span<const RunReport> reports, std::size_t i, const Part& part) {
  const auto of = [&](const auto& value) { return mean_sd(over_repeats(reports, i, part, value)); };
  RepeatedPart summary{.mean = of([](const PartRisk& risk) { return risk.risk.mean; }),
                       .var = of([](const PartRisk& risk) { return risk.risk.var; }),
                       .cvar = of([](const PartRisk& risk) { return risk.risk.cvar; })};
  if ((reports[0].results[i].*part.risk)->accuracy) {
    summary.accuracy = of([](const PartRisk& risk) { return risk.accuracy.value(); });
    summary.min_class_precision =
        of([](const PartRisk& risk) { return risk.min_class_precision.value(); });
  }
  return summary;
}

// Correction of the variance 1 / R of a mean of R repeats for their overlapping rows.
double overlap(const RunReport& report, const Part& part) {
  const double share = report.results[0].model.parts().shares.*part.share;
  return share > 0 && share < 1 ? share / (1 - share) : 0;
}

bool is_told_apart(const MeanSd& difference, double error, std::size_t repeats) {
  if (error == 0) return difference.mean != 0;
  const boost::math::students_t student(static_cast<double>(repeats) - 1);
  return std::abs(difference.mean) / error > boost::math::quantile(student, 0.975);
}

void compare_part(std::span<const RunReport> reports, const Part& part,
                  std::span<RepeatedResult> results) {
  const auto is_compared = [](const RepeatedResult& result) {
    return result.algorithm != Algorithm::exact && result.failed_repeats == 0;
  };
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_compared(results[i])) continue;
    const auto mean = [&](std::size_t k) { return (results[k].*part.summary)->cvar.mean; };
    if (!least || mean(i) < mean(*least)) least = i;
  }
  if (!least) return;
  const std::vector<double> base = cvars(reports, *least, part);
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<double> differences = cvars(reports, i, part);
    std::ranges::transform(differences, base, differences.begin(), std::minus());
    RepeatedPart& summary = (results[i].*part.summary).value();
    summary.above_least = mean_sd(differences);
    summary.error = summary.above_least.sd *
                    std::sqrt(1 / static_cast<double>(reports.size()) + overlap(reports[0], part));
    summary.best = is_compared(results[i]) &&
                   !is_told_apart(summary.above_least, summary.error, reports.size());
  }
}

std::string value_text(const MeanSd& value) { return spread_text(value.mean, value.sd); }

std::string share_text(const MeanSd& share) {
  return fmt::format("{:.3f} ± {:.3f}", share.mean, share.sd);
}

/// Columns of a table.
struct Columns {
  bool var = true;
  bool precision = true;
  bool difference = true;
  bool mean = true;
};

std::string label_of(const RepeatedResult& result) {
  std::string label = "  " + result.label;
  if (result.failed_repeats > 0) label += fmt::format(" (failed: {})", result.failed_repeats);
  return label;
}

void add_part(std::span<const RepeatedResult> results, const Part& part, const Columns& columns,
              TextTable& table) {
  const std::optional<RepeatedPart>& first = results[0].*part.summary;
  if (!first) return;
  const bool classes = first->accuracy.has_value();
  std::vector<std::string> header = {std::string(part.name)};
  if (columns.mean) header.emplace_back("mean");
  if (columns.var) header.emplace_back("VaR");
  header.emplace_back("CVaR ");
  if (columns.difference) header.emplace_back("above the least");
  if (classes) header.emplace_back("accuracy");
  if (classes && columns.precision) header.emplace_back("min prec.");
  table.add(std::move(header));
  for (const RepeatedResult& result : results) {
    const RepeatedPart& summary = (result.*part.summary).value();
    std::vector<std::string> row = {label_of(result)};
    if (columns.mean) row.push_back(value_text(summary.mean));
    if (columns.var) row.push_back(value_text(summary.var));
    row.push_back(value_text(summary.cvar) + (summary.best ? "*" : " "));
    if (columns.difference) {
      row.push_back(summary.is_least() ? "" : spread_text(summary.above_least.mean, summary.error));
    }
    if (classes) row.push_back(share_text(*summary.accuracy));
    if (classes && columns.precision) row.push_back(share_text(*summary.min_class_precision));
    table.add(std::move(row));
  }
}

std::string fitting_table(std::span<const RepeatedResult> results) {
  TextTable table;
  for (const Columns& columns :
       {Columns{}, Columns{.var = false}, Columns{.var = false, .precision = false},
        Columns{.var = false, .precision = false, .mean = false},
        Columns{.var = false, .precision = false, .difference = false, .mean = false}}) {
    table = TextTable();
    for (const Part& part : kParts) add_part(results, part, columns, table);
    if (table.width() <= kTerminalWidth) break;
  }
  return table.text();
}

}  // namespace

std::vector<RepeatedResult> summarise_repeats(std::span<const RunReport> reports) {
  const std::vector<RunResult>& first = reports[0].results;
  std::vector<RepeatedResult> results(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    results[i].algorithm = first[i].model.parts().options.algorithm;
    results[i].label = first[i].label();
    results[i].title = result_title(first[i]);
    for (const RunReport& report : reports) {
      if (!report.results[i].is_trained()) ++results[i].failed_repeats;
      results[i].seconds += report.results[i].seconds / static_cast<double>(reports.size());
    }
  }
  for (const Part& part : kParts) {
    if (!(first[0].*part.risk)) continue;
    for (std::size_t i = 0; i < first.size(); ++i) {
      results[i].*part.summary = summarise(reports, i, part);
    }
    compare_part(reports, part, results);
  }
  return results;
}

std::string repeats_text(std::span<const RunReport> reports) {
  const RunResult& first = reports[0].results.at(0);
  const TrainOptions& options = first.model.parts().options;
  std::string text = run_heading(first, fmt::format("alpha {:g}", options.alpha));
  text +=
      fmt::format("{} seeds and splits, {} to {}: mean ± standard deviation\n\n", reports.size(),
                  options.seed, reports.back().results.at(0).model.parts().options.seed);
  const std::vector<RepeatedResult> results = summarise_repeats(reports);
  text += fitting_table(results);
  const bool exact = std::ranges::count(results, Algorithm::exact, &RepeatedResult::algorithm) > 0;
  text += fmt::format("\n* least CVaR{}, or not significantly different (paired t-test)\n",
                      exact ? " (except exact)" : "");
  return text + "above the least: mean difference ± its standard error\n";
}

}  // namespace adacvar
