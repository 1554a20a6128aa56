#include "report/confusion_report.hpp"

#include "base/number_text.hpp"
#include "report/markup_text.hpp"
#include "report/text_table.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kClassName = 12;  // characters of a column's head

double count_at(const ConfusionView& matrix, std::size_t actual, std::size_t predicted) {
  return matrix.counts[actual * matrix.classes.size() + predicted];
}

bool is_whole(double count) { return count == std::floor(count) && count < 1e15; }

std::string cell_text(double count) {
  return is_whole(count) ? count_text(static_cast<std::size_t>(count)) : number_text(count);
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3f}", part / whole) : "";
}

/// Sums of a class over all classes, shown or not.
struct ClassSums {
  double actual = 0;
  double predicted = 0;
  double correct = 0;

  [[nodiscard]] double errors() const { return actual + predicted - 2 * correct; }
};

ClassSums sums_of(const ConfusionView& matrix, std::size_t c) {
  ClassSums sums{.correct = count_at(matrix, c, c)};
  for (std::size_t other = 0; other < matrix.classes.size(); ++other) {
    sums.actual += count_at(matrix, c, other);
    sums.predicted += count_at(matrix, other, c);
  }
  return sums;
}

std::vector<std::size_t> all_classes(const ConfusionView& matrix) {
  std::vector<std::size_t> classes(matrix.classes.size());
  std::iota(classes.begin(), classes.end(), std::size_t{0});
  return classes;
}

TextTable text_table(const ConfusionView& matrix, std::span<const std::size_t> shown) {
  std::vector<std::string> header = {"actual"};
  std::vector<std::string> precision = {"precision"};
  for (const std::size_t c : shown) {
    const ClassSums sums = sums_of(matrix, c);
    header.push_back(shorten(one_line(matrix.classes[c]), kClassName));
    precision.push_back(share_text(sums.correct, sums.predicted));
  }
  header.emplace_back("recall");
  TextTable table(std::move(header));
  for (const std::size_t actual : shown) {
    std::vector<std::string> row = {matrix.classes[actual]};
    for (const std::size_t predicted : shown) {
      row.push_back(cell_text(count_at(matrix, actual, predicted)));
    }
    const ClassSums sums = sums_of(matrix, actual);
    row.push_back(share_text(sums.correct, sums.actual));
    table.add(std::move(row));
  }
  table.add(std::move(precision));
  table.fit(kTerminalWidth, {0});
  return table;
}

}  // namespace

std::string confusion_text(const ConfusionView& matrix, const std::string& rows) {
  constexpr std::size_t kMost = 20;  // more do not fit
  std::vector<std::size_t> by_errors = all_classes(matrix);
  std::ranges::stable_sort(by_errors, std::ranges::greater(),
                           [&](std::size_t c) { return sums_of(matrix, c).errors(); });
  by_errors.resize(std::min(kMost, by_errors.size()));
  TextTable table;
  for (;; by_errors.pop_back()) {
    std::vector<std::size_t> shown = by_errors;
    std::ranges::sort(shown);
    table = text_table(matrix, shown);
    if (table.width() <= kTerminalWidth || by_errors.size() <= 2) break;
  }
  std::string text = fmt::format("confusion matrix of the {}: actual classes by predicted\n", rows);
  text += table.text();
  if (by_errors.size() < matrix.classes.size()) {
    text += fmt::format("{} of {} classes, those with the most errors; --json has all\n",
                        by_errors.size(), count_text(matrix.classes.size()));
  }
  return text;
}

ordered_json confusion_json(std::span<const double> counts) {
  const auto classes =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(counts.size())) + 0.5);
  ordered_json rows = ordered_json::array();
  for (std::size_t actual = 0; actual < classes; ++actual) {
    ordered_json row = ordered_json::array();
    for (const double count : counts.subspan(actual * classes, classes)) {
      if (is_whole(count)) {
        row.push_back(static_cast<std::uint64_t>(count));
      } else {
        row.push_back(count);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

PageTable confusion_table(const ConfusionView& matrix, std::span<const std::size_t> shown,
                          std::string caption) {
  PageTable table{.caption = std::move(caption), .columns = {"actual"}, .rows = {}};
  for (const std::size_t c : shown) table.columns.push_back("predicted " + matrix.classes[c]);
  for (const std::size_t actual : shown) {
    std::vector<PageCell> row = {{matrix.classes[actual]}};
    for (const std::size_t predicted : shown) {
      const double count = count_at(matrix, actual, predicted);
      row.push_back({.text = cell_text(count), .value = count});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace adacvar
