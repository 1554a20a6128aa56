#include "report/text_table.hpp"

#include <gtest/gtest.h>

namespace adacvar {
namespace {

TEST(TextTable, lines_up_the_first_column_left_and_the_others_right) {
  TextTable table({"name", "n", "value"});
  table.add({"a", "100", "1.5"});
  table.add({"longer name", "7", "-12.25"});
  EXPECT_EQ(table.text(),
            "name           n   value\n"
            "a            100     1.5\n"
            "longer name    7  -12.25\n");
}

TEST(TextTable, a_cell_with_line_ends_stays_in_its_line) {
  TextTable table({"name", "n"});
  table.add({"two\nlines", "1"});
  table.add({"\x1b[31m\tred\r", "2"});
  EXPECT_EQ(table.text(),
            "name                 n\n"
            "two\\nlines           1\n"
            "\\x1b[31m\\x09red\\x0d  2\n");
}

TEST(TextTable, rows_may_be_short_or_have_empty_cells_and_no_line_ends_in_a_blank) {
  TextTable table;
  table.add({"a", "1", "2"});
  table.add({});
  table.add({"bb"});
  table.add({"", "", ""});
  table.add({"c", "", "33"});
  table.add({"d", "4", ""});
  EXPECT_EQ(table.text(),
            "a   1   2\n"
            "\n"
            "bb\n"
            "\n"
            "c      33\n"
            "d   4\n");
}

TEST(TextTable, an_empty_table_is_no_text) {
  EXPECT_EQ(TextTable().text(), "");
  TextTable blank({"", ""});
  EXPECT_EQ(blank.text(), "\n");
}

TEST(TextTable, characters_count_not_bytes) {
  EXPECT_EQ(text_width("caf\xc3\xa9"), 4U);
  EXPECT_EQ(text_width("\xe2\x82\xac\xf0\x9f\x98\x80"), 2U);
  EXPECT_EQ(text_width(""), 0U);
  TextTable table({"caf\xc3\xa9", "\xe2\x82\xac"});
  table.add({"cafes", "10"});
  EXPECT_EQ(table.text(),
            "caf\xc3\xa9    \xe2\x82\xac\n"
            "cafes  10\n");
}

TEST(TextTable, fit_shortens_the_widest_of_the_named_columns_in_the_middle) {
  TextTable table({"name", "n", "class"});
  table.add({"region of the north", "12345678", "a class of one"});
  table.add({"region of the south", "1", "b"});
  EXPECT_EQ(table.width(), 45U);
  table.fit(38, {0, 2});
  EXPECT_EQ(table.width(), 38U);
  EXPECT_EQ(table.text(),
            "name                  n          class\n"
            "region\xe2\x80\xa6 north  12345678  a clas\xe2\x80\xa6of one\n"
            "region\xe2\x80\xa6 south         1              b\n");
  table.fit(10, {0, 2});  // down to eight places each
  EXPECT_EQ(table.width(), 8U + 2 + 8 + 2 + 8);
}

TEST(TextTable, fit_leaves_alone_what_fits) {
  TextTable table({"caf\xc3\xa9", "n"});
  table.fit(7, {0});
  EXPECT_EQ(table.text(), "caf\xc3\xa9  n\n");
}

TEST(Wrap, breaks_at_blanks_and_keeps_long_words) {
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrap("a verylongword b", 5), "a\nverylongword\nb");
  EXPECT_EQ(wrap("", 5), "");
  EXPECT_EQ(wrap("1±2 3±4", 7), "1±2 3±4");
}

}  // namespace
}  // namespace adacvar
