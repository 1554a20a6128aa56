#include "data/read_table.hpp"
#include "data/table_stream.hpp"

#include "base/collectives.hpp"
#include "base/did_you_mean.hpp"
#include "base/name_list.hpp"
#include "base/utf8.hpp"
#include "data/block_pipeline.hpp"
#include "data/csv_layout.hpp"
#include "data/field_reader.hpp"
#include "data/file_bytes.hpp"
#include "data/foreign_format.hpp"
#include "data/levels.hpp"
#include "data/number_format.hpp"
#include "data/number_text.hpp"
#include "data/parse_csv_file.hpp"
#include "data/split_at_lines.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace adacvar {

namespace {

// Small enough for a block's columns to stay in the cache, large enough to hide the overhead of
// threads.
constexpr std::size_t kBlockBytes = std::size_t{1} << 19U;

enum class Kind : std::uint8_t { numeric, categorical, dropped };

struct BlockColumn {
  std::vector<double> numbers;
  std::vector<std::uint32_t> codes;
  Levels levels;
  CompactNames fields;               // the text of a column that is kept as written
  std::vector<TextValue> texts;      // text values of a column that is known to be numeric
  bool textual = false;              // assumed numeric, but has text
  bool has_missing_word = false;     // has a word that means missing in a numeric column
  std::optional<RowError> infinite;  // an error only if the column stays numeric

  void clear() {  // keeps the memory of the numbers
    numbers.clear();
    codes.clear();
    levels = {};
    fields = {};
    texts.clear();
    textual = false;
    has_missing_word = false;
    infinite.reset();
  }
};

struct Block {
  std::string_view text;
  std::size_t number = 0;
  std::vector<BlockColumn> columns;
  std::size_t rows = 0;
  std::optional<RowError> error;
};

/// A column, with the blocks read so far.
struct Result {
  CompactNumbers numbers;
  std::vector<std::uint32_t> codes;
  Levels levels;
  CompactNames fields;
  std::vector<TextValue> texts;
  bool textual = false;
  bool has_missing_word = false;
  std::optional<RowError> infinite;
  std::size_t infinite_block = 0;

  void append(const BlockColumn& part, std::size_t block) {
    for (const TextValue& text : part.texts) {
      texts.push_back({numbers.size() + text.row, 0, as_utf8(text.text)});
    }
    numbers.append(part.numbers);
    for (const std::string_view field : part.fields) fields.push_back(as_utf8(field));
    std::vector<std::uint32_t> code_of;
    for (std::size_t code = 0; code < part.levels.size(); ++code) {
      code_of.push_back(levels.code(as_utf8(part.levels.name(code))));
    }
    for (const std::uint32_t code : part.codes) {
      codes.push_back(code == kMissingLevel ? kMissingLevel : code_of[code]);
    }
    textual = textual || part.textual;
    has_missing_word = has_missing_word || part.has_missing_word;
    if (part.infinite && !infinite) {
      infinite = part.infinite;
      infinite_block = block;
    }
  }
};

/// Words and numbers that mean a missing value, given by the user.
class MissingWords {
 public:
  explicit MissingWords(const std::vector<std::string>& words) : words_(words) {
    for (const std::string& word : words) {
      double number = 0;
      if (parse_number(word, number)) numbers_.push_back(number);
    }
  }
  [[nodiscard]] bool contain(std::string_view field) const {
    return !words_.empty() && std::ranges::find(words_, field) != words_.end();
  }
  [[nodiscard]] bool contain(double number) const {
    return !numbers_.empty() && std::ranges::find(numbers_, number) != numbers_.end();
  }

