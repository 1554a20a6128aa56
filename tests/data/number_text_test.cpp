#include "data/number_text.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace adacvar {
namespace {

constexpr std::string_view kFollowers = ",;\t\n /:\xff";
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NumberText, what_is_a_number) {
  const auto number = [](std::string_view text) {
    double value = 0;
    return parse_number(text, value) ? value : -99.0;
  };
  EXPECT_EQ(number("1"), 1);
  EXPECT_EQ(number("+1.5"), 1.5);
  EXPECT_EQ(number("-.5"), -0.5);
  EXPECT_EQ(number("5."), 5);
  EXPECT_EQ(number("1e3"), 1000);
  EXPECT_EQ(number("-1E-2"), -0.01);
  EXPECT_EQ(number("inf"), kInf);
  EXPECT_EQ(number("1e999"), kInf);
  EXPECT_EQ(number("-1e999"), -kInf);
  EXPECT_EQ(number("1e-999"), 0);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0);
  EXPECT_EQ(number("1" + std::string(400, '0')), kInf);
  for (const char* text : {"", "-", "+", ".", "+-1", "--1", "1x", "1.2.3", "1,5", "nan", "e5", " 1",
                           "1 ", "0x10", "1e"}) {
    EXPECT_EQ(number(text), -99) << text;
  }
}

TEST(NumberText, what_is_missing) {
  for (const char* text : {"", "?", "NA", "na", "NaN", "nan", "NAN"}) EXPECT_TRUE(is_missing(text));
  for (const char* text : {"??", "N", "nano", "null", "-"}) EXPECT_FALSE(is_missing(text)) << text;
}

// The way short decimals are read must not differ in a single bit.
TEST(NumberText, agrees_with_from_chars) {
  Rng rng(1);
  for (int i = 0; i < 500'000; ++i) {
    std::string text = rng.below(2) == 0 ? "-" : "";
    for (std::uint32_t digits = 1 + rng.below(10); digits > 0; --digits) {
      text += static_cast<char>('0' + rng.below(10));
    }
    if (rng.below(4) != 0) text += '.';
    if (text.back() == '.') {
      for (std::uint32_t digits = rng.below(10); digits > 0; --digits) {
        text += static_cast<char>('0' + rng.below(10));
      }
    }
    if (rng.below(4) == 0) text += "e" + std::to_string(static_cast<int>(rng.below(40)) - 20);
    double expected = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), expected).ptr;
    ASSERT_EQ(end, text.data() + text.size());
    double value = 1;
    ASSERT_TRUE(parse_number(text, value)) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
    // Within a longer text, any byte may follow.
    const std::string longer = text + kFollowers[rng.below(8)] + "12345678901234567890";
    const auto stop = read_number(longer.data(), longer.data() + longer.size(), value).ptr;
    ASSERT_EQ(stop - longer.data(), std::ssize(text)) << longer;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected))
        << longer;
  }
}

}  // namespace
}  // namespace adacvar
