#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include "data/read_table.hpp"

#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using namespace std::string_literals;
using support::message_of;
using support::TemporaryFolder;
using Numbers = std::vector<double>;
using Codes = std::vector<std::uint32_t>;
using Words = std::vector<std::string>;

Table parse(std::string_view text, const ReadOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

std::string refusal(std::string_view text, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { return parse(text, options); });
}

TEST(ReadCsv, numbers_and_categories) {
  const Table table = parse("a,b,c\n1,x,-2.5e1\n+2,y,\n3,x,.5\n");
  EXPECT_EQ(table.rows, 3U);
  EXPECT_EQ(column_names(table), "a, b, c");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1, 2, 3}));
  EXPECT_TRUE(table.columns[1].categorical);
  EXPECT_EQ(table.columns[1].codes, (Codes{0, 1, 0}));
  EXPECT_EQ(table.columns[1].levels, (Words{"x", "y"}));
  EXPECT_EQ(table.columns[2].numbers[0], -25);
  EXPECT_TRUE(std::isnan(table.columns[2].numbers[1]));
  EXPECT_EQ(table.columns[2].numbers[2], 0.5);
}

TEST(ReadCsv, progress_reaches_the_end) {
  std::string text = "x,y\n";
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + ",1\n";
  std::vector<std::uint64_t> seen;
  const auto watch = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, text.size());
    seen.push_back(done);
  };
  (void)parse_csv(text, "", {.threads = 1, .progress = watch});
  EXPECT_GT(seen.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), text.size());
}

TEST(ReadCsv, names_and_categories_that_are_not_utf_8_are_taken_for_latin_1) {
  const Table table = parse("caf\xe9,k\n1,\xe9t\xe9\n2,\xc3\xa9t\xc3\xa9\n3,hiver\n");
  EXPECT_EQ(column_names(table), "caf\xc3\xa9, k");
  EXPECT_EQ(table.columns[1].levels, (Words{"\xc3\xa9t\xc3\xa9", "hiver"}));
  EXPECT_EQ(table.columns[1].codes, (Codes{0, 0, 1}));
}

TEST(ReadCsv, a_long_list_of_names_is_cut) {
  std::string names = "x1";
  std::string row = "1";
  for (int i = 2; i <= 1000; ++i) {
    names += ",x" + std::to_string(i);
    row += ",1";
  }
  const std::string words = refusal(names + "\n" + row + "\n", {.drop = {"y"}});
  EXPECT_TRUE(words.starts_with("t.csv: drop column 'y' is not one of: x1, x2, ")) << words;
  EXPECT_TRUE(words.ends_with(", x40, ... (960 more)")) << words;
}

TEST(ReadCsv, a_header_with_a_name_twice_is_refused_as_such) {
  EXPECT_PRED2(support::has_words, refusal("x,x,y\n1,2,3\n4,5,6\n"),
               "t.csv:1: column 'x' appears twice");
  EXPECT_EQ(column_names(parse("a,a\nb,c\na,b\n")), "c1, c2");
}

TEST(ReadCsv, a_first_row_with_all_known_names_is_a_header) {
  const std::string text = "2019,y,2020\n1,2,3\n4,5,6\n";
  EXPECT_EQ(column_names(parse(text, {.known_names = {"2020", "2019"}})), "2019, y, 2020");
  EXPECT_EQ(column_names(parse(text, {.known_names = {"2020", "2021"}})), "c1, c2, c3");
  EXPECT_EQ(column_names(parse("1,2\n3,4\n", {.known_names = {"c1", "c2"}})), "c1, c2");
}

TEST(ReadCsv, a_header_that_was_not_detected_is_suggested) {
  std::string text = "2019,y\n";
  for (int i = 0; i < 20; ++i) text += "1,2\n";
  EXPECT_PRED2(support::has_words, refusal(text),
               "t.csv:1: 'y' in column 'c2' ... numbers ... header = yes");
}

