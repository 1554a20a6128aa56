#include "data/table_stream.hpp"

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

// Over 8 MiB, so that it comes in several blocks; quoted fields hold line ends.
std::string large_text(int rows) {
  std::string text = "id,note,x\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i) + ",\"line " + std::to_string(i % 3) + "\nand another\"," +
            std::to_string(i * 0.5) + "\n";
  }
  return text;
}

void expect_same_as_whole(const std::filesystem::path& path) {
  const Table whole = read_csv(path);
  TableStream stream(path);
  std::size_t row = 0;
  std::size_t blocks = 0;
  for (Table block; stream.next(block); ++blocks) {
    ASSERT_EQ(block.first_row, row);
    ASSERT_EQ(block.columns.size(), whole.columns.size());
    for (std::size_t i = 0; i < block.rows; ++i, ++row) {
      ASSERT_EQ(block.columns[0].numbers[i], whole.columns[0].numbers[row]);
      ASSERT_EQ(block.columns[1].levels[block.columns[1].codes[i]],
                whole.columns[1].levels[whole.columns[1].codes[row]]);
      ASSERT_EQ(block.columns[2].numbers[i], whole.columns[2].numbers[row]);
    }
  }
  EXPECT_EQ(row, whole.rows);
  EXPECT_GT(blocks, 2U);
}

TEST(TableStream, blocks_hold_what_the_whole_file_holds) {
  const TemporaryFolder folder;
  expect_same_as_whole(folder.write("t.csv", large_text(600'000)));
}

TEST(TableStream, compressed_files_come_in_blocks_too) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "t.csv.gz";
  const std::string text = large_text(600'000);
  gzFile file = gzopen(path.c_str(), "wb1");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(file);
  expect_same_as_whole(path);
}

// Pages of mapped files that are in memory; they count as the process's own.
std::size_t mapped_kilobytes() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    std::size_t kilobytes = 0;
    if (word == "RssFile:" && in >> kilobytes) return kilobytes;
  }
  return 0;
}

TEST(TableStream, a_file_is_not_kept_in_memory) {
  const TemporaryFolder folder;
  std::string text = "x,y\n";
  while (text.size() < 100'000'000) text += "1.25,-3.5\n10.125,4\n100.5,0.0625\n";
  const auto path = folder.write("t.csv", text);
  const std::size_t before = mapped_kilobytes();
  ASSERT_GT(before, 0U);
  std::size_t most = 0;
  TableStream stream(path);
  for (Table block; stream.next(block);) most = std::max(most, mapped_kilobytes());
  EXPECT_LT(most, before + 40'000);
}

TEST(TableStream, small_files_are_one_block) {
  const TemporaryFolder folder;
  TableStream stream(folder.write("t.csv", "a;b\n1;x\n2;y"), {.only = {{"a"}}});
  Table block;
  ASSERT_TRUE(stream.next(block));
  EXPECT_EQ(block.rows, 2U);
  ASSERT_EQ(block.columns.size(), 1U);
  EXPECT_EQ(block.columns[0].numbers, (std::vector<double>{1, 2}));
  EXPECT_FALSE(stream.next(block));
}

TEST(TableStream, errors_have_their_line) {
  const TemporaryFolder folder;
  const auto path = folder.write("t.csv", large_text(600'000) + "1,2\n");
  TableStream stream(path);
  const auto read = [&] {
    for (Table block; stream.next(block);) {
    }
  };
  expect_words<DataError>(read, path.string() + ":1200002: 2 columns, first row has 3");
  const auto empty = folder.write("h.csv", "a,b\n");
  TableStream header(empty);
  Table block;
  expect_words<DataError>([&] { (void)header.next(block); },
                          empty.string() + ": has a header but no rows");
}

}  // namespace
}  // namespace adacvar
