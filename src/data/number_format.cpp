#include "data/number_format.hpp"

#include "base/collectives.hpp"
#include "data/number_text.hpp"

#include <adacvar/base/self_communicator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kPercent = "%";

struct Mark {
  std::string_view written;
  std::string_view meant;
};

// The second euro sign is that of Windows-1252, taken for Latin-1 and given in UTF-8.
constexpr std::array kMarks = {Mark{"$", "$"},
                               Mark{"\xe2\x82\xac", "\xe2\x82\xac"},
                               Mark{"\xc2\x80", "\xe2\x82\xac"},
                               Mark{"\xc2\xa3", "\xc2\xa3"},
                               Mark{"\xc2\xa5", "\xc2\xa5"},
                               Mark{"\xe2\x82\xb9", "\xe2\x82\xb9"},
                               Mark{"USD", "USD"},
                               Mark{"EUR", "EUR"},
                               Mark{"GBP", "GBP"},
                               Mark{"CHF", "CHF"},
                               Mark{"JPY", "JPY"}};

/// A field without sign, currency and percent marks.
struct Stripped {
  std::string digits;
  std::string_view mark;
  bool negative = false;
};

// Typographic characters: no-break spaces, the minus sign, the apostrophe.
constexpr std::array kPlainSigns = {Mark{"\xc2\xa0", " "}, Mark{"\xe2\x80\xaf", " "},
                                    Mark{"\xe2\x88\x92", "-"}, Mark{"\xe2\x80\x99", "'"}};

std::string with_plain_signs(std::string_view text) {
  std::string result(text);
  for (const auto& [written, meant] : kPlainSigns) {
    for (std::size_t at = result.find(written); at != std::string::npos;
         at = result.find(written, at)) {
      result.replace(at, written.size(), meant);
    }
  }
  return result;
}

void trim(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
}

bool take_sign(std::string_view& text, bool& negative) {
  // Accountants write (5.00) for -5.00.
  if (text.starts_with('(') && text.ends_with(')')) {
    negative = true;
    text.remove_prefix(1);
    text.remove_suffix(1);
    trim(text);
    return true;
  }
  if (!text.starts_with('-') && !text.starts_with('+')) return false;
  negative = text.starts_with('-');
  text.remove_prefix(1);
  trim(text);
  return true;
}

std::string_view take_mark(std::string_view& text) {
  for (const auto& [written, meant] : kMarks) {
    if (text.starts_with(written)) {
      text.remove_prefix(written.size());
    } else if (text.ends_with(written)) {
      text.remove_suffix(written.size());
    } else {
      continue;
    }
    trim(text);
    return meant;
  }
  if (!text.ends_with(kPercent)) return {};
  text.remove_suffix(1);
  trim(text);
  return kPercent;
}

std::optional<Stripped> strip(std::string_view field) {
  if (field.find_first_of(kDigits) == std::string_view::npos) return std::nullopt;
  const std::string plain = with_plain_signs(field);
  std::string_view text = plain;
  trim(text);
  Stripped result;
  const bool has_sign = take_sign(text, result.negative);
  result.mark = take_mark(text);
  if (!has_sign) (void)take_sign(text, result.negative);
  result.digits = text;
  return result;
}

bool are_digits(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

// "1,234,567" but neither "12,34" nor "0,640", which is no way to write a whole number.
bool is_grouped(std::string_view whole, char separator) {
  std::size_t end = whole.find(separator);
  if (end == 0 || end > 3 || whole.starts_with('0') || !are_digits(whole.substr(0, end))) {
    return false;
  }
  while (end != std::string_view::npos) {
    whole.remove_prefix(end + 1);
    end = whole.find(separator);
    if (std::min(end, whole.size()) != 3 || !are_digits(whole.substr(0, 3))) return false;
  }
  return true;
}

// Parses a number as parse_number does; empty if it is not a number. Unless `grouped`, a lone comma
// or point before three digits is not accepted: it may be the decimal sign of another convention.
std::string plain_text(std::string_view digits, char decimal, bool grouped) {
  const std::string_view exponent =
      digits.substr(std::min(digits.find_first_of("eE"), digits.size()));
  digits.remove_suffix(exponent.size());
  const std::size_t point = std::min(digits.find(decimal), digits.size());
  std::string whole(digits.substr(0, point));
  const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (!are_digits(fraction)) return {};
  if (const std::size_t at = whole.find_first_not_of(kDigits); at != std::string::npos) {
    const char separator = whole[at];
    const bool is_blank = separator == ' ' || separator == '\'';
    const bool allowed = is_blank || separator == (decimal == ',' ? '.' : ',');
    if (!allowed || !is_grouped(whole, separator)) return {};
    const bool is_lone = std::ranges::count(whole, separator) == 1 && point == digits.size();
    if (!grouped && !is_blank && is_lone) return {};
    std::erase(whole, separator);
  }
  if (whole.empty() && fraction.empty()) return {};
  return whole + '.' + std::string(fraction) + std::string(exponent);
}

bool parse_stripped(const Stripped& stripped, char decimal, double& value, bool grouped = true) {
  const std::string text = plain_text(stripped.digits, decimal, grouped);
  if (text.empty() || !parse_number(text, value) || !std::isfinite(value)) return false;
  if (stripped.negative) value = -value;
  return true;
}

bool has_mark(const Stripped& stripped, std::string_view mark) {
  return stripped.mark == mark || (stripped.mark.empty() && mark != kPercent);
}

bool is_plain(std::string_view field) {
  double value = 0;
  return parse_number(field, value) && std::isfinite(value);
}

/// Numbers in a column's values, by decimal sign.
struct Tally {
  std::size_t present = 0;
  std::size_t points = 0;
  std::size_t commas = 0;
  bool differ_by_comma = false;  // `1,234`
  bool differ_by_point = false;  // `1.234`, with a mark
};

// Currencies with which a comma before three digits separates thousands.
bool has_decimal_point(std::string_view mark) {
  constexpr std::array<std::string_view, 7> kMarksWithPoint = {
      "$", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9", "USD", "GBP", "JPY"};
  return std::ranges::find(kMarksWithPoint, mark) != kMarksWithPoint.end();
}

bool is_ambiguous(const Tally& tally, std::string_view mark) {
  return tally.points == tally.commas &&
         (tally.differ_by_point || (tally.differ_by_comma && !has_decimal_point(mark)));
}

void tally(std::string_view value, std::size_t count, std::string_view mark, Tally& result) {
  result.present += count;
  const std::optional<Stripped> stripped = strip(value);
  if (!stripped || !has_mark(*stripped, mark)) return;
  double with_point = 0;
  double with_comma = 0;
  const bool point = parse_stripped(*stripped, '.', with_point);
  const bool comma = parse_stripped(*stripped, ',', with_comma);
  if (point) result.points += count;
  if (comma) result.commas += count;
  if (!point || !comma || with_point == with_comma || is_plain(value)) return;
  (value.find(',') != std::string_view::npos ? result.differ_by_comma : result.differ_by_point) =
      true;
}

std::string_view first_mark(const CompactNames& values, std::span<const std::size_t> counts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] == 0) continue;
    const std::optional<Stripped> stripped = strip(values[i]);
    if (stripped && !stripped->mark.empty()) return stripped->mark;
  }
  return {};
}

}  // namespace