 private:
  const std::vector<std::string>& words_;
  std::vector<double> numbers_;
};

/// How a numeric column is read.
struct NumericReading {
  bool known = false;  // numeric whatever its values, in this format
  bool plain = true;   // plain numbers are tried first
  NumberFormat format = {};
};

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();

// The slow path of read_numeric, for fields that are not plain numbers.
double read_other(FieldReader& reader, const NumericReading& reading, const MissingWords& missing,
                  BlockColumn& column) {
  const std::string_view field = reader.field();
  double value = kMissingNumber;
  const bool is_number = reading.known ? parse_number(as_utf8(field), reading.format, value)
                                       : parse_number(field, value);
  if (is_number) return value;
  if (is_missing(field) || missing.contain(field)) return kMissingNumber;
  if (is_missing_number(field)) {
    column.has_missing_word = true;
  } else if (reading.known) {
    column.texts.push_back({column.numbers.size(), 0, std::string(field)});
  } else {
    column.textual = true;
  }
  return kMissingNumber;
}

void read_numeric(FieldReader& reader, const std::string& name, const NumericReading& reading,
                  const MissingWords& missing, BlockColumn& column) {
  double value = kMissingNumber;
  if (!reading.plain || !reader.number(value)) {
    value = read_other(reader, reading, missing, column);
  }
  if (std::isinf(value) && !column.infinite) {
    column.infinite =
        RowError{reader.row_line(), fmt::format("infinite value in column '{}'", name)};
  }
  column.numbers.push_back(missing.contain(value) ? kMissingNumber : value);
}

// A set, since searching a list for every column of a wide file would be quadratic.
using NameSet = std::unordered_set<std::string_view>;

void read_level(FieldReader& reader, const MissingWords& missing, BlockColumn& column) {
  const std::string_view field = reader.field();
  const bool is_absent = is_missing(field) || missing.contain(field);
  column.codes.push_back(is_absent ? kMissingLevel : column.levels.code(field));
}

/// Returns a note with the first level whose number differs from its plain reading.
std::string format_note(const Column& column, const NumberFormat& format) {
  for (const std::string_view level : column.levels) {
    double value = 0;
    double plain = 0;
    if (!parse_number(level, format, value)) continue;
    if (parse_number(level, plain) && plain == value) continue;
    return fmt::format("column '{}' is read as numbers: '{}' is {}", column.name, level, value);
  }
  return {};
}

std::string ambiguous_note(const Column& column) {
  double with_point = 0;
  double with_comma = 0;
  const NumberFormat format = find_format(column.levels, count_levels(column), {}).format;
  for (const std::string_view level : column.levels) {
    if (!parse_number(level, {'.', format.mark, true}, with_point) ||
        !parse_number(level, {',', format.mark, true}, with_comma) || with_point == with_comma) {
      continue;
    }
    return fmt::format(
        "column '{}' is read as text: '{}' may be {} or {}; set --decimal point or comma",
        column.name, level, with_point, with_comma);
  }
  return {};
}

// Names of levels that are given to all ranks, in bytes of one column.
constexpr std::size_t kMostLevelBytes = std::size_t{256} << 20U;

/// Parses one table, or the part of this rank; constructed by each call of parse_csv.
class CsvParser {
 public:
  CsvParser(std::string_view text, std::string source, const ReadOptions& options,
            Communicator& ranks, std::size_t lines_before = 0)
      : text_(text),
        source_(std::move(source)),
        options_(options),
        missing_(options.missing),
        ranks_(ranks),
        lines_before_(lines_before) {}

  Table parse();

 private:
  class Blocks;

  [[noreturn]] void fail(std::string_view from, const RowError& error) const;
  void skip_preamble();
  void read_layout();
  void choose_kinds();
  void drop_index();
  void take_part();
  std::size_t find_name(const std::string& name, std::string_view role) const;
  void parse_blocks();
  void parse_block(Block& block) const;
  void parse_rows(Block& block) const;
  void append_column(const Block& block, std::size_t c);
  void read_row(FieldReader& reader, Block& block) const;
  [[nodiscard]] RowError ragged_row(std::size_t line, std::size_t columns) const;
  bool reconsider_kinds();
  void share_levels(std::size_t c);
  void check_errors() const;
  [[nodiscard]] Column take_column(std::size_t c);
  void recognise_numbers(Column& column);
  void check_first_row(const Column& column) const;
  void note_dotted(const std::vector<Column>& columns);
  void find_lines(std::vector<Column>& columns) const;

