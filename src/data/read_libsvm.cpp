#include "data/read_table.hpp"

#include "base/parallel.hpp"
#include "data/field_reader.hpp"
#include "data/file_bytes.hpp"
#include "data/number_text.hpp"
#include "data/split_at_lines.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

namespace adacvar {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

struct Block {
  SparseRows rows;
  std::optional<RowError> error;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Reads the entries of one line; `line` is its number in the block, for messages.
class LineReader {
 public:
  LineReader(std::string_view text, std::size_t line)
      : place_(text.data()), end_(text.data() + text.size()), line_(line) {
    skip_blanks();
  }

  [[nodiscard]] bool ended() const noexcept { return place_ == end_; }

  double label() {
    double value = 0;
    const auto [stop, error] = read_number(place_, end_, value);
    if (error != std::errc() || !is_end_of_word(stop) || !std::isfinite(value)) {
      throw RowError{line_, fmt::format("label '{}' is not a finite number", word())};
    }
    place_ = stop;
    skip_blanks();
    return value;
  }

  void entry(SparseRows& rows, std::uint32_t& last) {
    std::uint32_t index = 0;
    const auto [colon, error] = std::from_chars(place_, end_, index);
    if (error != std::errc() || colon == end_ || *colon != ':') refuse_entry();
    double value = 0;
    const auto [stop, value_error] = read_number(colon + 1, end_, value);
    if (value_error != std::errc() || !is_end_of_word(stop)) refuse_entry();
    const auto narrow = static_cast<float>(value);
    if (!std::isfinite(narrow)) {
      throw RowError{line_, fmt::format("'{}' is not a finite number", word())};
    }
    if (index == 0) throw RowError{line_, fmt::format("'{}': indices begin at 1", word())};
    if (index <= last) {
      throw RowError{line_, fmt::format("index {} after {}: indices must increase", index, last)};
    }
    last = index;
    rows.column.push_back(index - 1);
    rows.value.push_back(narrow);
    place_ = stop;
    skip_blanks();
  }

 private:
  void skip_blanks() noexcept {
    while (place_ != end_ && is_blank(*place_)) ++place_;
  }
  [[nodiscard]] bool is_end_of_word(const char* at) const noexcept {
    return at == end_ || is_blank(*at);
  }
  [[nodiscard]] std::string_view word() const {
    return {place_, static_cast<std::size_t>(std::find_if(place_, end_, is_blank) - place_)};
  }
  [[noreturn]] void refuse_entry() const {
    if (word().starts_with("qid:")) {
      throw RowError{line_, fmt::format("'{}': ranking data (qid) is not supported", word())};
    }
    throw RowError{line_, fmt::format("'{}' is not index:value", word())};
  }

  const char* place_;
  const char* end_;
  std::size_t line_;
};

void parse_line(std::string_view line, std::size_t number, SparseRows& rows) {
  if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
    throw RowError{number, "NUL byte: not a text file"};
  }
  LineReader reader(line.substr(0, line.find('#')), number);
  if (reader.ended()) return;
  rows.target.push_back(reader.label());
  std::uint32_t last = 0;
  while (!reader.ended()) reader.entry(rows, last);
  rows.columns = std::max<std::size_t>(rows.columns, last);
  rows.start.push_back(rows.column.size());
}

Block parse_block(std::string_view text) {
  Block block;
  try {
    for (std::size_t number = 0; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      parse_line(text.substr(0, end), number, block.rows);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  } catch (const RowError& error) {
    block.error = error;
  }
  return block;
}

void append(SparseRows& all, const SparseRows& more) {
  const std::size_t offset = all.column.size();
  for (std::size_t i = 1; i < more.start.size(); ++i) all.start.push_back(offset + more.start[i]);
  all.column.insert(all.column.end(), more.column.begin(), more.column.end());
  all.value.insert(all.value.end(), more.value.begin(), more.value.end());
  all.target.insert(all.target.end(), more.target.begin(), more.target.end());
  all.columns = std::max(all.columns, more.columns);
}

}  // namespace

SparseRows parse_libsvm(std::string_view text, const std::string& source, unsigned threads) {
  const std::vector<std::string_view> texts = split_at_lines(text, kBlockBytes);
  std::vector<Block> blocks(texts.size());
  for_each_block(texts.size(), threads, [&](std::size_t i) { blocks[i] = parse_block(texts[i]); });

  SparseRows all;
  all.source = source;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (const auto& error = blocks[i].error) {
      const auto before = static_cast<std::size_t>(texts[i].data() - text.data());
      const auto lines = static_cast<std::size_t>(std::ranges::count(text.substr(0, before), '\n'));
      throw DataError(error->message, source, lines + error->line + 1);
    }
    append(all, blocks[i].rows);
    blocks[i] = {};
  }
  if (all.rows() == 0) throw DataError("is empty", source);
  if (all.columns == 0) throw DataError("has labels but no features", source);
  return all;
}

SparseRows read_libsvm(const std::filesystem::path& path, unsigned threads) {
  const FileBytes file(path);
  return parse_libsvm(file.text(), file.source(), threads);
}

}  // namespace adacvar
