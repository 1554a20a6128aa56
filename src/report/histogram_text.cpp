#include "report/histogram_text.hpp"

#include "run/trained_model.hpp"

#include "report/loss_figures.hpp"
#include "report/text_table.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"
#include "risk/histogram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace adacvar {

namespace {

constexpr std::size_t kBins = 64;
constexpr std::size_t kLeastLabel = 12;  // width of a label with its margins
constexpr const char* kTail = "\x1b[33m";
constexpr const char* kPlain = "\x1b[0m";

// A nonzero count is always visible.
std::string_view bar_symbol(double share, bool unicode) {
  constexpr std::array<std::string_view, 9> kEighths = {
      " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
  constexpr std::array<std::string_view, 9> kAscii = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  const auto level = static_cast<std::size_t>(std::ceil(8 * std::clamp(share, 0.0, 1.0)));
  return unicode ? kEighths[level] : kAscii[level];
}

std::size_t bin_of(double value, const std::vector<double>& edges) {
  const auto above = std::ranges::upper_bound(edges, value) - edges.begin();
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(kBins) - 1));
}

std::string bars_line(const NamedLosses& model, const std::vector<double>& edges,
                      const TextStyle& style) {
  const Histogram counted = histogram(model.losses, edges, model.weights);
  const double most = std::log1p(std::ranges::max(counted.counts));
  const std::size_t tail = bin_of(model.risk.var, edges);
  const auto last = std::ranges::find_if(counted.counts.rbegin(), counted.counts.rend(),
                                         [](double count) { return count > 0; });
  const auto end = static_cast<std::size_t>(counted.counts.rend() - last);
  std::string line;
  for (std::size_t b = 0; b < end; ++b) {
    if (style.colour && b == tail) line += kTail;
    line += bar_symbol(std::log1p(counted.counts[b]) / most, style.unicode);
  }
  if (style.colour) line += kPlain;
  return line;
}

// If marks coincide, CVaR takes precedence over VaR, and VaR over the mean.
std::string marks_line(const TailRisk& risk, const std::vector<double>& edges) {
  std::string line(kBins, ' ');
  line[bin_of(risk.mean, edges)] = 'm';
  line[bin_of(risk.var, edges)] = 'v';
  line[bin_of(risk.cvar, edges)] = 'C';
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string axis_line(const std::vector<double>& edges) {
  const std::string low = number_text(edges.front());
  const std::string high = number_text(edges.back());
  return low + std::string(kBins - low.size() - high.size(), ' ') + high;
}

std::string histograms(const std::vector<NamedLosses>& models, std::string_view loss,
                       const std::string& rows, const TextStyle& style) {
  const std::vector<double> edges = common_edges(models, kBins);
  std::string text = fmt::format("\n{}, {} (bars: log of the count; m mean, v VaR, C CVaR)\n", rows,
                                 loss_label(loss));
  std::size_t width = kLeastLabel;
  for (const NamedLosses& model : models) width = std::max(width, text_width(model.name) + 3);
  const std::string indent(width, ' ');
  for (const NamedLosses& model : models) {
    const std::string name = "  " + model.name;
    const std::string padding(width - text_width(name), ' ');
    text += fmt::format("{}{}{}\n{}{}\n", name, padding, bars_line(model, edges, style), indent,
                        marks_line(model.risk, edges));
  }
  bool more = false;
  for (const NamedLosses& model : models) more |= std::ranges::max(model.losses) > edges.back();
  return text + indent + axis_line(edges) + (more ? " +" : "") + '\n';
}

}  // namespace

std::string histogram_text(const RunReport& report, const TextStyle& style) {
  std::vector<NamedLosses> models;
  models.reserve(report.results.size());
  for (const RunResult& result : report.results) {
    models.push_back({result.label(), result.detail.value().losses, detailed_risk(result).risk,
                      result.detail->weights});
  }
  const RunResult& first = report.results.at(0);
  return histograms(models, kLossNames.of(first.model.parts().loss.kind()),
                    first.detail->part + " rows", style);
}

std::string histogram_text(const Evaluation& evaluation, const TextStyle& style) {
  const double alpha = evaluation.all.risk.empty()
                           ? evaluation.alpha
                           : evaluation.all.risk[own_alpha(evaluation)].alpha;
  const TailRisk risk = tail_risk(evaluation.detail.losses, evaluation.detail.weights, alpha);
  return histograms(
      {{fmt::format("at {:g}", alpha), evaluation.detail.losses, risk, evaluation.detail.weights}},
      evaluation.loss, rows_name(evaluation), style);
}

}  // namespace adacvar
