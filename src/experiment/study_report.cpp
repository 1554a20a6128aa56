#include "experiment/study_report.hpp"

#include "base/number_text.hpp"
#include "experiment/paper.hpp"

#include "experiment/vision_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace adacvar {

namespace {

using MetricPair = std::array<Metric, 2>;

std::string figure_text(double mean, double sd) {
  const int digits = std::abs(mean) < 10 ? 3 : 2;
  return fmt::format("{:.{}f}±{:.{}f}", mean, digits, sd, digits);
}

ResultCell paper_cell(const Study& study, const std::string& set, const std::string& contestant,
                      Metric metric) {
  // The paper's algorithm is the variant gain.
  const std::string algorithm = contestant == "gain" ? "adacvar" : contestant;
  const PaperFigure* figure =
      find_paper_figure(study.table, set, algorithm, kMetricNames.of(metric));
  if (figure == nullptr) return {"–"};
  return {fmt::format("{:.2f}±{:.1f}", figure->mean, figure->sd), figure->best, figure->mean,
          figure->sd};
}

ResultCell our_cell(const Selected& selected, Metric metric, bool best) {
  if (selected.readings.empty()) return {"overflow"};
  const MeanSd figure = mean_sd(selected.test(metric));
  return {figure_text(figure.mean, figure.sd), best, figure.mean, figure.sd};
}

/// Two metrics of some sets, each beside the paper's values.
class ComparisonTable {
 public:
  ComparisonTable(const Summary& summary, std::string title, MetricPair metrics)
      : summary_(summary), metrics_(metrics), with_paper_(!summary.study.table.empty()) {
    table_.title = std::move(title);
    table_.header = {"set", "algorithm"};
    for (const Metric metric : metrics) {
      if (with_paper_) table_.header.push_back(fmt::format("paper {}", kMetricTitles.of(metric)));
      table_.header.push_back(
          fmt::format("{}{}", with_paper_ ? "our " : "", kMetricTitles.of(metric)));
    }
  }

  void add(std::size_t set) {
    std::array<std::vector<bool>, 2> best;
    for (std::size_t m = 0; m < 2; ++m) {
      best[m] =
          best_set(compared_scores(summary_, set, metrics_[m]), larger_is_better(metrics_[m]));
      best[m].resize(summary_.study.contestants.size());  // exact is last and not compared
    }
    const std::string& name = summary_.study.sets[set];
    for (std::size_t c = 0; c < summary_.study.contestants.size(); ++c) {
      const std::string& contestant = summary_.study.contestants[c].name;
      std::vector<ResultCell> row = {{name}, {contestant}};
      for (std::size_t m = 0; m < 2; ++m) {
        if (with_paper_) row.push_back(paper_cell(summary_.study, name, contestant, metrics_[m]));
        row.push_back(our_cell(summary_.of(set, c), metrics_[m], best[m][c]));
      }
      table_.rows.push_back(std::move(row));
    }
  }

  [[nodiscard]] ResultTable take() && {
    table_.notes.push_back(
        fmt::format("Test rows; mean±s.d. of {} {}; the best of each set, and those not "
                    "significantly different by a paired t-test (p > 0.05), are marked; the "
                    "paper's marks are its "
                    "own.",
                    summary_.study.seeds, repeats_of(summary_.study)));
    if (summary_.study.vision) table_.notes.push_back(network_text(summary_.study));
    return std::move(table_);
  }

 private:
  const Summary& summary_;
  MetricPair metrics_;
  bool with_paper_;
  ResultTable table_;
};

std::optional<ResultTable> comparison(const Summary& summary, bool regression, std::string title,
                                      MetricPair metrics) {
  ComparisonTable table(summary, std::move(title), metrics);
  bool any = false;
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    if (is_regression(summary.study.sets[set]) != regression) continue;
    table.add(set);
    any = true;
  }
  if (!any) return std::nullopt;
  return std::move(table).take();
}