TEST(ReadCsv, separators_are_found) {
  for (const std::string text :
       {"1,2\n3,4\n", "1;2\n3;4\n", "1\t2\n3\t4\n", "1 2\n3 4\n", "  1   2  \r\n 3 \t 4\r\n",
        " 1 , 2 \n3,4", "\n\n1,2\n\n3,4\n\n"}) {
    const Table table = parse(text);
    ASSERT_EQ(table.columns.size(), 2U) << text;
    EXPECT_EQ(table.columns[0].numbers, (Numbers{1, 3})) << text;
    EXPECT_EQ(table.columns[1].numbers, (Numbers{2, 4})) << text;
    EXPECT_EQ(column_names(table), "c1, c2");
  }
}

TEST(ReadCsv, a_decimal_comma_does_not_hide_the_semicolon) {
  const Table table = parse("1,5;2,5\n3,5;4,5\n", {.header = false});
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.5, 3.5}));
}

TEST(ReadCsv, numbers_as_offices_write_them) {
  const Table table = parse(
      "price;share;cost;rate;plain\n\"$1,234.50\";12 %;1.234,50;0,64;1.5\n$5;7.5%;7;-3,5;2\n"
      "-$0.25;100 %;0,5;12;-\n");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1234.5, 5, -0.25}));
  EXPECT_EQ(table.columns[0].format, (NumberFormat{'.', "$", true}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{12, 7.5, 100}));
  EXPECT_EQ(table.columns[2].numbers, (Numbers{1234.5, 7, 0.5}));
  EXPECT_EQ(table.columns[2].format, (NumberFormat{',', "", true}));
  EXPECT_EQ(table.columns[3].numbers, (Numbers{0.64, -3.5, 12}));
  EXPECT_EQ(table.columns[4].format, NumberFormat{});
  EXPECT_TRUE(std::isnan(table.columns[4].numbers[2]));
  ASSERT_EQ(table.notes.size(), 4U);
  EXPECT_NE(table.notes[0].find("'$1,234.50' is 1234.5"), std::string::npos) << table.notes[0];
  // In quotes, with commas between the fields; the euro of Windows-1252.
  const Table quoted = parse("a,b\n\"1.234,50 \x80\",\"0,64\"\n\"7,00 \x80\",\"12,5\"\n");
  EXPECT_EQ(quoted.columns[0].numbers, (Numbers{1234.5, 7}));
  EXPECT_EQ(quoted.columns[1].numbers, (Numbers{0.64, 12.5}));
}

TEST(ReadCsv, what_may_be_thousands_or_decimals_stays_text_unless_told) {
  const std::string text = "x;y\n1,234;1.234\n5,678;5.678\n";
  const Table table = parse(text);
  EXPECT_EQ(table.columns[0].levels, (Words{"1,234", "5,678"}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("1234 or 1.234"), std::string::npos) << table.notes[0];
  EXPECT_EQ(table.columns[1].numbers, (Numbers{1.234, 5.678}));
  const Table point = parse(text, {.decimal = DecimalChoice::point});
  EXPECT_EQ(point.columns[0].numbers, (Numbers{1234, 5678}));
  EXPECT_EQ(point.columns[1].numbers, (Numbers{1.234, 5.678}));
  const Table comma = parse(text, {.decimal = DecimalChoice::comma});
  EXPECT_EQ(comma.columns[0].numbers, (Numbers{1.234, 5.678}));
  EXPECT_EQ(comma.columns[1].numbers, (Numbers{1234, 5678}));
}

TEST(ReadCsv, points_beside_decimal_commas_are_noted) {
  const Table table = parse("n;x\n1.234;0,5\n999;1,5\n");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.234, 999}));
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_NE(table.notes[1].find("'n'"), std::string::npos) << table.notes[1];
  EXPECT_EQ(parse("n;x\n1.25;0,5\n999;1,5\n").notes.size(), 1U) << "no thousands";
}