  std::string_view text_;
  std::string source_;
  const ReadOptions& options_;
  MissingWords missing_;
  Communicator& ranks_;
  std::size_t lines_before_;
  std::string_view body_;  // text_ without preamble and header; then the part of this rank
  CsvLayout layout_;
  std::vector<Kind> kinds_;
  std::vector<NumericReading> readings_;
  std::vector<bool> declared_;  // declared categorical by the user
  std::vector<bool> verbatim_;  // kept as written
  std::vector<std::string> unread_;
  std::vector<std::string> notes_;
  std::vector<std::string_view> block_texts_;
  std::vector<Result> results_;
  std::size_t rows_ = 0;
};

/// The blocks of a table, for BlockPipeline; its lanes are the columns.
class CsvParser::Blocks {
 public:
  explicit Blocks(CsvParser& parser)
      : parser_(parser), quoted_(parser.body_, parser.layout_.separator) {}

  bool cut(Block& block) {
    const std::string_view body = parser_.body_;
    if (begin_ >= body.size()) return false;
    block.text = block_at(body, begin_, kBlockBytes,
                          [this](std::size_t position) { return !quoted_.contain(position); });
    block.number = parser_.block_texts_.size();
    parser_.block_texts_.push_back(block.text);
    begin_ += block.text.size();
    return true;
  }
  bool work(Block& block) {
    parser_.parse_block(block);
    return !block.error;
  }
  void take(const Block& block, std::size_t column) { parser_.append_column(block, column); }
  void finish(const Block& block) {
    if (block.error && !failed_) failed_ = {block.text, *block.error};
    parser_.rows_ += block.rows;
    done_ = static_cast<std::size_t>(block.text.data() - parser_.text_.data()) + block.text.size();
  }
  void report() {
    const std::size_t done = done_;
    if (!parser_.options_.progress || done <= reported_) return;
    reported_ = done;
    parser_.options_.progress(done, parser_.text_.size());
  }
  void check_error() const {
    if (failed_) parser_.fail(failed_->text, failed_->error);
  }

 private:
  struct Failure {
    std::string_view text;
    RowError error;
  };

  CsvParser& parser_;
  QuotedLines quoted_;
  std::size_t begin_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::size_t reported_ = 0;
  std::optional<Failure> failed_;  // the first
};

// Lines are counted only on an error.
void CsvParser::fail(std::string_view from, const RowError& error) const {
  const std::string_view before =
      text_.substr(0, static_cast<std::size_t>(from.data() - text_.data()));
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  throw DataError(error.message, source_, lines_before_ + lines + error.line + 1);
}

void CsvParser::skip_preamble() {
  body_ = text_;
  if (body_.starts_with("\xef\xbb\xbf")) body_.remove_prefix(3);  // a byte order mark
  while (!body_.empty() && options_.preamble.find(body_[0]) != std::string::npos) {
    body_.remove_prefix(std::min(body_.find('\n'), body_.size() - 1) + 1);
  }
}

void CsvParser::read_layout() {
  if (body_.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw DataError("is empty", source_);
  }
  try {
    layout_ = find_layout(body_, options_);
  } catch (const RowError& error) {
    const std::size_t first = body_.find_first_not_of(" \t\r\n");
    const std::size_t line = body_.substr(0, first).rfind('\n');
    fail(body_.substr(error.line > 0 || line == std::string_view::npos ? 0 : line + 1), error);
  }
  body_.remove_prefix(layout_.body);
  if (options_.needs_rows && body_.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw DataError("has a header but no rows", source_);
  }
}

std::size_t CsvParser::find_name(const std::string& name, std::string_view role) const {
  const auto found = std::ranges::find(layout_.names, name);
  if (found == layout_.names.end()) {
    throw DataError(fmt::format("{} column '{}' is not one of: {}{}", role, name,
                                name_list(layout_.names), did_you_mean(name, layout_.names)),
                    source_);
  }
  return static_cast<std::size_t>(found - layout_.names.begin());
}

void CsvParser::choose_kinds() {
  // With a decimal comma even plain numbers differ: 1.234 is 1234.
  const bool plain = options_.decimal != DecimalChoice::comma;
  for (const bool textual : layout_.textual) {
    kinds_.push_back(textual || !plain ? Kind::categorical : Kind::numeric);
  }
  readings_.resize(kinds_.size());
  declared_.resize(kinds_.size());
  verbatim_.resize(kinds_.size());
  for (const std::string& name : options_.verbatim) verbatim_[find_name(name, "keep")] = true;
  for (const std::string& name : options_.categorical) {
    declared_[find_name(name, "categorical")] = true;
  }
  std::unordered_map<std::string_view, const NumberFormat*> numeric;
  for (const KnownNumbers& known : options_.known_numeric) numeric[known.name] = &known.format;
  const NameSet categorical(options_.known_categorical.begin(), options_.known_categorical.end());
  const NameSet only =
      options_.only ? NameSet(options_.only->begin(), options_.only->end()) : NameSet();
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    const std::string& name = layout_.names[c];
    if (const auto known = numeric.find(name); known != numeric.end()) {
      kinds_[c] = Kind::numeric;
      readings_[c] = {true, *known->second == NumberFormat{}, *known->second};
    }
    if (categorical.contains(name)) declared_[c] = true;
    if (declared_[c]) kinds_[c] = Kind::categorical;
    if (options_.only && !only.contains(name)) {
      kinds_[c] = Kind::dropped;
      unread_.push_back(name);
    }
  }
  for (const std::string& name : options_.drop) kinds_[find_name(name, "drop")] = Kind::dropped;
  if (layout_.has_index && !declared_[0] && kinds_[0] != Kind::dropped) drop_index();
  if (!options_.only &&
      std::ranges::all_of(kinds_, [](Kind kind) { return kind == Kind::dropped; })) {
    throw DataError("every column is dropped", source_);
  }
}

