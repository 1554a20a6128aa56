#include "data/compact_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>

namespace adacvar {

namespace {

constexpr std::array kPowers = {1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr int kMostDecimals = static_cast<int>(kPowers.size()) - 1;

template <std::integral Stored>
constexpr Stored kMissing = std::numeric_limits<Stored>::min();

// Returns false when the number cannot be represented exactly.
template <std::integral Stored>
bool encode(double number, int decimals, Stored& stored) {
  if (std::isnan(number)) {
    stored = kMissing<Stored>;
    return true;
  }
  constexpr double kMost = std::numeric_limits<Stored>::max();
  const double power = kPowers[static_cast<std::size_t>(decimals)];
  const double scaled = number * power + (number < 0 ? -0.5 : 0.5);
  if (!(std::abs(scaled) <= kMost)) return false;
  stored = static_cast<Stored>(scaled);
  return static_cast<double>(stored) / power == number && !(stored == 0 && std::signbit(number));
}
template <std::floating_point Stored>
bool encode(double number, int /*decimals*/, Stored& stored) {
  // A cast beyond the range of floats is undefined.
  if (std::isfinite(number) && !(std::abs(number) <= std::numeric_limits<Stored>::max())) {
    return false;
  }
  stored = static_cast<Stored>(number);
  return std::isnan(number) || static_cast<double>(stored) == number;
}

}  // namespace

std::size_t CompactNumbers::size() const noexcept {
  return std::visit([](const auto& stored) { return stored.size(); }, numbers_);
}

std::size_t CompactNumbers::bytes_each() const noexcept {
  return std::visit([](const auto& stored) { return sizeof(stored[0]); }, numbers_);
}

void CompactNumbers::reserve(std::size_t count) {
  reserved_ = count;
  std::visit([&](auto& stored) { stored.reserve(count); }, numbers_);
}

void CompactNumbers::append(std::span<const double> numbers) {
  while (!numbers.empty()) {
    const std::size_t count = std::visit(
        [&](auto& stored) {
          using Stored = typename std::decay_t<decltype(stored)>::value_type;
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            Stored next{};
            if (!encode(numbers[i], decimals_, next)) return i;
            stored.push_back(next);
          }
          return numbers.size();
        },
        numbers_);
    numbers = numbers.subspan(count);
    if (!numbers.empty()) widen(numbers.front());
  }
}

// Widens to the fewest bytes that represent all numbers so far and `next`.
void CompactNumbers::widen(double next) {
  const bool is_whole = numbers_.index() < 3;
  int decimals = decimals_;
  std::int32_t ignored = 0;
  while (is_whole && decimals <= kMostDecimals && !encode(next, decimals, ignored)) ++decimals;
  if (is_whole && decimals <= kMostDecimals &&
      (convert_to<std::int8_t>(decimals, next) || convert_to<std::int16_t>(decimals, next) ||
       convert_to<std::int32_t>(decimals, next))) {
    return;
  }
  if (!convert_to<float>(0, next)) (void)convert_to<double>(0, next);
}

template <class Stored>
bool CompactNumbers::convert_to(int decimals, double next) {
  Stored encoded{};
  if (!encode(next, decimals, encoded)) return false;
  std::vector<Stored> converted;
  converted.reserve(std::max(size(), reserved_));
  for (const double number : *this) {
    if (!encode(number, decimals, encoded)) return false;
    converted.push_back(encoded);
  }
  numbers_ = std::move(converted);
  decimals_ = decimals;
  power_ = kPowers[static_cast<std::size_t>(decimals)];
  return true;
}

bool operator==(const CompactNumbers& a, const CompactNumbers& b) {
  return std::ranges::equal(a, b);
}

std::string_view CompactNames::operator[](std::size_t place) const {
  const std::size_t begin = place % kNamesPerPage == 0 ? 0 : ends_[place - 1];
  return std::string_view(pages_[place / kNamesPerPage]).substr(begin, ends_[place] - begin);
}

void CompactNames::push_back(std::string_view name) {
  if (size() % kNamesPerPage == 0) {
    if (!pages_.empty()) pages_.back().shrink_to_fit();
    pages_.emplace_back();
  }
  pages_.back() += name;
  ends_.push_back(static_cast<std::uint32_t>(pages_.back().size()));
}

bool operator==(const CompactNames& names, const std::vector<std::string>& others) {
  return std::ranges::equal(names, others);
}

}  // namespace adacvar