TEST(ReadCsv, known_columns_are_read_in_their_format_whatever_they_hold) {
  const Table table =
      parse("x,z\n\"1,5\",1\nword,2\n\n\"1.007\",abc\n",
            {.header = true, .known_numeric = {{"x", {',', "", true}}, {"z", {}}, {"other", {}}}});
  EXPECT_EQ(table.columns[0].numbers[0], 1.5);
  EXPECT_EQ(table.columns[0].numbers[2], 1007);
  EXPECT_EQ(table.columns[0].texts, (std::vector<TextValue>{{1, 3, "word"}}));
  EXPECT_EQ(table.columns[1].texts, (std::vector<TextValue>{{2, 5, "abc"}}));
  EXPECT_TRUE(std::isnan(table.columns[1].numbers[2]));
}

TEST(ReadCsv, a_bar_separates) {
  const Table table = parse("a|b\n1,5|x\n2,5|y\n");
  EXPECT_EQ(column_names(table), "a, b");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.5, 2.5}));
}

TEST(ReadCsv, a_first_column_without_a_name_is_an_index_and_left_out) {
  const Table table = parse(",x,y\n0,1.5,a\n1,2.5,b\n2,3.5,a\n");
  EXPECT_EQ(table.rows, 3U);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(column_names(table), "x, y, index");
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("index"), std::string::npos);
  const std::string refusal =
      message_of<DataError>([&] { return find_column(table, "index", "target"); });
  EXPECT_NE(refusal.find("was left out"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find("is not one of"), std::string::npos) << refusal;
  EXPECT_EQ(parse(",x,y\n0,1,a\n1,2,b\n", {.categorical = {"index"}}).columns.size(), 3U);
  // A missing value in a first row of data is no name.
  EXPECT_EQ(parse(",M,yes\n3,F,no\n4,M,no\n").rows, 3U);
}

TEST(ReadCsv, a_header_alone_is_a_table_where_that_is_allowed) {
  const Table table = parse("a,b\n", {.needs_rows = false});
  EXPECT_EQ(table.rows, 0U);
  EXPECT_EQ(column_names(table), "a, b");
}

TEST(ReadCsv, header_is_found) {
  EXPECT_EQ(parse("x,y\n1,a\n").rows, 1U);
  EXPECT_EQ(parse("a,1\nb,2\n").rows, 2U);               // a number: no header
  EXPECT_EQ(parse("class,sex\nfirst,male\n").rows, 1U);  // words that do not come again
  EXPECT_EQ(parse("M,yes\nF,no\nM,no\n").rows, 3U);      // a word that does
  EXPECT_EQ(parse("a,a\nb,c\n").rows, 2U);               // names are distinct
  EXPECT_EQ(parse("1,2\n3,4\n", {.header = true}).columns[0].name, "1");
  EXPECT_EQ(parse("x,y\n1,2\n", {.header = false}).columns[0].levels, (Words{"x", "1"}));
  EXPECT_EQ(column_names(parse("a,b\nc,d\n", {.names = {"p", "q"}})), "p, q");
  EXPECT_EQ(column_names(parse("\xef\xbb\xbfx,y\n1,2\n")), "x, y");
  EXPECT_EQ(column_names(parse("x,,z\n1,2,3\n", {.header = true})), "x, c2, z");
}

TEST(ReadCsv, missing_values) {
  const Table table =
      parse("x,w\n1,a\n?,?\nNA,na\nNaN,NAN\n,\n\"\",\"\"\n-nan,b\n", {.categorical = {"w"}});
  // "-nan" is not a missing value, so x is text.
  EXPECT_TRUE(table.columns[0].categorical);
  EXPECT_EQ(table.columns[1].codes, (Codes{0, kMissingLevel, kMissingLevel, kMissingLevel,
                                           kMissingLevel, kMissingLevel, 1}));
  const Table numbers = parse("x,y\n1,2\n?,3\nna,4\nnan,5\n,6\n");
  EXPECT_FALSE(numbers.columns[0].categorical);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_TRUE(std::isnan(numbers.columns[0].numbers[i]));
}

