#include <adacvar/base/error.hpp>
#include "data/read_table.hpp"

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
  EXPECT_EQ(refusal("\n"), "t.svm: is empty");
  EXPECT_EQ(refusal("1\n2\n"), "t.svm: has labels but no features");
  EXPECT_EQ(refusal("1 1:2\nx 1:2\n"), "t.svm:2: label 'x' is not a finite number");
  EXPECT_EQ(refusal("inf 1:2\n"), "t.svm:1: label 'inf' is not a finite number");
  EXPECT_EQ(refusal("1 2\n"), "t.svm:1: '2' is not index:value");
  EXPECT_EQ(refusal("1 1:2x\n"), "t.svm:1: '1:2x' is not index:value");
  EXPECT_EQ(refusal("1 -1:2\n"), "t.svm:1: '-1:2' is not index:value");
  EXPECT_EQ(refusal("1 4294967296:2\n"), "t.svm:1: '4294967296:2' is not index:value");
  EXPECT_EQ(refusal("1 0:2\n"), "t.svm:1: '0:2': indices begin at 1");
  EXPECT_EQ(refusal("1 1:2\n1 3:1 2:2\n"), "t.svm:2: index 2 after 3: indices must increase");
  EXPECT_EQ(refusal("1 3:1 3:2\n"), "t.svm:1: index 3 after 3: indices must increase");
  EXPECT_EQ(refusal("1 1:nan\n"), "t.svm:1: '1:nan' is not a finite number");
  EXPECT_EQ(refusal("1 1:1e39\n"), "t.svm:1: '1:1e39' is not a finite number");
  EXPECT_EQ(refusal("1 qid:3 1:2\n"), "t.svm:1: 'qid:3': ranking data (qid) is not supported");
  EXPECT_EQ(refusal("1 1:2\n1 \0\n"s), "t.svm:2: NUL byte: not a text file");
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