void CsvParser::drop_index() {
  kinds_[0] = Kind::dropped;
  unread_.push_back(layout_.names[0]);
  notes_.emplace_back("the first column has no name: it is treated as a row index and left out");
}

/// The lines of a rank. Whether they begin within quotes depends on what is before: both cases are
/// looked at.
struct LinesOfRank {
  static constexpr std::uint64_t kNone = static_cast<std::uint64_t>(-1);

  std::array<std::uint64_t, 2> first_row{kNone, kNone};  // outside, inside
  std::array<std::uint64_t, 2> ends_inside{0, 0};
};

LinesOfRank find_rows(std::string_view text, char separator, std::size_t begin, std::size_t end) {
  LinesOfRank lines;
  for (const std::size_t inside : {0U, 1U}) {
    QuotedLines quoted(text.substr(0, end), separator, begin, inside == 1);
    lines.ends_inside.at(inside) = quoted.ends_inside() ? 1 : 0;
    if (inside == 0) {
      lines.first_row[0] = begin;
      continue;
    }
    std::size_t line_end = text.substr(0, end).find('\n', begin);
    while (line_end != std::string_view::npos && quoted.contain(line_end)) {
      line_end = text.substr(0, end).find('\n', line_end + 1);
    }
    if (line_end != std::string_view::npos) lines.first_row[1] = line_end + 1;
  }
  // Nothing is closed in no lines at all.
  if (begin == end) lines.ends_inside = {0, 1};
  return lines;
}

// Every rank looks at its bytes, from line end to line end; rows that begin in them are its own.
void CsvParser::take_part() {
  const std::size_t size = ranks_.size();
  if (size == 1) return;
  const auto line_at = [&](std::size_t rank) {
    const std::size_t place = body_.size() / size * rank;
    if (place == 0) return place;
    if (rank == size) return body_.size();
    const std::size_t line_end = body_.find('\n', place - 1);
    return line_end == std::string_view::npos ? body_.size() : line_end + 1;
  };
  const std::size_t rank = ranks_.rank();
  const std::vector<LinesOfRank> lines =
      gather_one(ranks_, find_rows(body_, layout_.separator, line_at(rank), line_at(rank + 1)));
  std::size_t begin = body_.size();
  std::size_t end = body_.size();
  std::size_t inside = 0;
  for (std::size_t r = 0; r < size; ++r) {
    const std::uint64_t first = lines[r].first_row.at(inside);
    if (first != LinesOfRank::kNone && r == rank) begin = first;
    if (first != LinesOfRank::kNone && r > rank) end = std::min<std::size_t>(end, first);
    inside = lines[r].ends_inside.at(inside);
  }
  body_ = body_.substr(begin, std::max(begin, end) - begin);
}