ResultTable selection_table(const Summary& summary) {
  ResultTable table{.title = "Selected configurations",
                    .header = {"set", "algorithm", "configuration", "overflows"},
                    .rows = {},
                    .notes = {"Selected by the mean over the runs on the validation rows: CVaR "
                              "for regression, accuracy (then CVaR) for classes. Configurations "
                              "that diverged in a run are excluded."}};
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
      const Contestant& contestant = summary.study.contestants[c];
      if (!is_compared(contestant)) continue;
      const Selected& selected = summary.of(set, c);
      const std::string config = selected.readings.empty()
                                     ? "none"
                                     : config_text(contestant.configs[selected.config]) +
                                           (selected.early ? ", early" : "");
      table.rows.push_back({{summary.study.sets[set]},
                            {contestant.name},
                            {config},
                            {.text = fmt::format("{} of {}", selected.diverged, selected.runs),
                             .value = static_cast<double>(selected.diverged)}});
    }
  }
  return table;
}

const Selected* exact_of(const Summary& summary, std::size_t set) {
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    if (!is_compared(summary.study.contestants[c])) return &summary.of(set, c);
  }
  return nullptr;
}

/// Compares the selected models with the least possible CVaR on their training rows.
ResultTable training_table(const Summary& summary) {
  ResultTable table{.title = "Training CVaR over the certified optimum",
                    .header = {"set", "optimum"},
                    .rows = {},
                    .notes = {"Training rows of the models above, selected on validation rows; the "
                              "optimum is a certified lower bound, mean over the splits."}};
  for (const Contestant& contestant : summary.study.contestants) {
    if (is_compared(contestant)) table.header.push_back(contestant.name);
  }
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    const Selected& exact = *exact_of(summary, set);
    const double bound = exact.bound.value_or(0);
    std::vector<ResultCell> row = {{summary.study.sets[set]},
                                   {.text = fmt::format("{:.4g}", bound), .value = bound}};
    for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
      if (!is_compared(summary.study.contestants[c])) continue;
      const std::vector<double> cvars = summary.of(set, c).train(Metric::cvar);
      if (cvars.empty() || !(bound > 0)) {
        row.push_back({"–"});
      } else {
        const double times = mean_sd(cvars).mean / bound;
        row.push_back({.text = fmt::format("{:.3f}", times), .value = times});
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The table of tradeoff, which the paper does not have: one row per setting.
ResultTable tradeoff_table(const Summary& summary, std::size_t set) {
  const bool regression = is_regression(summary.study.sets[set]);
  std::vector<Metric> metrics = {Metric::cvar, Metric::mean};
  if (!regression) metrics.insert(metrics.begin(), Metric::accuracy);
  ResultTable table{
      .title = fmt::format("{}: trade-off over alpha and gamma", summary.study.sets[set]),
      .header = {"setting"},
      .rows = {},
      .notes = {
          fmt::format("Test rows; mean±s.d. of {} splits; defaults except for the setting. "
                      "The CVaR is that at alpha {:g} throughout; rows of gamma train at that "
                      "alpha.",
                      summary.study.seeds, summary.study.alpha)}};
  for (const Metric metric : metrics) table.header.emplace_back(kMetricTitles.of(metric));
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    std::vector<ResultCell> row = {{summary.study.contestants[c].name}};
    for (const Metric metric : metrics) row.push_back(our_cell(summary.of(set, c), metric, false));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_comparisons(const Summary& summary, const std::string& suffix,
                     std::vector<ResultTable>& tables) {
  const auto add = [&](bool regression, const std::string& title, MetricPair metrics) {
    if (auto table = comparison(summary, regression, title + suffix, metrics)) {
      tables.push_back(std::move(*table));
    }
  };
  const std::string alpha = fmt::format("alpha {:g}", summary.study.alpha);
  if (summary.study.vision) {
    add(false, summary.study.name + ": accuracy and least precision of a class",
        {Metric::accuracy, Metric::precision});
    add(false, fmt::format("{}: CVaR and mean of the softmax loss, {}", summary.study.name, alpha),
        {Metric::cvar, Metric::mean});
  } else if (summary.study.shift == Shift::none) {
    add(true, "Regression: CVaR and mean of the squared loss, " + alpha,
        {Metric::cvar, Metric::mean});
    add(false, "Classification: accuracy and least precision of a class",
        {Metric::accuracy, Metric::precision});
    add(false, "Classification: CVaR and mean of the logistic loss, " + alpha,
        {Metric::cvar, Metric::mean});
  } else {
    add(false, fmt::format("{}: accuracy and mean logistic loss, {}", summary.study.name, alpha),
        {Metric::accuracy, Metric::mean});
  }
}

}  // namespace

std::vector<ResultTable> study_tables(const Summary& summary, const Summary* plain) {
  std::vector<ResultTable> tables;
  if (is_tradeoff(summary.study)) {
    for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
      tables.push_back(tradeoff_table(summary, set));
    }
    return tables;
  }
  if (summary.study.vision && summary.study.vision->goal > 0) {
    tables.push_back(gradient_table(summary));
  }
  add_comparisons(summary, "", tables);
  if (exact_of(summary, 0) != nullptr) tables.push_back(training_table(summary));
  tables.push_back(selection_table(summary));
  if (plain != nullptr) {
    add_comparisons(*plain, " (equal budgets: 28 configurations for every algorithm)", tables);
  }
  return tables;
}

std::string cost_text(const Summary& summary) {
  std::uint64_t runs = 0;
  double seconds = 0;
  for (const auto& row : summary.selected) {
    for (const Selected& selected : row) {
      runs += selected.runs;
      seconds += selected.seconds;
    }
  }
  return fmt::format("{} runs of {}: {:.1f} minutes of processor time", count_text(runs),
                     summary.study.name, seconds / 60);
}

std::string study_csv(const Summary& summary) {
  std::string text =
      "set,algorithm,metric,paper_mean,paper_sd,paper_best,mean,sd,best,splits,runs,overflows,"
      "early_stopping,configuration\n";
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    const std::string& name = summary.study.sets[set];
    std::vector<Metric> metrics = {Metric::cvar, Metric::mean};
    if (!is_regression(name)) metrics.insert(metrics.end(), {Metric::accuracy, Metric::precision});
    for (const Metric metric : metrics) {
      auto best = best_set(compared_scores(summary, set, metric), larger_is_better(metric));
      best.resize(summary.study.contestants.size());
      if (is_tradeoff(summary.study)) best.assign(best.size(), false);  // settings are not compared
      for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
        const Contestant& contestant = summary.study.contestants[c];
        const Selected& selected = summary.of(set, c);
        const PaperFigure* paper = find_paper_figure(
            summary.study.table, name, contestant.name == "gain" ? "adacvar" : contestant.name,
            kMetricNames.of(metric));
        text += fmt::format("{},{},{},", name, contestant.name, kMetricNames.of(metric));
        text += paper != nullptr
                    ? fmt::format("{:g},{:g},{},", paper->mean, paper->sd, paper->best ? 1 : 0)
                    : ",,,";
        if (selected.readings.empty()) {
          text += ",,,";
        } else {
          const MeanSd figure = mean_sd(selected.test(metric));
          text += fmt::format("{:.6g},{:.6g},{},", figure.mean, figure.sd, best[c] ? 1 : 0);
        }
        const bool shown = is_compared(contestant) && !selected.readings.empty();
        text += fmt::format("{},{},{},{},\"{}\"\n", selected.readings.size(), selected.runs,
                            selected.diverged, shown ? (selected.early ? "1" : "0") : "",
                            shown ? config_text(contestant.configs[selected.config]) : "");
      }
    }
  }
  return text;
}

}  // namespace adacvar
