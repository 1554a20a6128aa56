#include <adacvar/report/result_table.hpp>

#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace adacvar {

namespace {

bool has_best(const ResultTable& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const auto& row) { return row[column].best; });
}

std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string latex(const std::string& text) {
  std::string result = escaped(text, "&%$#_{}");
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"±", "$\\pm$"},
                                 {"–", "--"},
                                 {">", "$>$"},
                                 {"<", "$<$"}}) {
    for (auto at = result.find(from); at != std::string::npos;
         at = result.find(from, at + to.size())) {
      result.replace(at, from.size(), to);
    }
  }
  return result;
}

std::string joined(const std::vector<ResultCell>& row, std::string_view between,
                   const std::function<std::string(const ResultCell&)>& text) {
  std::string line;
  for (const ResultCell& cell : row) {
    if (!line.empty() || &cell != row.data()) line += between;
    line += text(cell);
  }
  return line;
}

std::vector<ResultCell> header_cells(const ResultTable& table) {
  std::vector<ResultCell> cells;
  cells.reserve(table.header.size());
  for (const std::string& name : table.header) cells.push_back({name});
  return cells;
}

}  // namespace

std::string table_text(const ResultTable& table) {
  TextTable lines;
  const auto line = [&](const std::vector<ResultCell>& row) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space = c > 0 && has_best(table, c) ? " " : "";
      cells.push_back(row[c].text + (row[c].best ? "*" : space));
    }
    lines.add(std::move(cells));
  };
  line(header_cells(table));
  for (const auto& row : table.rows) line(row);
  std::string text = table.title + "\n\n" + lines.text();
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

std::string table_markdown(const ResultTable& table) {
  const auto cell = [](const ResultCell& c) {
    const std::string text = escaped(c.text, "|*_");
    return c.best ? "**" + text + "**" : text;
  };
  std::string text =
      fmt::format("### {}\n\n| {} |\n|", table.title, joined(header_cells(table), " | ", cell));
  for (std::size_t c = 0; c < table.header.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += "| " + joined(row, " | ", cell) + " |\n";
  for (const std::string& note : table.notes) text += "\n" + note + "\n";
  return text;
}

std::string table_latex(const ResultTable& table) {
  const auto cell = [](const ResultCell& c) {
    return c.best ? "\\textbf{" + latex(c.text) + "}" : latex(c.text);
  };
  std::string text = fmt::format(
      "\\begin{{table}}[htbp]\n\\centering\\scriptsize\n\\caption{{{}}}\n\\begin{{tabular}}{{{}}}\n"
      "\\toprule\n{} \\\\\n\\midrule\n",
      latex(table.title), std::string(table.header.size(), 'l'),
      joined(header_cells(table), " & ", cell));
  for (const auto& row : table.rows) text += joined(row, " & ", cell) + " \\\\\n";
  text += "\\bottomrule\n\\end{tabular}\n";
  for (const std::string& note : table.notes) text += "\\\\[2pt] " + latex(note) + "\n";
  return text + "\\end{table}\n";
}

}  // namespace adacvar
