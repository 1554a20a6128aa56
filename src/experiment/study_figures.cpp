#include "experiment/study_report.hpp"

#include "experiment/vision_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace adacvar {

namespace {

std::vector<std::string> compared_names(const Study& study) {
  std::vector<std::string> names;
  for (const Contestant& contestant : study.contestants) {
    if (is_compared(contestant)) names.push_back(contestant.name);
  }
  return names;
}

/// The sets of one task and their metrics.
struct Panel {
  std::string stem;
  std::string title;
  std::vector<std::size_t> sets;
  std::vector<Metric> metrics;
};

std::vector<Panel> panels_of(const Study& study) {
  Panel regression{"regression", "Regression", {}, {Metric::cvar, Metric::mean}};
  Panel classes{"classification", "Classification", {}, {}};
  classes.metrics = study.shift == Shift::none
                        ? std::vector{Metric::accuracy, Metric::cvar, Metric::mean}
                        : std::vector{Metric::accuracy, Metric::mean};
  for (std::size_t set = 0; set < study.sets.size(); ++set) {
    (is_regression(study.sets[set]) ? regression : classes).sets.push_back(set);
  }
  std::vector<Panel> panels;
  for (Panel& panel : {std::ref(regression), std::ref(classes)}) {
    if (!panel.sets.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

std::string title_of(const Study& study, const Panel& panel) {
  return fmt::format("{} ({}, alpha {:g})", panel.title, study.name, study.alpha);
}

std::vector<BarSeries> empty_series(const Study& study) {
  std::vector<BarSeries> series;
  for (const std::string& name : compared_names(study)) series.push_back({name, {}, {}, {}, {}});
  return series;
}

/// Mean of the normalised scores over the sets, for each contestant.
BarChart average_chart(const Summary& summary, const Panel& panel) {
  BarChart chart{.title = title_of(summary.study, panel) + ": mean over the sets",
                 .y_label = "normalised score",
                 .groups = {},
                 .series = empty_series(summary.study)};
  for (const Metric metric : panel.metrics) {
    chart.groups.emplace_back(kMetricTitles.of(metric));
    std::vector<MeanSd> sums(chart.series.size());
    std::vector<double> counts(chart.series.size());
    for (const std::size_t set : panel.sets) {
      const auto scores = normalise_scores(compared_scores(summary, set, metric));
      for (std::size_t c = 0; c < scores.size(); ++c) {
        if (std::isnan(scores[c].mean)) continue;
        sums[c].mean += scores[c].mean;
        sums[c].sd += scores[c].sd;
        counts[c] += 1;
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      chart.series[c].values.push_back(sums[c].mean / counts[c]);
      chart.series[c].errors.push_back(sums[c].sd / counts[c]);
    }
  }
  return chart;
}

BarChart set_chart(const Summary& summary, const Panel& panel, Metric metric) {
  BarChart chart{
      .title = fmt::format("{}: {}", title_of(summary.study, panel), kMetricTitles.of(metric)),
      .y_label = "normalised score",
      .groups = {},
      .series = empty_series(summary.study)};
  for (const std::size_t set : panel.sets) {
    chart.groups.push_back(summary.study.sets[set]);
    const auto scores = compared_scores(summary, set, metric);
    const auto marks = best_set(scores, larger_is_better(metric));
    const auto figures = normalise_scores(scores);
    for (std::size_t c = 0; c < figures.size(); ++c) {
      chart.series[c].values.push_back(figures[c].mean);
      chart.series[c].errors.push_back(figures[c].sd);
      chart.series[c].marked.push_back(marks[c]);
    }
  }
  return chart;
}

/// Parses the value of `option` in a name: 0.05 in `alpha 0.05`.
std::optional<double> setting_of(const std::string& name, const std::string& option) {
  if (!name.starts_with(option + " ")) return std::nullopt;
  double value = 0;
  std::from_chars(name.data() + option.size() + 1, name.data() + name.size(), value);
  return value;
}

LineChart tradeoff_chart(const Summary& summary, std::size_t set, const std::string& option) {
  LineChart chart{.title = fmt::format("{}: trade-off over {}", summary.study.sets[set], option),
                  .x_label = option,
                  .y_label = is_regression(summary.study.sets[set])
                                 ? "squared loss"
                                 : "logistic loss; accuracy as a share",
                  .series = {},
                  .log_x = option == "alpha"};
  std::vector<Metric> metrics = {Metric::cvar, Metric::mean};
  if (!is_regression(summary.study.sets[set])) metrics.push_back(Metric::accuracy);
  for (const Metric metric : metrics) {
    XySeries series{metric == Metric::cvar ? fmt::format("CVaR at {:g}", summary.study.alpha)
                                           : std::string(kMetricTitles.of(metric)),
                    {},
                    {}};
    for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
      const auto setting = setting_of(summary.study.contestants[c].name, option);
      const std::vector<double> values = summary.of(set, c).test(metric);
      if (!setting || values.empty()) continue;
      series.x.push_back(*setting);
      series.y.push_back(mean_sd(values).mean);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

std::vector<StudyFigure> study_figures(const Summary& summary) {
  std::vector<StudyFigure> figures;
  if (is_tradeoff(summary.study)) {
    for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
      for (const std::string option : {"alpha", "gamma"}) {
        figures.push_back(
            {summary.study.sets[set] + "-" + option, tradeoff_chart(summary, set, option)});
      }
    }
    return figures;
  }
  if (const auto& vision = summary.study.vision) {
    if (!vision->betas.empty()) figures.push_back({"accuracy-beta", beta_chart(summary)});
    if (vision->goal > 0) figures.push_back({"gradients", gradient_chart(summary)});
  }
  for (const Panel& panel : panels_of(summary.study)) {
    figures.push_back({panel.stem + "-scores", average_chart(summary, panel)});
    for (const Metric metric : panel.metrics) {
      figures.push_back({fmt::format("{}-{}", panel.stem, kMetricNames.of(metric)),
                         set_chart(summary, panel, metric)});
    }
  }
  return figures;
}

}  // namespace adacvar