RowError CsvParser::ragged_row(std::size_t line, std::size_t columns) const {
  return {line, fmt::format("{} column{}, {} has {}", columns, columns == 1 ? "" : "s",
                            layout_.header ? "header" : "first row", kinds_.size())};
}

void CsvParser::read_row(FieldReader& reader, Block& block) const {
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (reader.row_ended()) throw ragged_row(reader.row_line(), c);
    if (verbatim_[c]) {
      FieldReader ahead = reader;
      block.columns[c].fields.push_back(ahead.field());
    }
    switch (kinds_[c]) {
      case Kind::numeric:
        read_numeric(reader, layout_.names[c], readings_[c], missing_, block.columns[c]);
        break;
      case Kind::categorical:
        read_level(reader, missing_, block.columns[c]);
        break;
      case Kind::dropped:
        (void)reader.field();
        break;
    }
  }
  if (reader.row_ended()) return;
  std::size_t columns = kinds_.size();
  for (; !reader.row_ended(); ++columns) (void)reader.field();
  throw ragged_row(reader.row_line(), columns);
}

void CsvParser::parse_rows(Block& block) const {
  const std::string_view text = block.text;
  const std::size_t first_line = std::max<std::size_t>(1, std::min(text.find('\n'), text.size()));
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    const std::size_t guess = text.size() / first_line + 16;
    if (kinds_[c] == Kind::numeric) block.columns[c].numbers.reserve(guess);
    if (kinds_[c] == Kind::categorical) block.columns[c].codes.reserve(guess);
  }
  FieldReader reader(text, layout_.separator);
  while (reader.next_row()) {
    read_row(reader, block);
    ++block.rows;
  }
}

void CsvParser::parse_block(Block& block) const {
  block.columns.resize(kinds_.size());
  for (BlockColumn& column : block.columns) column.clear();
  block.rows = 0;
  block.error.reset();
  try {
    parse_rows(block);
  } catch (const RowError& error) {
    block.error = error;
  }
  // Binary files look ragged too; the NUL byte is the better message.
  const std::string_view text = block.text;
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    const auto line = static_cast<std::size_t>(std::ranges::count(text.substr(0, zero), '\n'));
    if (!block.error || line <= block.error->line) {
      block.error = RowError{line, "NUL byte: not a text file"};
    }
  }
}

void CsvParser::append_column(const Block& block, std::size_t c) {
  Result& result = results_[c];
  result.append(block.columns[c], block.number);
  if (block.number > 0 || block.text.size() == body_.size()) return;
  // Blocks are similar, so memory for all rows is reserved at once, with a margin.
  const double blocks = static_cast<double>(body_.size()) / static_cast<double>(block.text.size());
  const auto expected =
      static_cast<std::size_t>(static_cast<double>(block.rows) * blocks * 17.0 / 16.0);
  if (kinds_[c] == Kind::numeric) result.numbers.reserve(expected);
  if (kinds_[c] == Kind::categorical) result.codes.reserve(expected);
}

void CsvParser::parse_blocks() {
  constexpr std::size_t kBlocksPerThread = 4;
  const std::size_t threads =
      options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
  // Blocks take several times the memory of their text, so at most an eighth of the file is parsed
  // at once.
  const std::size_t most = std::max<std::size_t>(1, body_.size() / kBlockBytes / 8);
  block_texts_.clear();
  results_.assign(kinds_.size(), {});
  rows_ = 0;
  Blocks blocks(*this);
  BlockPipeline<Block, Blocks> pipeline(
      blocks, threads == 1 ? 1 : std::min(threads * kBlocksPerThread, most), kinds_.size());
  pipeline.run(threads);
  blocks.check_error();
  blocks.report();
}

