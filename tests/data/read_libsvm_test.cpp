#include <adacvar/base/error.hpp>
#include "data/read_table.hpp"

#include "support/expect_words.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using namespace std::string_literals;

SparseRows parse(std::string_view text, unsigned threads = 1) {
  return parse_libsvm(text, "t.svm", threads);
}

std::string refusal(std::string_view text) {
  return support::message_of<DataError>([&] { return parse(text); });
}

TEST(ReadLibsvm, rows_stay_sparse) {
  const SparseRows rows = parse("+1 1:0.5 3:-2 # a comment\r\n\n# only a comment\n-1\n2 2:1e2 \n");
  EXPECT_EQ(rows.target, (std::vector<double>{1, -1, 2}));
  EXPECT_EQ(rows.start, (std::vector<std::size_t>{0, 2, 2, 3}));
  EXPECT_EQ(rows.column, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(rows.value, (std::vector<float>{0.5F, -2, 100}));
  EXPECT_EQ(rows.columns, 3U);
}

TEST(ReadLibsvm, as_a_table) {
  const Table table = to_table(parse("1 1:0.5 3:-2\n-1\n"));
  EXPECT_EQ(column_names(table), "target, c1, c2, c3");
  EXPECT_EQ(table.columns[1].numbers, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(table.columns[3].numbers, (std::vector<double>{-2, 0}));
}

TEST(ReadLibsvm, bad_text_is_refused_with_its_line) {
  EXPECT_PRED2(support::has_words, refusal("\n"), "t.svm: ... empty");
  EXPECT_PRED2(support::has_words, refusal("1\n2\n"), "t.svm: ... labels ... no features");
  EXPECT_PRED2(support::has_words, refusal("1 1:2\nx 1:2\n"),
               "t.svm:2: label 'x' ... finite number");
  EXPECT_PRED2(support::has_words, refusal("inf 1:2\n"), "t.svm:1: label 'inf' ... finite number");
  EXPECT_PRED2(support::has_words, refusal("1 2\n"), "t.svm:1: '2' ... index:value");
  EXPECT_PRED2(support::has_words, refusal("1 1:2x\n"), "t.svm:1: '1:2x' ... index:value");
  EXPECT_PRED2(support::has_words, refusal("1 -1:2\n"), "t.svm:1: '-1:2' ... index:value");
  EXPECT_PRED2(support::has_words, refusal("1 4294967296:2\n"),
               "t.svm:1: '4294967296:2' ... index:value");
  EXPECT_PRED2(support::has_words, refusal("1 0:2\n"), "t.svm:1: '0:2' ... indices begin ... 1");
  EXPECT_PRED2(support::has_words, refusal("1 1:2\n1 3:1 2:2\n"),
               "t.svm:2: index 2 ... 3 ... indices ... increase");
  EXPECT_PRED2(support::has_words, refusal("1 3:1 3:2\n"),
               "t.svm:1: index 3 ... 3 ... indices ... increase");
  EXPECT_PRED2(support::has_words, refusal("1 1:nan\n"), "t.svm:1: '1:nan' ... finite number");
  EXPECT_PRED2(support::has_words, refusal("1 1:1e39\n"), "t.svm:1: '1:1e39' ... finite number");
  EXPECT_PRED2(support::has_words, refusal("1 qid:3 1:2\n"),
               "t.svm:1: 'qid:3' ... ranking data (qid) ... supported");
  EXPECT_PRED2(support::has_words, refusal("1 1:2\n1 \0\n"s), "t.svm:2: NUL byte ... text file");
}

TEST(ReadLibsvm, the_number_of_threads_changes_nothing) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) {
    text +=
        std::to_string(i % 2) + " " + std::to_string(1 + i % 50) + ":" + std::to_string(i) + "\n";
  }
  const SparseRows one = parse(text, 1);
  const SparseRows four = parse(text, 4);
  EXPECT_EQ(one.rows(), 200'000U);
  EXPECT_EQ(one.start, four.start);
  EXPECT_EQ(one.column, four.column);
  EXPECT_EQ(one.value, four.value);
  EXPECT_EQ(one.target, four.target);
  EXPECT_EQ(support::message_of<DataError>([&] { return parse(text + "1 a\n", 4); }),
            "t.svm:200001: 'a' is not index:value");
}

}  // namespace
}  // namespace adacvar
