#include "data/csv_layout.hpp"

#include "base/utf8.hpp"
#include "data/field_reader.hpp"
#include "data/number_format.hpp"
#include "data/number_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace adacvar {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kSampleRows = 100;
constexpr std::size_t kSeparatorLines = 20;

std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kSeparatorLines) {
    bool quoted = false;
    std::size_t end = 0;
    while (end < text.size() && (quoted || text[end] != '\n')) {
      if (text[end] == '"') quoted = !quoted;
      ++end;
    }
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t count_outside_quotes(std::string_view line, char separator) {
  bool quoted = false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c == separator) ++count;
  }
  return count;
}

std::size_t count_blank_runs(std::string_view line) {
  FieldReader reader(line, ' ');
  std::size_t count = 0;
  if (reader.next_row()) {
    try {
      for (; !reader.row_ended(); ++count) (void)reader.field();
    } catch (const RowError&) {
      return 0;  // quotes do not parse with blanks as separator
    }
  }
  return count == 0 ? 0 : count - 1;
}

std::size_t count_separators(std::string_view line, char separator) {
  return separator == ' ' ? count_blank_runs(line) : count_outside_quotes(line, separator);
}

// Returns the first candidate that occurs equally often in all lines, else the first that occurs in
// the first line, so that a ragged row is reported as such.
char find_separator(std::string_view text) {
  constexpr std::array kCandidates = {'\t', ';', '|', ',', ' '};
  const std::vector<std::string_view> lines = first_lines(text);
  if (lines.empty()) return ',';
  for (const char candidate : kCandidates) {
    const std::size_t count = count_separators(lines[0], candidate);
    if (count > 0 && std::ranges::all_of(lines, [&](std::string_view line) {
          return count_separators(line, candidate) == count;
        })) {
      return candidate;
    }
  }
  for (const char candidate : kCandidates) {
    if (count_separators(lines[0], candidate) > 0) return candidate;
  }
  return ',';
}

struct Sample {
  std::vector<Row> rows;
  std::size_t second_row = 0;  // its offset
};

// An unclosed quote in the sample, or an error below the first row, is left to the full pass, which
// knows the line.
Sample read_sample(std::string_view text, char separator) {
  Sample sample;
  FieldReader reader(text, separator);
  while (sample.rows.size() <= kSampleRows && reader.next_row()) {
    Row row;
    try {
      while (!reader.row_ended()) row.emplace_back(reader.field());
    } catch (const RowError&) {
      if (sample.rows.empty()) throw;
      break;
    }
    sample.rows.push_back(std::move(row));
    if (sample.rows.size() == 1) {
      sample.second_row = static_cast<std::size_t>(reader.place() - text.data());
    }
  }
  return sample;
}

bool has_index(const Row& names) { return names.size() > 1 && names[0].empty(); }

bool is_number(const std::string& field) {
  double ignored = 0;
  return parse_number(field, ignored);
}

// The first name may be empty: the column is then a row index.
bool could_be_names(const Row& row) {
  const auto is_no_name = [](const std::string& field) {
    return is_number_in_any_format(as_utf8(field)) || is_missing(field);
  };
  return std::ranges::none_of(row.begin() + (has_index(row) ? 1 : 0), row.end(), is_no_name);
}

bool are_distinct(const Row& row) {
  return std::set<std::string>(row.begin(), row.end()).size() == row.size();
}

bool holds_all(const Row& row, const std::vector<std::string>& names) {
  std::set<std::string> fields;
  for (const std::string& field : row) fields.insert(as_utf8(field));
  return !names.empty() &&
         std::ranges::all_of(names, [&](const auto& name) { return fields.contains(name); });
}

bool find_header(const std::vector<Row>& rows) {
  if (!could_be_names(rows[0])) return false;
  bool name_is_repeated = false;
  for (std::size_t c = has_index(rows[0]) ? 1 : 0; c < rows[0].size(); ++c) {
    std::size_t numbers = 0;
    std::size_t others = 0;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      if (c >= rows[r].size() || is_missing_number(rows[r][c])) continue;
      if (rows[r][c] == rows[0][c]) name_is_repeated = true;
      ++(is_number_in_any_format(as_utf8(rows[r][c])) ? numbers : others);
    }
    if (numbers > 0 && others == 0) return true;
  }
  return !name_is_repeated && are_distinct(rows[0]);
}