bool parse_number(std::string_view field, const NumberFormat& format, double& value) {
  if (format.decimal == '.' && format.mark != kPercent && parse_number(field, value)) {
    return std::isfinite(value);
  }
  const std::optional<Stripped> stripped = strip(field);
  return stripped && has_mark(*stripped, format.mark) &&
         parse_stripped(*stripped, format.decimal, value, format.grouped);
}

bool is_number_in_any_format(std::string_view field) {
  double value = 0;
  if (parse_number(field, value)) return true;
  const std::optional<Stripped> stripped = strip(field);
  return stripped &&
         (parse_stripped(*stripped, '.', value) || parse_stripped(*stripped, ',', value));
}

namespace {

// With a currency and a decimal point, thousands are grouped even if no value is that large.
bool has_groups(const CompactNames& values, std::span<const std::size_t> counts,
                const NumberFormat& format) {
  if (format.decimal == '.' && has_decimal_point(format.mark)) return true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] == 0) continue;
    const std::optional<Stripped> stripped = strip(values[i]);
    const char separator = format.decimal == ',' ? '.' : ',';
    double ignored = 0;
    if (stripped && stripped->digits.find(separator) != std::string::npos &&
        parse_stripped(*stripped, format.decimal, ignored)) {
      return true;
    }
  }
  return false;
}

}  // namespace

FoundFormat find_format(const CompactNames& values, std::span<const std::size_t> counts,
                        DecimalChoice decimal) {
  const std::string_view mark = first_mark(values, counts);
  Tally found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] > 0 && !is_missing_number(values[i])) tally(values[i], counts[i], mark, found);
  }
  const bool automatic = decimal == DecimalChoice::automatic;
  const bool comma = automatic ? found.commas > found.points : decimal == DecimalChoice::comma;
  NumberFormat format{comma ? ',' : '.', std::string(mark)};
  format.grouped = has_groups(values, counts, format);
  return {.format = std::move(format),
          .ambiguous = automatic && is_ambiguous(found, mark),
          .present = found.present,
          .numbers = comma ? found.commas : found.points};
}

std::vector<std::size_t> count_levels(const Column& column) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const std::uint32_t code : column.codes) {
    if (code != kMissingLevel) ++counts[code];
  }
  return counts;
}

std::vector<std::size_t> count_levels(const Column& column, std::span<const Index> rows) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const Index row : rows) {
    if (column.codes[row] != kMissingLevel) ++counts[column.codes[row]];
  }
  return counts;
}

Column as_numeric(const Column& categorical, const NumberFormat& format,
                  const std::function<bool(double)>& is_missing) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  Column column;
  column.name = categorical.name;
  column.format = format;
  CompactNumbers numbers;
  std::vector<bool> is_text;
  for (const std::string_view level : categorical.levels) {
    double value = kMissing;
    const bool number = parse_number(level, format, value);
    const bool is_given = number && !(is_missing && is_missing(value));
    numbers.push_back(is_given ? value : kMissing);
    is_text.push_back(!number && !is_missing_number(level));
  }
  column.numbers.reserve(categorical.codes.size());
  for (std::size_t row = 0; row < categorical.codes.size(); ++row) {
    const std::uint32_t code = categorical.codes[row];
    column.numbers.push_back(code == kMissingLevel ? kMissing : numbers[code]);
    if (code != kMissingLevel && is_text[code]) {
      column.texts.push_back({row, 0, std::string(categorical.levels[code])});
    }
  }
  return column;
}

std::optional<Column> numeric_in(const Column& categorical, std::span<const Index> rows) {
  SelfCommunicator self;
  return numeric_in(categorical, rows, self);
}

std::optional<Column> numeric_in(const Column& categorical, std::span<const Index> rows,
                                 Communicator& ranks) {
  if (!categorical.categorical || categorical.declared) return std::nullopt;
  std::vector<std::size_t> counts = count_levels(categorical, rows);
  sum_counts(ranks, counts);
  const FoundFormat found = find_format(categorical.levels, counts, DecimalChoice::automatic);
  if (found.ambiguous || found.numbers == 0 || found.numbers < found.present) return std::nullopt;
  return as_numeric(categorical, found.format);
}

}  // namespace adacvar