TEST(ReadCsv, words_that_are_missing_among_numbers_are_categories_elsewhere) {
  const Table table = parse("x,c,w\n1,None,-\nnull,a,None\nNone,-,-\nN/A,a,-\n-,b,-\n7,a,-\n");
  EXPECT_FALSE(table.columns[0].categorical);
  for (std::size_t row = 1; row < 5; ++row) EXPECT_TRUE(std::isnan(table.columns[0].numbers[row]));
  EXPECT_TRUE(table.columns[0].texts.empty());
  EXPECT_EQ(table.columns[1].levels, (Words{"None", "a", "-", "b"}));
  EXPECT_EQ(table.columns[2].levels, (Words{"-", "None"})) << "no number among them";
}

TEST(ReadCsv, missing_values_as_the_user_writes_them) {
  const Table table = parse("x,c\n1,a\nunknown,unknown\n-999,b\n-999.0,-999\n4,a\n",
                            {.missing = {"unknown", "-999"}});
  ASSERT_FALSE(table.columns[0].categorical);
  EXPECT_EQ(table.columns[0].numbers[0], 1);
  for (std::size_t row = 1; row < 4; ++row) EXPECT_TRUE(std::isnan(table.columns[0].numbers[row]));
  EXPECT_EQ(table.columns[1].codes, (Codes{0, kMissingLevel, 1, kMissingLevel, 0}));
}

TEST(ReadCsv, quotes) {
  const Table table = parse(
      "name,\"the, text\"\r\n\"1\",\"a \"\"b\"\", c\"\r\n 2 , \" two\nlines \" \r\n3,5\" pipe\r\n");
  EXPECT_EQ(table.columns[1].name, "the, text");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1, 2, 3}));
  EXPECT_EQ(table.columns[1].levels, (Words{"a \"b\", c", " two\nlines ", "5\" pipe"}));
}

TEST(ReadCsv, extreme_numbers) {
  const Table table = parse("x,y\n1e-400,0.1\n-1e-400,4.9e-324\n1.7976931348623157e308,1e5\n");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{0, -0.0, std::numeric_limits<double>::max()}));
  EXPECT_EQ(table.columns[1].numbers[1], std::numeric_limits<double>::denorm_min());
}

TEST(ReadCsv, infinity_is_a_level_where_the_column_is_text) {
  EXPECT_EQ(parse("x,y\ninf,1\nabc,2\n").columns[0].levels, (Words{"inf", "abc"}));
}

TEST(ReadCsv, categorical_and_drop) {
  const Table table = parse("id,a,b\n7,1,2\n8,1,3\n", {.categorical = {"a"}, .drop = {"id"}});
  EXPECT_EQ(column_names(table), "a, b");
  EXPECT_EQ(table.columns[0].levels, (Words{"1"}));
}

TEST(ReadCsv, preamble_is_skipped_and_counted) {
  EXPECT_EQ(parse("@relation r\n@data\n1,2\n", {.preamble = "@%"}).rows, 1U);
  EXPECT_PRED2(support::has_words, refusal("@relation r\n@data\n1,2\n3\n", {.preamble = "@%"}),
               "t.csv:4: 1 column ... first row ... 2");
}

