#include "report/loss_figures.hpp"

#include "base/number_text.hpp"
#include "report/confusion_report.hpp"
#include "risk/histogram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kBins = 60;

struct LossRange {
  double low = std::numeric_limits<double>::infinity();
  double least_positive = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double cvar = -std::numeric_limits<double>::infinity();
};

LossRange range_of(std::span<const NamedLosses> models) {
  LossRange range;
  for (const NamedLosses& model : models) {
    for (const double loss : model.losses) {
      range.low = std::min(range.low, loss);
      range.high = std::max(range.high, loss);
      if (loss > 0) range.least_positive = std::min(range.least_positive, loss);
    }
    range.cvar = std::max(range.cvar, model.risk.cvar);
  }
  return range;
}

// Six decades cover everything that is visible.
std::vector<double> log_edges(std::span<const NamedLosses> models) {
  const LossRange range = range_of(models);
  if (!(range.high > 0)) return {};
  const double low = std::max(range.least_positive, 1e-6 * range.high);
  return bin_edges(std::min(low, 0.5 * range.high), range.high, kBins, true);
}

HistogramSeries series_of(const NamedLosses& model, const std::vector<double>& edges) {
  Histogram counted = histogram(model.losses, edges, model.weights);
  HistogramSeries series{
      .name = model.name,
      .edges = std::move(counted.edges),
      .heights = {},
      .marks = {{"mean", model.risk.mean}, {"VaR", model.risk.var}, {"CVaR", model.risk.cvar}}};
  const double total = std::accumulate(counted.counts.begin(), counted.counts.end(), 0.0);
  for (const double count : counted.counts) series.heights.push_back(count / total);
  const auto [least, most] = std::ranges::minmax(model.losses);
  series.least = least;
  series.most = most;
  return series;
}

HistogramChart histogram_chart(std::span<const NamedLosses> models,
                               const std::vector<double>& edges, std::string_view loss,
                               const std::string& rows) {
  HistogramChart chart{.title = "Losses of the " + rows,
                       .x_label = loss_label(loss),
                       .y_label = "share of rows",
                       .series = {}};
  for (const NamedLosses& model : models) chart.series.push_back(series_of(model, edges));
  return chart;
}

// From one row, or a thousandth, to all rows; dense enough for a smooth line.
std::vector<double> tail_shares(std::size_t rows) {
  constexpr std::size_t kShares = 41;
  const double least = std::clamp(1.0 / static_cast<double>(rows), 1e-3, 0.5);
  return bin_edges(least, 1.0, kShares - 1, true);
}

// A linear axis would show only the largest losses.
bool spans_decades(const LineChart& chart) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const XySeries& series : chart.series) {
    low = std::min(low, std::ranges::min(series.y));
    high = std::max(high, std::ranges::max(series.y));
  }
  return low > 0 && high > 20 * low;
}

// On a linear axis most rows would be in a few bars at the left.
bool is_squeezed(std::span<const NamedLosses> models, double end) {
  return std::ranges::all_of(models,
                             [&](const NamedLosses& model) { return model.risk.var < 0.15 * end; });
}

// Numbers are sorted as numbers.
PageCell value_cell(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [place, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || place != end || !std::isfinite(value)) return {text};
  return {.text = text, .value = value};
}

// --- classes

constexpr std::size_t kMostClasses = 30;

// Selects the classes with the least recall if there are many.
std::vector<std::size_t> shown_classes(std::span<const NamedDetail> models) {
  const std::size_t count = models[0].detail.classes.size();
  std::vector<std::size_t> shown(count);
  for (std::size_t c = 0; c < count; ++c) shown[c] = c;
  if (count <= kMostClasses) return shown;
  const auto least_recall = [&](std::size_t c) {
    double least = 1;
    for (const NamedDetail& model : models) {
      least = std::min(least, model.detail.classes[c].recall);
    }
    return least;
  };
  std::ranges::stable_sort(shown, {}, least_recall);
  shown.resize(kMostClasses);
  std::ranges::sort(shown);
  return shown;
}

