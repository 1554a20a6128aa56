#include "report/result_table.hpp"

#include "report/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <sstream>

namespace adacvar {

namespace {

bool has_best(const ResultTable& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const auto& row) { return row[column].best; });
}

std::string escape(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string latex(const std::string& text) {
  std::string result = escape(text, "&%$#_{}");
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

std::string join_cells(const std::vector<ResultCell>& row, std::string_view between,
                       const std::function<std::string(const ResultCell&)>& text) {
  std::string line;
  for (const ResultCell& cell : row) {
    if (!line.empty() || &cell != row.data()) line += between;
    line += text(cell);
  }
  return line;
}

std::size_t width_of(const std::vector<std::vector<std::string>>& rows, std::size_t column) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, text_width(row[column]));
  return width;
}

// Aligns the columns; if lines are too long, the cells of the widest column are wrapped.
std::string lines_of(const std::vector<std::vector<std::string>>& rows) {
  std::size_t widest = 0;
  std::size_t total = 2 * (rows[0].size() - 1);
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    total += width_of(rows, c);
    if (width_of(rows, c) > width_of(rows, widest)) widest = c;
  }
  TextTable lines;
  for (const auto& row : rows) {
    if (total <= kTerminalWidth || row[widest].empty()) {
      lines.add(row);
      continue;
    }
    const std::size_t others = total - width_of(rows, widest);
    const std::size_t room = others + 8 < kTerminalWidth ? kTerminalWidth - others : 8;
    std::istringstream parts(wrap(row[widest], room));
    std::vector<std::string> line = row;
    for (std::string part; std::getline(parts, part);) {
      line[widest] = part;
      lines.add(line);
      line.assign(row.size(), "");
    }
  }
  return lines.text();
}

std::vector<ResultCell> header_cells(const ResultTable& table) {
  std::vector<ResultCell> cells;
  cells.reserve(table.header.size());
  for (const std::string& name : table.header) cells.push_back({name});
  return cells;
}

}  // namespace

std::string table_text(const ResultTable& table) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::vector<ResultCell>& row) {
    auto& cells = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space = c > 0 && has_best(table, c) ? " " : "";
      cells.push_back(row[c].text + (row[c].best ? "*" : space));
    }
  };
  add(header_cells(table));
  for (const auto& row : table.rows) add(row);
  std::string text = wrap(table.title, kTerminalWidth) + "\n\n" + lines_of(rows);
  for (const std::string& note : table.notes) text += wrap(note, kTerminalWidth) + "\n";
  return text;
}

std::string table_markdown(const ResultTable& table) {
  const auto cell = [](const ResultCell& c) {
    const std::string text = escape(c.text, "|*_");
    return c.best ? "**" + text + "**" : text;
  };
  std::string text =
      fmt::format("### {}\n\n| {} |\n|", table.title, join_cells(header_cells(table), " | ", cell));
  for (std::size_t c = 0; c < table.header.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += "| " + join_cells(row, " | ", cell) + " |\n";
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
      join_cells(header_cells(table), " & ", cell));
  for (const auto& row : table.rows) text += join_cells(row, " & ", cell) + " \\\\\n";
  text += "\\bottomrule\n\\end{tabular}\n";
  for (const std::string& note : table.notes) text += "\\\\[2pt] " + latex(note) + "\n";
  return text + "\\end{table}\n";
}

}  // namespace adacvar