TEST(ReadCsv, text_after_many_numbers_makes_a_category) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i % 7) + ",1\n";
  for (int i = 0; i < 30'000; ++i) text += "word,1\n";
  const Table table = parse(text, {.threads = 2});
  ASSERT_TRUE(table.columns[0].categorical);
  EXPECT_EQ(table.columns[0].levels, (Words{"0", "1", "2", "3", "4", "5", "6", "word"}));
  EXPECT_EQ(table.columns[0].codes[8], 1U);
  EXPECT_EQ(table.rows, 230'000U);
}

TEST(ReadCsv, a_word_among_numbers_is_kept_aside_unless_declared) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i % 7) + ",1\n";
  const Table table = parse(text + "12O,1\n", {.threads = 2});
  EXPECT_EQ(table.columns[0].texts, (std::vector<TextValue>{{200'000, 200'002, "12O"}}));
  EXPECT_EQ(table.columns[0].numbers[199'999], 199'999 % 7);
  EXPECT_EQ(parse(text + "12O,1\n", {.categorical = {"x"}}).columns[0].levels[7], "12O");
  EXPECT_EQ(parse(text + "12O,1\n", {.known_categorical = {"x", "z"}}).columns[0].levels.size(),
            8U);
  // In the sample that the layout is found from, too; nine of ten is the border.
  EXPECT_EQ(parse("x\n1\n\n12O\n3\n4\n5\n6\n7\n8\n9\n10\n").columns[0].texts,
            (std::vector<TextValue>{{1, 4, "12O"}}));
  EXPECT_TRUE(parse("x\n1\n12O\n3\n4\n5\n6\n7\n8\n9\n").columns[0].categorical);
  EXPECT_TRUE(parse("x\n1\n12O\n3\n4\n5\n6\n7\n8\n9\n?\n").columns[0].categorical);
}

TEST(ReadCsv, only_the_columns_asked_for_are_read) {
  const Table table = parse("a,b,c\n1,u,3\n2,v,4\n", {.only = Words{"c", "b", "z"}});
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "b");
  EXPECT_EQ(table.columns[1].name, "c");
  EXPECT_EQ(table.unread, Words{"a"});
  EXPECT_EQ(column_names(table), "b, c, a");
}

TEST(ReadCsv, bad_text_is_refused_with_its_line) {
  const auto options = [](Words categorical, Words drop) {
    return ReadOptions{.categorical = std::move(categorical), .drop = std::move(drop)};
  };
  EXPECT_PRED2(support::has_words, refusal(""), "t.csv: ... empty");
  EXPECT_PRED2(support::has_words, refusal(" \n\r\n"), "t.csv: ... empty");
  EXPECT_PRED2(support::has_words, refusal("a,b\n"), "t.csv: ... header ... no rows");
  EXPECT_PRED2(support::has_words,
               refusal("a,b,c,d,e,f,g,h\n1,2,3,4,5,6,7,8\n\n1,2,3,4,5,6,7,8,9\n"),
               "t.csv:4: 9 columns ... header ... 8");
  EXPECT_PRED2(support::has_words, refusal("1,2\n3\n4,5\n"),
               "t.csv:2: 1 column ... first row ... 2");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n3,\"x\ny\n5,6\n"),
               "t.csv:3: quote ... closed");
  EXPECT_PRED2(support::has_words, refusal("\n\"a,b\n1,2\n"), "t.csv:2: quote ... closed");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n\"3\" x,4\n"),
               "t.csv:3: ... after ... quote");
  EXPECT_PRED2(support::has_words, refusal("\na,b,a\n1,2,3\n", {.header = true}),
               "t.csv:2: column 'a' appears twice");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n", options({"c"}, {})),
               "t.csv: categorical column 'c' ... a, b");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n", options({}, {"c"})),
               "t.csv: drop column 'c' ... a, b");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n", options({}, {"a", "b"})),
               "t.csv: every column ... dropped");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n3,\0\n"s), "t.csv:3: NUL byte ... text file");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n3,inf\n4\n"),
               "t.csv:4: 1 column ... header ... 2");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n3,inf\n"),
               "t.csv:3: infinite value ... column 'b'");
  EXPECT_PRED2(support::has_words, refusal("a,b\n1,2\n3,1e999\n-inf,4\n"),
               "t.csv:3: infinite value ... column 'b'");
  EXPECT_PRED2(support::has_words, refusal("1,2\n", {.names = {"x"}}),
               "t.csv:1: first row ... 2 columns ... 1 names ... given");
}

