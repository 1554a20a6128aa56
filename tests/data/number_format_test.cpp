#include "data/number_format.hpp"

#include "data/number_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adacvar {
namespace {

constexpr double kNone = -99;

double number(std::string_view text, const NumberFormat& format) {
  double value = 0;
  return parse_number(text, format, value) ? value : kNone;
}

TEST(NumberFormat, a_decimal_point_and_thousands) {
  const NumberFormat point{.grouped = true};
  EXPECT_EQ(number("1234.5", point), 1234.5);
  EXPECT_EQ(number("1,234.50", point), 1234.5);
  EXPECT_EQ(number("-12,345,678", point), -12345678);
  EXPECT_EQ(number("1 234 567.5", point), 1234567.5);
  EXPECT_EQ(number("1\xc2\xa0"
                   "234",
                   point),
            1234);
  EXPECT_EQ(number("1'234.5", point), 1234.5);
  EXPECT_EQ(number("1,234e2", point), 123400);
  for (const char* text : {"0,64", "12,34", "1,2345", "0,640", "1,234,56", ",123", "1.234,5",
                           "1,234 567", "abc", "", "-", "$5", "12 %", "1,234x", "inf", "1e999"}) {
    EXPECT_EQ(number(text, point), kNone) << text;
  }
}

TEST(NumberFormat, negative_numbers_as_accountants_and_typesetters_write_them) {
  const NumberFormat point{.mark = "$", .grouped = true};
  EXPECT_EQ(number("(5.00)", point), -5);
  EXPECT_EQ(number("($1,234.50)", point), -1234.5);
  EXPECT_EQ(number("$ (5)", point), -5);
  EXPECT_EQ(number("\xe2\x88\x92"
                   "12.5",
                   point),
            -12.5);
  EXPECT_EQ(number("$\xe2\x88\x92 3", point), -3);
  EXPECT_EQ(number("1\xe2\x80\x99"
                   "234.50",
                   point),
            1234.5);
  for (const char* text : {"(-5)", "((5))", "(5", "5)", "()", "-(5)"}) {
    EXPECT_EQ(number(text, point), kNone) << text;
  }
}

TEST(NumberFormat, a_decimal_comma_and_thousands) {
  const NumberFormat comma{.decimal = ',', .grouped = true};
  EXPECT_EQ(number("0,64", comma), 0.64);
  EXPECT_EQ(number("1.234,50", comma), 1234.5);
  EXPECT_EQ(number("1.234", comma), 1234);
  EXPECT_EQ(number("12", comma), 12);
  EXPECT_EQ(number("-1,5E+03", comma), -1500);
  EXPECT_EQ(number("1 234,5", comma), 1234.5);
  for (const char* text : {"0.64", "1,234.5", "1,2,3", "12.34"}) {
    EXPECT_EQ(number(text, comma), kNone) << text;
  }
}

TEST(NumberFormat, a_currency_sign_may_be_left_out_a_percent_sign_may_not) {
  EXPECT_EQ(number("$123.40", {'.', "$"}), 123.4);
  EXPECT_EQ(number("-$1,234.50", {'.', "$"}), -1234.5);
  EXPECT_EQ(number("$-5", {'.', "$"}), -5);
  EXPECT_EQ(number("5", {'.', "$"}), 5);
  EXPECT_EQ(number("\xe2\x82\xac 5", {'.', "\xe2\x82\xac"}), 5);
  EXPECT_EQ(number("5,50 \xe2\x82\xac", {',', "\xe2\x82\xac"}), 5.5);
  EXPECT_EQ(number("EUR 7", {',', "EUR"}), 7);
  EXPECT_EQ(number("\xe2\x82\xac 5", {'.', "$"}), kNone);
  EXPECT_EQ(number("12 %", {'.', "%"}), 12);
  EXPECT_EQ(number("-0.5%", {'.', "%"}), -0.5);
  EXPECT_EQ(number("12", {'.', "%"}), kNone);
  EXPECT_EQ(number("%12", {'.', "%"}), kNone);
}

TEST(NumberFormat, without_groups_a_lone_separator_before_three_digits_is_no_number) {
  const NumberFormat point;
  const NumberFormat comma{.decimal = ','};
  EXPECT_EQ(number("8,648", point), kNone);
  EXPECT_EQ(number("8.648", comma), kNone);
  // These leave no doubt.
  EXPECT_EQ(number("8,648.5", point), 8648.5);
  EXPECT_EQ(number("8,648,000", point), 8648000);
  EXPECT_EQ(number("8 648", point), 8648);
  EXPECT_EQ(number("8.648,5", comma), 8648.5);
}

FoundFormat found(const CompactNames& values, DecimalChoice decimal = DecimalChoice::automatic) {
  return find_format(values, std::vector<std::size_t>(values.size(), 1), decimal);
}

TEST(NumberFormat, a_column_is_read_as_most_of_its_values_agree) {
  EXPECT_EQ(found({"1,234", "0,64"}).format, (NumberFormat{',', ""}));
  EXPECT_EQ(found({"1,234", "1,234.5"}).format, (NumberFormat{'.', "", true}));
  EXPECT_EQ(found({"1.234", "2,5"}).format, (NumberFormat{',', "", true}));
  EXPECT_EQ(found({"$5", "7"}).format, (NumberFormat{'.', "$", true}));
  EXPECT_EQ(found({"12 %", "7,5 %"}).format, (NumberFormat{',', "%"}));
  const FoundFormat mixed = found({"0,64", "1,234.50", "null", "-", "word"});
  EXPECT_EQ(mixed.present, 3U);
  EXPECT_EQ(mixed.numbers, 1U);
  EXPECT_EQ(found({"$5",
                   "\xe2\x82\xac"
                   "5"})
                .numbers,
            1U);
}

TEST(NumberFormat, what_could_be_either_is_said_to_be_so) {
  EXPECT_TRUE(found({"1,234", "5,678", "12"}).ambiguous);
  EXPECT_TRUE(found({"$1.234"}).ambiguous);
  EXPECT_TRUE(found({"\xe2\x82\xac 1,234"}).ambiguous);
  EXPECT_FALSE(found({"$1,234", "$5"}).ambiguous) << "dollars have cents, not three decimals";
  EXPECT_EQ(found({"$1,234", "$5"}).format, (NumberFormat{'.', "$", true}));
  EXPECT_FALSE(found({"1,234", "0,5"}).ambiguous);
  EXPECT_FALSE(found({"1,234", "1,234,567"}).ambiguous);
  EXPECT_FALSE(found({"1.234", "word"}).ambiguous) << "plain numbers are what they are";
  EXPECT_FALSE(found({"1,234"}, DecimalChoice::point).ambiguous);
  EXPECT_EQ(found({"1,234"}, DecimalChoice::comma).format.decimal, ',');
}

TEST(NumberFormat, words_for_missing_numbers) {
  for (const char* text : {"", "?", "NA", "NaN", "null", "NULL", "None", "N/A", "#N/A", "-"}) {
    EXPECT_TRUE(is_missing_number(text)) << text;
  }
  for (const char* text : {"none of these", "--", "0", "nil"}) {
    EXPECT_FALSE(is_missing_number(text)) << text;
  }
  EXPECT_FALSE(is_missing("None")) << "a category, where there are no numbers";
}

}  // namespace
}  // namespace adacvar