// The sample may have only numbers where text follows; words for a missing number in a column
// without numbers are categories.
bool CsvParser::reconsider_kinds() {
  const std::size_t columns = kinds_.size();
  std::vector<std::size_t> textual(columns);
  std::vector<std::size_t> words(columns);
  std::vector<std::size_t> numbers(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const Result& result = results_[c];
    textual[c] = result.textual ? 1 : 0;
    words[c] = result.has_missing_word ? 1 : 0;
  }
  sum_counts(ranks_, textual);
  sum_counts(ranks_, words);
  for (std::size_t c = 0; c < columns; ++c) {
    const auto is_number = [](double number) { return !std::isnan(number); };
    if (words[c] > 0 && std::ranges::any_of(results_[c].numbers, is_number)) numbers[c] = 1;
  }
  sum_counts(ranks_, numbers);
  bool changed = false;
  for (std::size_t c = 0; c < columns; ++c) {
    const bool only_words = words[c] > 0 && !readings_[c].known && numbers[c] == 0;
    if (textual[c] == 0 && !only_words) continue;
    kinds_[c] = Kind::categorical;
    changed = true;
  }
  return changed;
}

// Ranks have consecutive rows, so levels in the order of the ranks are in that of all rows.
void CsvParser::share_levels(std::size_t c) {
  if (ranks_.size() == 1) return;
  Result& result = results_[c];
  std::string mine;
  for (std::size_t code = 0; code < result.levels.size(); ++code) {
    const std::string_view name = result.levels.name(code);
    const auto length = static_cast<std::uint32_t>(name.size());
    mine.append(reinterpret_cast<const char*>(&length), sizeof length);
    mine += name;
  }
  if (sum_of(ranks_, mine.size()) > kMostLevelBytes) {
    throw DataError(fmt::format("column '{}' has too many different values for several ranks: "
                                "over {} MiB of text; --drop {} leaves it out",
                                layout_.names[c], kMostLevelBytes >> 20U, layout_.names[c]),
                    source_);
  }
  Levels all;
  for (const std::string& text : gather_text(ranks_, mine)) {
    for (std::size_t place = 0; place < text.size();) {
      std::uint32_t length = 0;
      std::memcpy(&length, text.data() + place, sizeof length);
      (void)all.code(std::string_view(text).substr(place + sizeof length, length));
      place += sizeof length + length;
    }
  }
  std::vector<std::uint32_t> code_of;
  for (std::size_t code = 0; code < result.levels.size(); ++code) {
    code_of.push_back(all.code(result.levels.name(code)));
  }
  for (std::uint32_t& code : result.codes) {
    if (code != kMissingLevel) code = code_of[code];
  }
  result.levels = std::move(all);
}

void CsvParser::check_errors() const {
  const auto place = [](const Result& result) {
    return std::pair(result.infinite_block, result.infinite->line);
  };
  const Result* first = nullptr;
  for (const Result& result : results_) {
    if (result.infinite && (first == nullptr || place(result) < place(*first))) first = &result;
  }
  if (first != nullptr) fail(block_texts_[first->infinite_block], *first->infinite);
}

Column CsvParser::take_column(std::size_t c) {
  if (kinds_[c] == Kind::categorical) share_levels(c);
  Column column;
  column.name = layout_.names[c];
  column.categorical = kinds_[c] == Kind::categorical;
  column.numbers = std::move(results_[c].numbers);
  column.codes = std::move(results_[c].codes);
  column.levels = results_[c].levels.take();
  column.texts = std::move(results_[c].texts);
  column.format = readings_[c].format;
  column.declared = declared_[c];
  if (column.categorical && !column.declared) recognise_numbers(column);
  return column;
}

// Numeric columns that are not plain, or have some other values.
void CsvParser::recognise_numbers(Column& column) {
  std::vector<std::size_t> counts = count_levels(column);
  sum_counts(ranks_, counts);
  const FoundFormat found = find_format(column.levels, counts, options_.decimal);
  // A column with text in more than a tenth of its values is not a numeric column with typing
  // errors.
  if (found.numbers == 0 || 10 * found.numbers < 9 * found.present) return;
  if (found.ambiguous) {
    notes_.push_back(ambiguous_note(column));
    return;
  }
  std::string note = format_note(column, found.format);
  if (!note.empty()) notes_.push_back(std::move(note));
  column =
      as_numeric(column, found.format, [this](double number) { return missing_.contain(number); });
  check_first_row(column);
}

