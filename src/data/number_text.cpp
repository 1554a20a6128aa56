#include "data/number_text.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace adacvar {

namespace {

// from_chars reports "out of range" for overflow and underflow and leaves the value unchanged. The
// decimal exponent of the first digit that is not 0 tells them apart: the limits are far from 0.
double out_of_range_value(std::string_view text) {
  const bool negative = text.starts_with('-');
  long exponent = 0;
  const std::size_t mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    const bool small = text.substr(mark + 1).starts_with('-');
    exponent = small ? -1 : 1;
  } else {
    const std::size_t point = text.find('.');
    const std::size_t digit = text.find_first_of("123456789");
    exponent = point < digit ? -1 : 1;
  }
  const double size = exponent < 0 ? 0.0 : std::numeric_limits<double>::infinity();
  return negative ? -size : size;
}

struct Digits {
  std::uint64_t value;
  unsigned count;  // 8: more may follow
};

// Returns the leading digits of eight bytes without a loop, whose end would be mispredicted.
Digits leading_digits(const char* eight) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  bytes ^= 0x3030303030303030U;  // digits become 0 .. 9, everything else more than that
  const std::uint64_t others = ((bytes + 0x7676767676767676U) | bytes) & 0x8080808080808080U;
  const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
  // Padded with zeros in front to eight digits, which are summed in pairs, then fours.
  const unsigned shift = 8 * (8 - count);
  bytes = count == 8 ? bytes : (bytes << (shift - 8)) << 8U;
  bytes = bytes * 10 + (bytes >> 8U);
  bytes = ((bytes & 0x000000ff000000ffU) * 0x000f424000000064U +
           ((bytes >> 16U) & 0x000000ff000000ffU) * 0x0000271000000001U) >>
          32U;
  return {bytes, count};
}

// Outside the function, where they would be copied onto the stack at each call.
constexpr std::array kPowers = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
constexpr std::array<std::uint64_t, 8> kWholePowers = {1,      10,      100,       1'000,
                                                       10'000, 100'000, 1'000'000, 10'000'000};

// A number of few digits without an exponent: its digits as a whole number and the power of ten
// that divides it are exact doubles, so one division rounds right, as from_chars does, in much less
// time. Returns the end of the number, or null if it is not of that kind.
const char* read_short_decimal(const char* at, const char* end, double& value) noexcept {
  constexpr std::ptrdiff_t kReach = 1 + 8 + 1 + 8 + 1;  // sign, digits, point, digits, what follows
  if (std::endian::native != std::endian::little || end - at < kReach) return nullptr;
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  const Digits whole = leading_digits(at);
  at += whole.count;
  Digits fraction{0, 0};
  if (*at == '.') {
    fraction = leading_digits(++at);
    at += fraction.count;
  }
  const unsigned digits = whole.count + fraction.count;
  if (digits == 0 || whole.count == 8 || fraction.count == 8 || *at == 'e' || *at == 'E') {
    return nullptr;
  }
  const std::uint64_t all = whole.value * kWholePowers[fraction.count] + fraction.value;
  const double size = static_cast<double>(static_cast<std::int64_t>(all)) / kPowers[fraction.count];
  // Sets the sign bit without a branch: signs are nearly random, so it would be mispredicted.
  value =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | std::uint64_t{negative} << 63U);
  return at;
}

bool equal_ignoring_case(std::string_view field, std::string_view lower) noexcept {
  if (field.size() != lower.size()) return false;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(field[i])) != lower[i]) return false;
  }
  return true;
}

}  // namespace

std::from_chars_result read_number(const char* begin, const char* end, double& value) {
  if (begin != end && *begin == '+') {
    ++begin;
    // "+-1" is not a number, though "-1" is.
    if (begin == end || *begin == '-') return {begin, std::errc::invalid_argument};
  }
  if (const char* const stop = read_short_decimal(begin, end, value)) return {stop, std::errc()};
  std::from_chars_result result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    value = out_of_range_value({begin, static_cast<std::size_t>(result.ptr - begin)});
    result.ec = std::errc();
  }
  return result;
}

bool parse_number(std::string_view field, double& value) {
  const char* const end = field.data() + field.size();
  const auto [stop, error] = read_number(field.data(), end, value);
  return error == std::errc() && stop == end && !std::isnan(value);
}

bool is_missing(std::string_view field) noexcept {
  return field.empty() || field == "?" || equal_ignoring_case(field, "na") ||
         equal_ignoring_case(field, "nan");
}

bool is_missing_number(std::string_view field) noexcept {
  constexpr std::array<std::string_view, 4> kWords = {"null", "none", "n/a", "#n/a"};
  if (is_missing(field) || field == "-") return true;
  for (const std::string_view word : kWords) {
    if (equal_ignoring_case(field, word)) return true;
  }
  return false;
}

}  // namespace adacvar
