#include "experiment/vision_report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

double mean_norm(const Selected& selected, float GradientNorms::*which) {
  std::vector<double> values;
  for (const GradientNorms& norms : selected.gradients) {
    values.push_back(static_cast<double>(norms.*which));
  }
  return mean_sd(values).mean;
}

// Seeds that did not reach the goal are counted, not averaged.
std::string goal_text(const Selected& selected) {
  std::vector<double> epochs;
  for (const std::uint64_t epoch : selected.goal_epochs) {
    if (epoch > 0) epochs.push_back(static_cast<double>(epoch));
  }
  if (epochs.empty()) return "never";
  const std::string text = fmt::format("{:.1f}", mean_sd(epochs).mean);
  if (epochs.size() == selected.goal_epochs.size()) return text;
  return fmt::format("{} ({} of {})", text, epochs.size(), selected.goal_epochs.size());
}

std::vector<ResultCell> gradient_row(const Contestant& contestant, const Selected& selected) {
  if (selected.readings.empty()) {
    return {{contestant.name},
            {fmt::format("{:g}", *contestant.configs[0].learning_rate)},
            {"overflow"},
            {"–"},
            {"–"},
            {"–"},
            {"–"},
            {"–"}};
  }
  const std::vector<double> accuracy = selected.train(Metric::accuracy);
  return {{contestant.name},
          {fmt::format("{:g}", *contestant.configs[0].learning_rate)},
          {goal_text(selected)},
          {fmt::format("{:.3f}", mean_sd(accuracy).mean)},
          {fmt::format("{:.3g}", mean_norm(selected, &GradientNorms::mean))},
          {fmt::format("{:.3g}", mean_norm(selected, &GradientNorms::median))},
          {fmt::format("{:.3g}", mean_norm(selected, &GradientNorms::p99))},
          {fmt::format("{:.1f} %", 100 * mean_norm(selected, &GradientNorms::zeros))}};
}

}  // namespace

std::string network_text(const Study& study) {
  const Vision& vision = *study.vision;
  const NetworkOptions& network = vision.network;
  std::string text = "Network " + network.network;
  if (network.width != 1) text += fmt::format(" of width {:g}", network.width);
  if (network.dropout) text += fmt::format(" with dropout {:g}", *network.dropout);
  text += vision.rows > 0 ? fmt::format(", {} training images", vision.rows)
                          : std::string(", all training images");
  if (!vision.betas.empty()) text += " before the classes are made unequal";
  text += fmt::format(", {} epochs", study.contestants[0].configs[0].epochs);
  if (network.augment != Augment::none) {
    text +=
        network.augment == Augment::crop ? ", randomly shifted" : ", randomly shifted and mirrored";
  }
  if (vision.evaluated_rows > 0)
    text += fmt::format("; evaluated on {} images", vision.evaluated_rows);
  return text + ".";
}

ResultTable gradient_table(const Summary& summary) {
  const double goal = summary.study.vision->goal;
  ResultTable table{
      .title = "Gradients and the time to learn",
      .header = {"algorithm", "rate", fmt::format("epochs to {:g} %", 100 * goal), "train acc.",
                 "mean norm", "median", "99 %", "zero"},
      .rows = {},
      .notes = {fmt::format(
          "Norms of the gradient of every step; means of {} seeds. Epochs until the training "
          "accuracy is {:g} %, of {}; the paper, on its networks: Ada-CVaR 7, Mean 9, Soft-CVaR "
          "21, "
          "Trunc-CVaR never above 70 %.",
          summary.study.seeds, 100 * goal, summary.study.contestants[0].configs[0].epochs)}};
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    table.rows.push_back(gradient_row(summary.study.contestants[c], summary.of(0, c)));
  }
  return table;
}

BarChart gradient_chart(const Summary& summary) {
  BarChart chart{.title = fmt::format("Norm of the gradient ({})", summary.study.name),
                 .y_label = "norm",
                 .groups = {"mean", "median", "99 %"},
                 .series = {},
                 .log_y = true};
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    const Selected& selected = summary.of(0, c);
    if (selected.gradients.empty()) continue;
    BarSeries series{summary.study.contestants[c].name, {}, {}, {}, {}};
    for (const auto which : {&GradientNorms::mean, &GradientNorms::median, &GradientNorms::p99}) {
      series.values.push_back(mean_norm(selected, which));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

LineChart beta_chart(const Summary& summary) {
  const Vision& vision = *summary.study.vision;
  LineChart chart{
      .title = fmt::format("{}: test accuracy after training on classes of unequal size",
                           vision.network.network),
      .x_label = "beta (1: classes of equal size)",
      .y_label = "test accuracy",
      .series = {},
      .log_x = true};
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    XySeries series{summary.study.contestants[c].name, {}, {}};
    for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
      const std::vector<double> accuracy = summary.of(set, c).test(Metric::accuracy);
      if (accuracy.empty()) continue;
      series.x.push_back(vision.betas[set]);
      series.y.push_back(mean_sd(accuracy).mean);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace adacvar
