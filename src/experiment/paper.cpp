#include "experiment/paper.hpp"

#include "experiment/paper_tables.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace adacvar {

namespace {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double number(std::string_view text) {
  double value = 0;
  const char* end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  if (end != text.data() + text.size() || text.empty()) {
    throw DataError(fmt::format("'{}' in the paper's tables is not a number", text));
  }
  return value;
}

std::string our_name(std::string_view set) {
  if (set == "Cpu") return "cpu-small";
  std::string name(set);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

// table, block, dataset, algorithm, then twice: metric, mean, sd, best.
std::vector<PaperFigure> read_figures() {
  std::vector<PaperFigure> figures;
  for (const std::string_view line : split_at(kPaperTables, '\n')) {
    const auto cells = split_at(line, ',');
    if (cells.size() != 12 || cells[0] == "table") continue;
    for (const std::size_t at : {std::size_t{4}, std::size_t{8}}) {
      figures.push_back({.table = std::string(cells[0]),
                         .set = our_name(cells[2]),
                         .algorithm = std::string(cells[3]),
                         .metric = std::string(cells[at]),
                         .mean = number(cells[at + 1]),
                         .sd = number(cells[at + 2]),
                         .best = cells[at + 3] == "1"});
    }
  }
  return figures;
}

}  // namespace

std::span<const PaperFigure> paper_figures() {
  static const std::vector<PaperFigure> figures = read_figures();
  return figures;
}

const PaperFigure* find_paper_figure(std::string_view table, std::string_view set,
                                     std::string_view algorithm, std::string_view metric) {
  for (const PaperFigure& figure : paper_figures()) {
    if (figure.table == table && figure.set == set && figure.algorithm == algorithm &&
        figure.metric == metric) {
      return &figure;
    }
  }
  return nullptr;
}

}  // namespace adacvar