TEST(ReadCsv, errors_far_down_name_their_line) {
  std::string text = "a,b\n";
  for (int i = 2; i < 300'000; ++i) text += "0.25,0.125\n";
  const std::string good = text;
  for (const unsigned threads : {1U, 4U}) {
    // Line 300,000 and a later one, in another block: the first wins.
    text = good + "1\n";
    for (int i = 0; i < 200'000; ++i) text += "0.25,0.125\n";
    text += "1,2,3\n";
    EXPECT_PRED2(support::has_words, refusal(text, {.threads = threads}),
                 "t.csv:300000: 1 column ... header ... 2");
    EXPECT_PRED2(support::has_words, refusal(good + "\0,1\n"s, {.threads = threads}),
                 "t.csv:300000: NUL byte ... text file");
    EXPECT_PRED2(support::has_words, refusal(good + "\"x\n,\n", {.threads = threads}),
                 "t.csv:300000: quote ... closed");
  }
}

TEST(ReadCsv, files_that_cannot_be_read) {
  const TemporaryFolder folder;
  const auto words = [](const std::filesystem::path& path) {
    return message_of<DataError>([&] { return read_csv(path); });
  };
  const std::string missing = (folder.path() / "none.csv").string();
  EXPECT_PRED2(support::has_words, words(missing), missing + ": ... No such file");
  EXPECT_PRED2(support::has_words, words(folder.path()),
               folder.path().string() + ": ... directory");
  const auto empty = folder.write("empty.csv", "");
  EXPECT_PRED2(support::has_words, words(empty), empty.string() + ": ... empty");
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 100, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

std::string xz(const std::string& text) {
  std::string packed(text.size() + 1000, '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

TEST(ReadCsv, compressed_files) {
  const TemporaryFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + ",2\n";
  EXPECT_EQ(read_csv(folder.write("a.gz", gzip(text))).rows, 300'000U);
  EXPECT_EQ(read_csv(folder.write("a.xz", xz(text))).columns[0].numbers[299'999], 299'999);
  // Concatenated members, in a file without the usual extension.
  EXPECT_EQ(read_csv(folder.write("two", gzip("1,2\n") + gzip("3,4\n"))).rows, 2U);
}

TEST(ReadCsv, damaged_archives) {
  const TemporaryFolder folder;
  Rng rng(3);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(rng()) + ",1\n";
  const auto words = [&](const std::string& bytes) {
    const auto path = folder.write("f", bytes);
    return message_of<DataError>([&] { return read_csv(path); }).substr(path.string().size());
  };
  for (const std::string& packed : {gzip(text), xz(text)}) {
    const std::string kind = packed[0] == '\x1f' ? "gzip" : "xz";
    EXPECT_PRED2(support::has_words, words(packed.substr(0, packed.size() / 2)),
                 kind + " ... truncated");
    EXPECT_PRED2(support::has_words, words(packed.substr(0, packed.size() - 1)),
                 kind + " ... truncated");
    std::string altered = packed;
    altered[packed.size() / 2] = static_cast<char>(altered[packed.size() / 2] ^ 0x55);
    EXPECT_PRED2(support::has_words, words(altered), kind + " ... damaged");
    EXPECT_PRED2(support::has_words, words(packed + "0123456789abcdef"), kind + " ... damaged");
  }
  EXPECT_PRED2(support::has_words, words(gzip("")), "empty");
}

TEST(ReadCsv, an_archive_cannot_fill_the_memory) {
  const TemporaryFolder folder;
  // 300 MiB of blanks in 300 KiB: a member of 1 MiB, repeated.
  std::string bomb;
  const std::string member = gzip(std::string(std::size_t{1} << 20U, ' '));
  for (int i = 0; i < 300; ++i) bomb += member;
  const auto path = folder.write("bomb.gz", bomb);
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] { return read_csv(path); }),
               "bomb.gz ... expands ... unpack");
}

/// A random table as text, in a random one of the allowed formats, and the expected result.
struct Written {
  std::string text;
  Table table;
};

std::string random_word(Rng& rng) {
  constexpr std::string_view kLetters = "ab ,;\"\n\r\t-x";
  std::string word = "w";  // never a number, missing or blank
  for (std::uint32_t i = rng.below(6); i > 0; --i) {
    word += kLetters[rng.below(static_cast<std::uint32_t>(kLetters.size()))];
  }
  return word;
}

std::string quote(const std::string& word) {
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

Written random_table(std::uint64_t seed) {
  Rng rng(seed);
  constexpr std::array<std::string_view, 4> kSeparators = {",", ";", "\t", " "};
  const std::string separator(kSeparators[rng.below(4)]);
  const std::string line_end = rng.below(2) == 0 ? "\n" : "\r\n";
  const std::size_t columns = 2 + rng.below(4);
  Written written;
  written.table.rows = 1 + rng.below(40);
  for (std::size_t c = 0; c < columns; ++c) {
    Column column;
    column.name = "name " + std::to_string(c);
    column.categorical = c == 1 || rng.below(2) == 0;
    written.table.columns.push_back(column);
    written.text += (c == 0 ? "" : separator) + quote(column.name);
  }
  for (std::size_t row = 0; row < written.table.rows; ++row) {
    written.text += line_end;
    if (rng.below(8) == 0) written.text += line_end;
    for (std::size_t c = 0; c < columns; ++c) {
      Column& column = written.table.columns[c];
      if (c > 0) written.text += separator;
      if (column.categorical) {
        const std::string word = random_word(rng);
        const auto place = std::ranges::find(column.levels, word) - column.levels.begin();
        const auto code = static_cast<std::uint32_t>(place);
        column.codes.push_back(code);
        if (code == column.levels.size()) column.levels.push_back(word);
        written.text += quote(word);
      } else {
        const double number = (rng.uniform() - 0.5) * static_cast<double>(rng.below(1000));
        column.numbers.push_back(number);
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
        written.text += std::string(digits.data(), end.ptr);
      }
    }
  }
  if (rng.below(2) == 0) written.text += line_end;
  return written;
}

TEST(ReadCsv, random_tables_come_back) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Written written = random_table(seed);
    const Table table = parse(written.text, {.header = true});
    ASSERT_EQ(table.rows, written.table.rows) << written.text;
    ASSERT_EQ(table.columns, written.table.columns) << written.text;
  }
}

// Rows of several lines, long enough for many blocks.
TEST(ReadCsv, the_number_of_threads_changes_nothing) {
  Rng rng(11);
  std::string text = "number,word\n";
  while (text.size() < (std::size_t{9} << 20U)) {
    text += std::to_string(rng.below(1000)) + "," + quote(random_word(rng)) + "\n";
  }
  const Table one = parse(text, {.separator = ',', .threads = 1});
  const Table four = parse(text, {.separator = ',', .threads = 4});
  EXPECT_GT(one.rows, 100'000U);
  EXPECT_EQ(one.rows, four.rows);
  EXPECT_EQ(one.columns, four.columns);
}

TEST(AppendRows, levels_keep_their_names) {
  const Table first = parse("s,x\na,1\nb,2\n");
  const Table both = append_rows(first, parse("s,x\nc,3\nb,4\n?,5\n"));
  EXPECT_EQ(both.rows, 5U);
  EXPECT_EQ(both.columns[0].levels, (Words{"a", "b", "c"}));
  EXPECT_EQ(both.columns[0].codes, (Codes{0, 1, 2, 1, kMissingLevel}));
  EXPECT_EQ(both.columns[1].numbers, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return append_rows(first, parse("s,y\na,1\n")); }),
               "t.csv: column 'y' (numeric) ... 'x' (numeric)");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return append_rows(first, parse("1,2,3\n")); }),
               "t.csv: 3 columns ... t.csv ... 2");
}

}  // namespace
}  // namespace adacvar
