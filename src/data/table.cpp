#include "data/table.hpp"

#include "base/did_you_mean.hpp"
#include "base/name_list.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace adacvar {

namespace {

constexpr std::string_view kIndexName = "index";  // as find_layout calls it

std::vector<std::string> all_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  names.insert(names.end(), table.unread.begin(), table.unread.end());
  return names;
}

}  // namespace

std::string column_names(const Table& table) { return name_list(all_names(table)); }

const Column& find_column(const Table& table, std::string_view name, std::string_view role) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  if (found == table.columns.end()) {
    if (name == kIndexName && std::ranges::find(table.unread, name) != table.unread.end()) {
      throw DataError(fmt::format("{} column '{}' was left out: a first column without a name is "
                                  "treated as a row index; give it a name in the header to keep it",
                                  role, name),
                      table.source);
    }
    throw DataError(fmt::format("{} column '{}' is not one of: {}{}", role, name,
                                column_names(table), did_you_mean(name, all_names(table))),
                    table.source);
  }
  return *found;
}

Table to_table(const SparseRows& sparse) {
  std::vector<std::vector<double>> columns(sparse.columns, std::vector<double>(sparse.rows()));
  for (std::size_t row = 0; row < sparse.rows(); ++row) {
    for (std::size_t e = sparse.start[row]; e < sparse.start[row + 1]; ++e) {
      columns[sparse.column[e]][row] = static_cast<double>(sparse.value[e]);
    }
  }
  Table table;
  table.source = sparse.source;
  table.rows = sparse.rows();
  table.columns.resize(sparse.columns + 1);
  table.columns[0].name = "target";
  table.columns[0].numbers = sparse.target;
  for (std::size_t c = 1; c <= sparse.columns; ++c) {
    table.columns[c].name = fmt::format("c{}", c);
    table.columns[c].numbers = std::move(columns[c - 1]);
  }
  return table;
}

namespace {

void append_column(Column& column, const Column& more) {
  for (const TextValue& text : more.texts) {
    column.texts.push_back({column.numbers.size() + text.row, text.line, text.text});
  }
  for (const double number : more.numbers) column.numbers.push_back(number);
  std::vector<std::uint32_t> code_of;
  for (const std::string_view level : more.levels) {
    const auto found = std::ranges::find(column.levels, level);
    const bool is_new = found == column.levels.end();
    code_of.push_back(static_cast<std::uint32_t>(found - column.levels.begin()));
    if (is_new) column.levels.push_back(level);
  }
  for (const std::uint32_t code : more.codes) {
    column.codes.push_back(code == kMissingLevel ? kMissingLevel : code_of[code]);
  }
}

}  // namespace

Table append_rows(const Table& first, const Table& second) {
  if (first.columns.size() != second.columns.size()) {
    throw DataError(fmt::format("{} columns, {} has {}", second.columns.size(), first.source,
                                first.columns.size()),
                    second.source);
  }
  Table result = first;
  result.rows += second.rows;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const Column& more = second.columns[c];
    Column& column = result.columns[c];
    if (column.name != more.name || column.categorical != more.categorical) {
      throw DataError(fmt::format("column '{}' ({}) does not continue '{}' ({}) of {}", more.name,
                                  more.categorical ? "categorical" : "numeric", column.name,
                                  column.categorical ? "categorical" : "numeric", first.source),
                      second.source);
    }
    append_column(column, more);
  }
  return result;
}

}  // namespace adacvar