PageTable class_table(std::span<const NamedDetail> models, std::span<const std::size_t> shown) {
  PageTable table{
      .caption = "Precision and recall by class", .columns = {"class", "rows"}, .rows = {}};
  for (const NamedDetail& model : models) {
    const std::string prefix = models.size() > 1 ? model.name + " " : "";
    table.columns.insert(table.columns.end(), {prefix + "precision", prefix + "recall"});
  }
  for (const std::size_t c : shown) {
    const ClassScore& first = models[0].detail.classes[c];
    std::vector<PageCell> row = {{first.name}, count_cell(first.rows)};
    for (const NamedDetail& model : models) {
      const ClassScore& score = model.detail.classes[c];
      row.push_back({.text = fmt::format("{:.3f}", score.precision), .value = score.precision});
      row.push_back({.text = fmt::format("{:.3f}", score.recall), .value = score.recall});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

BarChart class_bars(std::span<const NamedDetail> models, std::span<const std::size_t> shown,
                    double ClassScore::*measure, const std::string& title) {
  BarChart chart{.title = title, .y_label = "share", .groups = {}, .series = {}};
  for (const std::size_t c : shown) chart.groups.push_back(models[0].detail.classes[c].name);
  for (const NamedDetail& model : models) {
    BarSeries series{.name = model.name, .values = {}};
    for (const std::size_t c : shown) series.values.push_back(model.detail.classes[c].*measure);
    chart.series.push_back(std::move(series));
  }
  return chart;
}

PageTable accuracy_table(std::span<const NamedDetail> models) {
  PageTable table{.caption = "Accuracy and calibration",
                  .columns = {"algorithm", "accuracy", "AUC", "least precision", "least recall",
                              "calibration error"},
                  .rows = {}};
  for (const NamedDetail& model : models) {
    const auto& classes = model.detail.classes;
    const auto share = [](double value) {
      return PageCell{.text = fmt::format("{:.3f}", value), .value = value};
    };
    table.rows.push_back({{model.name},
                          share(model.accuracy.value_or(0)),
                          model.auc ? share(*model.auc) : PageCell{},
                          share(std::ranges::min(classes, {}, &ClassScore::precision).precision),
                          share(std::ranges::min(classes, {}, &ClassScore::recall).recall),
                          model.detail.calibration.empty()
                              ? PageCell{}
                              : share(calibration_error(model.detail.calibration))});
  }
  return table;
}

PageTable confusion_of(const NamedDetail& model, bool named, std::span<const std::size_t> shown) {
  std::vector<std::string> classes;
  for (const ClassScore& score : model.detail.classes) classes.push_back(score.name);
  return confusion_table(
      {model.confusion, classes}, shown,
      fmt::format("Confusion matrix{}: rows of each actual class by the class predicted",
                  named ? " of " + model.name : ""));
}

ScatterChart calibration_chart(std::span<const NamedDetail> models) {
  ScatterChart chart{.title = "Calibration",
                     .x_label = "predicted probability",
                     .y_label = "share of correct predictions",
                     .series = {},
                     .diagonal = true,
                     .shares = true};
  for (const NamedDetail& model : models) {
    XySeries series{.name = model.name, .x = {}, .y = {}};
    for (const CalibrationBin& bin : model.detail.calibration) {
      series.x.push_back(bin.confidence);
      series.y.push_back(bin.accuracy);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// One row per bin of predicted probabilities; bins without rows are omitted.
PageTable calibration_table(std::span<const NamedDetail> models) {
  constexpr std::size_t kCalibrationBins = 10;
  const auto place = [](const CalibrationBin& bin) {
    // A mean of equal probabilities on an edge may have been rounded down.
    return std::min(static_cast<std::size_t>(bin.confidence * kCalibrationBins + 1e-9),
                    kCalibrationBins - 1);
  };
  PageTable table{.caption = "Calibration: number of rows and share of correct predictions",
                  .columns = {"chance given"},
                  .rows = {}};
  for (const NamedDetail& model : models) {
    const std::string prefix = models.size() > 1 ? model.name + " " : "";
    table.columns.insert(table.columns.end(), {prefix + "rows", prefix + "correct"});
  }
  for (std::size_t b = 0; b < kCalibrationBins; ++b) {
    const double begin = static_cast<double>(b) / kCalibrationBins;
    std::vector<PageCell> row = {
        {.text = fmt::format("{:.1f} to {:.1f}", begin, begin + 1.0 / kCalibrationBins),
         .value = begin}};
    bool any = false;
    for (const NamedDetail& model : models) {
      const auto found = std::ranges::find(model.detail.calibration, b, place);
      const bool there = found != model.detail.calibration.end();
      any |= there;
      row.push_back(count_cell(there ? found->rows : 0));
      row.push_back(
          there ? PageCell{.text = fmt::format("{:.3f}", found->accuracy), .value = found->accuracy}
                : PageCell{.text = "–"});
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<double> common_edges(std::span<const NamedLosses> models, std::size_t bins) {
  const LossRange range = range_of(models);
  const double low = std::min(0.0, range.low);
  double high = std::min(range.high, std::max(2 * range.cvar, 0.0));
  if (!(high > low)) high = std::max(range.high, low + 1);
  return bin_edges(low, high, bins, false);
}

std::string loss_label(std::string_view loss) { return fmt::format("{} loss", loss); }

PageFigure losses_figure(std::span<const NamedLosses> models, std::string_view loss,
                         const std::string& rows) {
  PageFigure figure{.id = "losses", .caption = {}, .views = {}};
  figure.caption = fmt::format(
      "Distribution of the losses of the {}, with their mean, the loss where the tail begins "
      "(VaR) and the mean of the tail (CVaR).",
      rows);
  const std::vector<double> common = common_edges(models, kBins);
  const LossRange range = range_of(models);
  if (range.high > common.back() || range.low < 1e-6 * range.high) {
    figure.caption += " The outer bins also count the losses beyond them.";
  }
  HistogramChart chart = histogram_chart(models, common, loss, rows);
  figure.views.push_back({"linear", chart});
  chart.log_y = true;
  figure.views.push_back({"log share", std::move(chart)});
  if (const std::vector<double> edges = log_edges(models); !edges.empty()) {
    HistogramChart wide = histogram_chart(models, edges, loss, rows);
    wide.log_x = true;
    const bool first = is_squeezed(models, common.back());
    figure.views.insert(first ? figure.views.begin() : figure.views.end(),
                        {"log loss", std::move(wide)});
  }
  return figure;
}

PageFigure cvar_figure(std::span<const NamedLosses> models, std::string_view loss,
                       const std::string& rows, const std::vector<double>& alphas) {
  constexpr std::size_t kMostMarks = 4;
  LineChart chart{.title = "CVaR over the tail share",
                  .x_label = "tail share alpha",
                  .y_label = fmt::format("CVaR, {}", loss_label(loss)),
                  .series = {},
                  .log_x = true};
  for (const double alpha : alphas) {
    if (alphas.size() > kMostMarks) break;
    chart.marks.push_back({fmt::format("alpha {:g}", alpha), alpha});
  }
  for (const NamedLosses& model : models) {
    XySeries series{.name = model.name, .x = tail_shares(model.losses.size()), .y = {}};
    for (const double share : series.x)
      series.y.push_back(cvar(model.losses, model.weights, share));
    chart.series.push_back(std::move(series));
  }
  PageFigure figure{.id = "cvar-curve",
                    .caption = fmt::format("Mean loss of the worst alpha share of the {}: at the "
                                           "left only the largest losses, at 1 the mean of all.",
                                           rows),
                    .views = {{"linear", chart}}};
  const bool wide = spans_decades(chart);
  chart.log_y = true;
  figure.views.insert(wide ? figure.views.begin() : figure.views.end(), {"log", std::move(chart)});
  return figure;
}

PageTable worst_table(const PartDetail& detail, std::string caption) {
  PageTable table{.caption = std::move(caption),
                  .columns = {"row", "loss", "target", "prediction"},
                  .rows = {}};
  table.columns.insert(table.columns.end(), detail.columns.begin(), detail.columns.end());
  // Limits the size of the page; the terminal and --json have all rows.
  constexpr std::size_t kMost = 200;
  if (detail.worst.size() > kMost) {
    table.caption += fmt::format(" (the first {} of {})", kMost, detail.worst.size());
  }
  for (const WorstRow& worst :
       std::span(detail.worst).first(std::min(kMost, detail.worst.size()))) {
    std::vector<PageCell> row = {count_cell(worst.row), number_cell(worst.loss),
                                 value_cell(worst.target), value_cell(worst.prediction)};
    for (const std::string& value : worst.values) row.push_back(value_cell(value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageSection classes_section(std::span<const NamedDetail> models, const std::string& rows) {
  PageSection section{.title = "Classes", .items = {}};
  const std::vector<std::size_t> shown = shown_classes(models);
  section.items.emplace_back(PageText{fmt::format(
      "On the {}. Precision: share of correct predictions among the rows predicted as a class; "
      "recall: share of a class's rows that are predicted as it. AUC: area under the ROC curve{}. "
      "Calibration error: mean distance of predicted probabilities from observed frequencies.",
      rows,
      models[0].detail.classes.size() > 2 ? ", the mean over the classes of one versus rest"
                                          : "")});
  section.items.emplace_back(accuracy_table(models));
  for (const NamedDetail& model : models) {
    if (!model.confusion.empty())
      section.items.emplace_back(confusion_of(model, models.size() > 1, shown));
  }
  section.items.emplace_back(PageFigure{
      "precision",
      "",
      {{"bars", class_bars(models, shown, &ClassScore::precision, "Precision by class")}}});
  section.items.emplace_back(PageFigure{
      "recall", "", {{"bars", class_bars(models, shown, &ClassScore::recall, "Recall by class")}}});
  if (!models[0].detail.calibration.empty()) {
    section.items.emplace_back(PageFigure{
        "calibration",
        "On the dotted line predicted probabilities equal observed frequencies; the table "
        "has the number of rows of each point.",
        {{"points", calibration_chart(models)}}});
    section.items.emplace_back(calibration_table(models));
  }
  if (shown.size() < models[0].detail.classes.size()) {
    section.items.emplace_back(
        PageText{fmt::format("The {1} of {0} classes with the least recall are shown.",
                             models[0].detail.classes.size(), shown.size())});
  }
  section.items.emplace_back(class_table(models, shown));
  return section;
}

}  // namespace adacvar