std::vector<std::string> make_names(const Row& first, bool header, const ReadOptions& options) {
  if (!header && !options.names.empty()) {
    if (options.names.size() == first.size()) return options.names;
    throw RowError{0, fmt::format("first row has {} columns, but {} names are given", first.size(),
                                  options.names.size())};
  }
  std::vector<std::string> names = header ? first : Row(first.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    names[c] = names[c].empty() ? fmt::format("c{}", c + 1) : as_utf8(names[c]);
  }
  if (header && has_index(first) && std::ranges::find(names, "index") == names.end()) {
    names[0] = "index";
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw RowError{0, fmt::format("column '{}' appears twice", name)};
    }
  }
  return names;
}

std::vector<bool> find_textual(const std::vector<Row>& rows, bool header) {
  std::vector<bool> textual(rows[0].size(), false);
  for (std::size_t r = header ? 1 : 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < std::min(textual.size(), rows[r].size()); ++c) {
      if (!is_number(rows[r][c]) && !is_missing_number(rows[r][c])) textual[c] = true;
    }
  }
  return textual;
}

// `1.234`, in a column all of whose values would be numbers with a decimal comma, too.
std::vector<std::string> find_dotted(const std::vector<Row>& rows, bool header) {
  const NumberFormat comma{.decimal = ',', .grouped = true};
  std::vector<std::string> dotted(rows[0].size());
  std::vector<bool> fits(rows[0].size(), true);
  for (std::size_t r = header ? 1 : 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < std::min(fits.size(), rows[r].size()); ++c) {
      const std::string& field = rows[r][c];
      double ignored = 0;
      if (!fits[c] || is_missing_number(field)) continue;
      fits[c] = parse_number(field, comma, ignored);
      if (dotted[c].empty() && field.find('.') != std::string::npos) dotted[c] = field;
    }
  }
  for (std::size_t c = 0; c < fits.size(); ++c) {
    if (!fits[c]) dotted[c].clear();
  }
  return dotted;
}

}  // namespace

CsvLayout find_layout(std::string_view text, const ReadOptions& options) {
  CsvLayout layout;
  layout.separator = options.separator != 0 ? options.separator : find_separator(text);
  const Sample sample = read_sample(text, layout.separator);
  if (sample.rows.empty()) throw RowError{0, "has no rows"};
  const bool named = !options.names.empty();
  layout.header = options.header.value_or(
      !named && (holds_all(sample.rows[0], options.known_names) || find_header(sample.rows)));
  layout.has_index = layout.header && has_index(sample.rows[0]);
  layout.names = make_names(sample.rows[0], layout.header, options);
  layout.textual = find_textual(sample.rows, layout.header);
  layout.dotted = find_dotted(sample.rows, layout.header);
  layout.body = layout.header ? sample.second_row : 0;
  return layout;
}

QuotedLines::QuotedLines(std::string_view text, char separator, std::size_t begin, bool is_inside)
    : text_(text), separator_(separator), searched_(begin) {
  if (!is_inside) return;
  const std::size_t close = find_close(begin);
  parts_.push_back({begin, close});
  searched_ = close + 1;
}

bool QuotedLines::opens_field(std::size_t quote) const {
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && separator_ != '\t'); };
  std::size_t at = quote;
  while (at > 0 && is_blank(text_[at - 1])) --at;
  if (at == 0 || text_[at - 1] == '\n') return true;
  return separator_ == ' ' ? at != quote : text_[at - 1] == separator_;
}

// The quote that closes a field; the end of the text if there is none.
std::size_t QuotedLines::find_close(std::size_t from) {
  std::size_t close = text_.find('"', from);
  while (close < text_.size() && text_.substr(close + 1).starts_with('"')) {
    close = text_.find('"', close + 2);
  }
  is_open_ = close >= text_.size();
  return std::min(close, text_.size());
}

bool QuotedLines::ends_inside() {
  search_to(text_.size());
  return is_open_;
}

void QuotedLines::search_to(std::size_t position) {
  while (searched_ < position) {
    const std::size_t quote = text_.substr(0, position).find('"', searched_);
    if (quote == std::string_view::npos) {
      searched_ = position;
      return;
    }
    std::size_t close = quote;
    if (opens_field(quote)) {
      close = find_close(quote + 1);
      if (text_.substr(quote, close - quote).find('\n') != std::string_view::npos) {
        parts_.push_back({quote, close});
      }
    }
    searched_ = close + 1;
  }
}

bool QuotedLines::contain(std::size_t position) {
  search_to(position);
  const auto after = std::ranges::upper_bound(parts_, position, {}, &Part::begin);
  return after != parts_.begin() && position < std::prev(after)->end;
}

}  // namespace adacvar