// Text in the first row only is more likely a header that was not recognised.
void CsvParser::check_first_row(const Column& column) const {
  if (layout_.header || options_.header || column.texts.empty() || column.texts[0].row > 0) return;
  if (ranks_.rank() > 0) return;  // its first row is not that of the file
  FieldReader reader(body_, layout_.separator);
  (void)reader.next_row();
  fail(body_, {reader.row_line(),
               fmt::format("'{}' in column '{}', nearly all of whose values are numbers; if the "
                           "first row is a header, set header = yes",
                           column.texts[0].text, column.name)});
}

// Plain numbers in a file with decimal commas may have been meant otherwise.
void CsvParser::note_dotted(const std::vector<Column>& columns) {
  if (options_.decimal != DecimalChoice::automatic ||
      std::ranges::none_of(columns, [](const Column& c) { return c.format.decimal == ','; })) {
    return;
  }
  auto column = columns.begin();
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (kinds_[c] == Kind::dropped) continue;
    const Column& one = *column++;
    const bool plain = !one.categorical && !readings_[c].known && one.format.decimal == '.';
    if (!plain || layout_.dotted[c].empty()) continue;
    notes_.push_back(
        fmt::format("column '{}' is read with a decimal point ('{}'), unlike others of the file; "
                    "set --decimal comma to read all columns alike",
                    one.name, layout_.dotted[c]));
  }
}

// Lines are counted only where they are needed.
void CsvParser::find_lines(std::vector<Column>& columns) const {
  std::vector<TextValue*> texts;
  for (Column& column : columns) {
    for (TextValue& text : column.texts) texts.push_back(&text);
  }
  if (texts.empty()) return;
  std::ranges::sort(texts, {}, &TextValue::row);
  const std::string_view before =
      text_.substr(0, static_cast<std::size_t>(body_.data() - text_.data()));
  const std::size_t first =
      lines_before_ + static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  FieldReader reader(body_, layout_.separator);
  auto next = texts.begin();
  for (std::size_t row = 0; next != texts.end() && reader.next_row(); ++row) {
    for (; next != texts.end() && (*next)->row == row; ++next) {
      (*next)->line = first + reader.row_line();
    }
    while (!reader.row_ended()) (void)reader.field();
  }
}

Table CsvParser::parse() {
  skip_preamble();
  if (const std::size_t zero = body_.substr(0, kBlockBytes / 8).find('\0');
      zero != std::string_view::npos) {
    fail(body_.substr(zero), {0, "NUL byte: not a text file"});
  }
  read_layout();
  choose_kinds();
  take_part();
  parse_blocks();
  if (reconsider_kinds()) parse_blocks();
  check_errors();

  Table table;
  table.source = source_;
  table.rows = rows_;
  table.first_row = sum_before(ranks_, rows_);
  table.unread = std::move(unread_);
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (kinds_[c] != Kind::dropped) table.columns.push_back(take_column(c));
  }
  for (const std::string& name : options_.verbatim) {
    table.verbatim.push_back({name, std::move(results_[find_name(name, "keep")].fields)});
  }
  find_lines(table.columns);
  note_dotted(table.columns);
  table.notes = std::move(notes_);
  return table;
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& source, const ReadOptions& options) {
  SelfCommunicator self;
  return CsvParser(text, source, options, self).parse();
}

Table parse_csv(std::string_view text, const std::string& source, const ReadOptions& options,
                Communicator& ranks) {
  return CsvParser(text, source, options, ranks).parse();
}

Table parse_csv(FileBytes& file, ReadOptions options) {
  SelfCommunicator self;
  return parse_csv(file, std::move(options), self);
}

// A copy of the file on some host that is not the same would be cut elsewhere.
void refuse_other_files(const FileBytes& file, Communicator& ranks) {
  if (ranks.size() == 1) return;
  const std::vector<std::uint64_t> sizes = gather_one(ranks, std::uint64_t{file.text().size()});
  for (std::size_t rank = 1; rank < sizes.size(); ++rank) {
    if (sizes[rank] == sizes[0]) continue;
    throw DataError(
        fmt::format("has {} bytes for rank 0, but {} for rank {}: all must see the same "
                    "file",
                    sizes[0], sizes[rank], rank),
        file.source());
  }
}

Table parse_csv(FileBytes& file, ReadOptions options, Communicator& ranks) {
  refuse_other_files(file, ranks);
  // A process of an MPI job usually has one core.
  if (ranks.size() > 1 && options.threads == 0) options.threads = 1;
  options.progress = [&file, show = std::move(options.progress)](std::uint64_t done,
                                                                 std::uint64_t total) {
    file.release(static_cast<std::size_t>(done));
    if (show) show(done, total);
  };
  return parse_csv(file.text(), file.source(), options, ranks);
}

Table read_csv(const std::filesystem::path& path, const ReadOptions& options) {
  FileBytes file(path);
  if (options.preamble.empty()) refuse_foreign_format(file.text(), file.source());
  return parse_csv(file, options);
}

/// Splits the text into blocks of whole rows and parses each with the layout of the first.
class TableStream::Reader {
 public:
  Reader(const std::filesystem::path& path, const ReadOptions& options)
      : file_(path), options_(options), progress_(std::exchange(options_.progress, {})) {}

  bool next(Table& block) {
    const std::size_t end = fill();
    if (progress_) progress_(file_.done(), file_.total());
    const std::string_view text = std::string_view(text_).substr(0, end);
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (blank && known_) return false;
    SelfCommunicator self;
    block = CsvParser(text, file_.source(), options_, self, lines_).parse();
    keep_layout();
    block.first_row = first_row_;
    first_row_ += block.rows;
    lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    text_.erase(0, end);
    return true;
  }

 private:
  // Returns the end of the last complete row once enough text is read; at the end of the file, its
  // end.
  std::size_t fill() {
    constexpr std::size_t kWanted = 16 * kBlockBytes;
    for (std::size_t wanted = kWanted;; wanted *= 2) {
      bool more = true;
      while (text_.size() < wanted && more) more = file_.append_to(text_);
      if (!known_) learn_layout();
      if (!more) return text_.size();
      const std::size_t end = last_row_end();
      if (end > 0) return end;  // otherwise the row is longer than the text so far
    }
  }

  // Returns the position after the last line end outside quotes.
  [[nodiscard]] std::size_t last_row_end() const {
    QuotedLines quoted(text_, layout_.separator);
    std::size_t end = text_.rfind('\n');
    while (end != std::string::npos && quoted.contain(end)) {
      end = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    }
    return end == std::string::npos ? 0 : end + 1;
  }

  void learn_layout() {
    std::string_view body = text_;
    if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
    if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    try {
      layout_ = find_layout(body, options_);
    } catch (const RowError&) {
      return;  // the parser reports the error with its line
    }
  }

  // Later blocks have no header, and columns given by name exist or have been reported.
  void keep_layout() {
    if (known_) return;
    known_ = true;
    options_.separator = layout_.separator;
    options_.header = false;
    options_.names = layout_.names;
    options_.preamble.clear();
  }

  FileStream file_;
  ReadOptions options_;    // options of the blocks
  ReadProgress progress_;  // progress of the whole file
  CsvLayout layout_;
  bool known_ = false;
  std::string text_;
  std::size_t first_row_ = 0;
  std::size_t lines_ = 0;
};

TableStream::TableStream(const std::filesystem::path& path, const ReadOptions& options)
    : reader_(std::make_unique<Reader>(path, options)) {}
TableStream::~TableStream() = default;
TableStream::TableStream(TableStream&& other) noexcept = default;
TableStream& TableStream::operator=(TableStream&& other) noexcept = default;

bool TableStream::next(Table& block) { return reader_->next(block); }

}  // namespace adacvar
