#include <adacvar/adacvar.hpp>

#include "data/images.hpp"
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"
#include "data/read_data.hpp"
#include "data/read_table.hpp"
#include "data/synthetic.hpp"

#include "support/expect_words.hpp"
#include "support/made_images.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using support::expect_words;
using support::TemporaryFolder;
using Words = std::vector<std::string>;

const Table& table_of(const RawData& data) { return std::get<Table>(data.content); }

Words names_of(const RawData& data) {
  Words names;
  for (const Column& column : table_of(data).columns) names.push_back(column.name);
  return names;
}

/// Version 1, two columns of doubles.
std::string npy(const std::vector<std::array<double, 2>>& rows) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows.size()) + ", 2), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
  for (const auto& row : rows) {
    const std::size_t end = bytes.size();
    bytes.resize(end + sizeof row);
    std::memcpy(bytes.data() + end, row.data(), sizeof row);
  }
  return bytes;
}

/// Runs in a folder of its own: names without a folder are files there.
class ReadData : public testing::Test {
 protected:
  ReadData() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~ReadData() override { fs::current_path(before_); }
  ReadData(const ReadData&) = delete;
  ReadData& operator=(const ReadData&) = delete;
  ReadData(ReadData&&) = delete;
  ReadData& operator=(ReadData&&) = delete;

  void write(const std::string& name, std::string_view bytes) { (void)folder_.write(name, bytes); }

 private:
  TemporaryFolder folder_;
  fs::path before_;
};

TEST_F(ReadData, a_name_of_a_set_is_the_set_and_dot_slash_the_file) {
  write("normal", "a,b\n1,2\n3,4\n");
  const RawData set = read_data("normal", {.make_rows = 7});
  EXPECT_EQ(set.rows(), 7U);
  EXPECT_EQ(set.target, "y");
  EXPECT_EQ(set.source(), "normal");
  EXPECT_FALSE(is_text_table("normal"));
  const RawData file = read_data("./normal");
  EXPECT_EQ(names_of(file), (Words{"a", "b"}));
  EXPECT_EQ(file.rows(), 2U);
  EXPECT_EQ(file.target, "");
  EXPECT_TRUE(is_text_table("./normal"));
}

TEST_F(ReadData, the_content_of_a_file_determines_its_format) {
  write("l", "1 1:0.5 3:2\n-1 2:1\n");
  write("n", npy({{1, 2}, {3, 4}}));
  const RawData sparse = read_data("l");
  EXPECT_EQ(std::get<SparseRows>(sparse.content).columns, 3U);
  EXPECT_EQ(sparse.rows(), 2U);
  EXPECT_EQ(sparse.target, "target");
  EXPECT_EQ(names_of(read_data("n")), (Words{"c1", "c2"}));
  for (const char* name : {"l", "n", ".", "no such file", ""}) {
    EXPECT_FALSE(is_text_table(name)) << name;
  }
}

TEST_F(ReadData, images_are_known_by_their_first_bytes_or_their_name) {
  write("images-idx3", support::idx_images(2, 1, 2, {1, 2, 3, 4}));
  write("labels-idx1", support::idx_labels({4, 2}));
  write("batch.bin", support::batch({3, 8}));
  const RawData idx = read_data("images-idx3");
  EXPECT_EQ(std::get<Images>(idx.content).labels, (std::vector<std::uint8_t>{4, 2}));
  EXPECT_EQ(idx.target, "label");
  EXPECT_EQ(idx.rows(), 2U);
  EXPECT_EQ(idx.source(), "images-idx3");
  EXPECT_EQ(idx.own_test, 0U);
  const RawData batch = read_data("batch.bin");
  EXPECT_EQ(std::get<Images>(batch.content).shape.channels, 3U);
  EXPECT_EQ(classes_of(batch, "label", TaskChoice::automatic), (std::vector<std::uint32_t>{3, 8}));
  for (const char* name : {"images-idx3", "batch.bin"}) EXPECT_FALSE(is_text_table(name)) << name;
  write("text.bin", "a,b\n1,2\n3,4\n");
  EXPECT_EQ(names_of(read_data("text.bin")), (Words{"a", "b"}));
  write("short.bin", support::batch({0}).substr(0, 3000));
  expect_words<DataError>([] { (void)read_data("short.bin"); },
                          "short.bin: 3000 bytes, a batch of CIFAR-10 has records of 3073");
  expect_words<DataError>([] { (void)read_data("labels-idx1"); },
                          "labels-idx1: magic number 0x00000801, that of labels, instead of "
                          "0x00000803, that of images in an idx file");
  expect_words<OptionError>([] { (void)read_data("batch.bin", {.drop = {"c1"}}); },
                            "categorical and drop need named columns; batch.bin holds images");
}

TEST_F(ReadData, fingerprints_of_images_tell_pixels_labels_and_shapes_apart) {
  const auto print = [](const ImageShape& shape, std::vector<std::uint8_t> pixels,
                        std::vector<std::uint8_t> labels) {
    Images images{.shape = shape,
                  .pixels = std::move(pixels),
                  .labels = std::move(labels),
                  .class_names = {},
                  .source = {}};
    return fingerprint_of({std::move(images), "label"});
  };
  const DataFingerprint first = print({1, 1, 2}, {1, 2, 3, 4}, {0, 1});
  EXPECT_EQ(first.rows, 2U);
  EXPECT_EQ(first.columns, 2U);
  EXPECT_EQ(first, print({1, 1, 2}, {1, 2, 3, 4}, {0, 1}));
  EXPECT_NE(first, print({1, 2, 1}, {1, 2, 3, 4}, {0, 1}));
  EXPECT_NE(first, print({1, 1, 2}, {1, 2, 3, 5}, {0, 1}));
  EXPECT_NE(first, print({1, 1, 2}, {1, 2, 3, 4}, {1, 0}));
}

TEST_F(ReadData, synthetic_options_make_the_set) {
  const auto y = [](const RawData& data) { return find_column(table_of(data), "y", "").numbers; };
  const RawData made = read_data("pareto", {.make_rows = 5, .make_seed = 3});
  EXPECT_EQ(y(made),
            find_column(make_synthetic("pareto", {.rows = 5, .seed = 3}), "y", "").numbers);
  EXPECT_NE(y(made), y(read_data("pareto", {.make_rows = 5, .make_seed = 4})));
  expect_words<OptionError>([] { (void)read_data("pareto", {.make_rows = 0}); },
                            "make-rows = 0 is outside [1, 4294967294]");
}

TEST_F(ReadData, columns_of_a_synthetic_set_can_be_dropped_or_made_categories) {
  const RawData data =
      read_data("normal", {.categorical = {"x2"}, .drop = {"x1", "x5"}, .make_rows = 4});
  EXPECT_EQ(names_of(data), (Words{"x2", "x3", "x4", "y"}));
  const Column& column = table_of(data).columns[0];
  EXPECT_TRUE(column.categorical);
  EXPECT_EQ(column.levels.size(), 4U);
  EXPECT_TRUE(column.numbers.empty());
  expect_words<DataError>([] { (void)read_data("normal", {.drop = {"q"}, .make_rows = 2}); },
                          "normal: drop column 'q' is not one of: x1, x2, x3, x4, x5, y");
  expect_words<DataError>([] { (void)read_data("normal", {.categorical = {"q"}, .make_rows = 2}); },
                          "normal: categorical column 'q' is not one of: x1, x2, x3, x4, x5, y");
}

TEST_F(ReadData, columns_of_an_npy_file_can_be_dropped_or_made_categories) {
  write("n.npy", npy({{10, 1}, {2, 2}, {std::nan(""), 3}, {-0.0, 4}, {2.5, 5}, {10, 6}}));
  const RawData data = read_data("n.npy", {.categorical = {"c1"}, .drop = {"c2"}});
  ASSERT_EQ(names_of(data), Words{"c1"});
  const Column& column = table_of(data).columns[0];
  EXPECT_EQ(column.levels, (Words{"0", "2", "2.5", "10"}));
  EXPECT_EQ(column.codes, (std::vector<std::uint32_t>{3, 1, kMissingLevel, 0, 2, 3}));
  expect_words<DataError>(
      [] {
        (void)read_data("n.npy", {.drop = {"c1", "c2"}});
      },
      "n.npy: every column is dropped");
}

TEST_F(ReadData, libsvm_has_no_columns_to_name) {
  write("l.txt", "1 1:0.5 3:2\n-1 2:1\n");
  const std::string words = "categorical and drop need named columns; l.txt is a LIBSVM file";
  expect_words<OptionError>([] { (void)read_data("l.txt", {.drop = {"c1"}}); }, words);
  expect_words<OptionError>([] { (void)read_data("l.txt", {.categorical = {"c1"}}); }, words);
}

TEST_F(ReadData, what_is_not_there_is_named_with_what_is) {
  const std::string sets =
      "normal, pareto, sinc, abalone, boston, cpu-small, adult, australian, german, monks, "
      "phoneme, spambase, splice, titanic, mnist, fashion-mnist, cifar-10";
  expect_words<OptionError>([] { (void)read_data(""); },
                            "data is not given: a file, or one of " + sets);
  expect_words<DataError>([] { (void)read_data("no.csv"); },
                          "no.csv: there is no such file, nor a built-in set: " + sets);
}

DataFingerprint print_of(std::string_view csv, const ReadOptions& options = {}) {
  return fingerprint_of({parse_csv(csv, "t.csv", options)});
}

TEST(Fingerprint, changes_with_every_value_name_and_level) {
  const std::string base = "x,c\n1,a\n2,b\n";
  const DataFingerprint print = print_of(base);
  EXPECT_EQ(print.rows, 2U);
  EXPECT_EQ(print.columns, 2U);
  EXPECT_EQ(print.crc64.size(), 16U);
  const char* const others[] = {
      "x,c\n1,a\n2.0000000000000004,b\n",  // a value
      "x,c\n1,a\n?,b\n",                   // a value is missing
      "z,c\n1,a\n2,b\n",                   // a name
      "x,c\n1,a\n2,B\n",                   // a level
      "x,c\n1,a\n2,a\n",                   // a code
      "x,c\n1,a\n2,?\n",                   // a code is missing
      "c,x\na,1\nb,2\n",                   // the order of columns
      "x,c\n2,b\n1,a\n",                   // the order of rows
      "x,c\n1,a\n",                        // a row less
      "x,c\n1,a\n2,b\n2,b\n",              // a row more
  };
  for (const char* other : others) EXPECT_NE(print_of(other).crc64, print.crc64) << other;
  EXPECT_NE(print_of("ab,c\n1,x\n2,y\n").crc64, print_of("a,bc\n1,x\n2,y\n").crc64);
  EXPECT_NE(print_of("x,c\n1,ab\n2,c\n").crc64, print_of("x,c\n1,a\n2,bc\n").crc64);
  EXPECT_NE(print_of(base, {.categorical = {"x"}}), print);
}

TEST(Fingerprint, does_not_change_with_how_the_same_is_written) {
  const DataFingerprint print = print_of("x,c\n1,a\n2,b\n");
  EXPECT_EQ(print_of("x;c\r\n1.0;\"a\"\r\n\r\n 2e0 ; b"), print);
  Table renamed = parse_csv("x,c\n1,a\n2,b\n", "elsewhere.csv");
  EXPECT_EQ(fingerprint_of({renamed, "c"}), print);
}

TEST(Fingerprint, sparse_rows_have_one_too) {
  const auto print = [](std::string_view text) {
    return fingerprint_of({parse_libsvm(text, "t")});
  };
  const DataFingerprint base = print("1 1:2 3:4\n0 2:1\n");
  EXPECT_EQ(print("1  1:2.0 3:4 # the same\n0 2:1\n"), base);
  EXPECT_EQ(base.rows, 2U);
  EXPECT_EQ(base.columns, 3U);
  for (const char* other : {"1 1:2 3:4\n1 2:1\n", "1 1:2 3:5\n0 2:1\n", "1 1:2 2:4\n0 3:1\n",
                            "1 1:2\n0 2:1 3:4\n", "1 1:2 3:4\n0 2:1\n0\n"}) {
    EXPECT_NE(print(other).crc64, base.crc64) << other;
  }
}

TEST_F(ReadData, data_for_a_model_keeps_the_categories_of_training) {
  const Table training = parse_csv("id,zip,y\n1,01,1\n2,02,2\n3,10,4\n", "t.csv",
                                   {.categorical = {"zip"}, .drop = {"id"}});
  const Preprocessor preprocessor =
      Preprocessor::fit(training, std::vector<Index>{0, 1, 2}, {.target = "y"});
  write("new.csv", "id,zip,extra,y\n7,01,5,1\n8,10,oops,2\n9,1,6,3\n");
  const RawData data = read_data_like(preprocessor, "new.csv");
  EXPECT_EQ(names_of(data), (Words{"zip", "y"}));
  EXPECT_EQ(table_of(data).unread, (Words{"id", "extra"}));
  const Column& zip = table_of(data).columns[0];
  EXPECT_TRUE(zip.categorical);
  EXPECT_EQ(zip.levels, (Words{"01", "10", "1"}));  // not 1, 10, 1
  EXPECT_EQ(names_of(read_data_like(preprocessor, "new.csv", {}, {"extra"})),
            (Words{"zip", "extra", "y"}));
  // Prediction needs no target.
  write("bare.csv", "zip\n01\n02\n");
  EXPECT_EQ(names_of(read_data_like(preprocessor, "bare.csv")), Words{"zip"});
}

TEST_F(ReadData, classes_that_look_like_numbers_keep_their_names) {
  const Table training = parse_csv("x,y\n1,01\n2,02\n", "t.csv", {.categorical = {"y"}});
  const Preprocessor preprocessor =
      Preprocessor::fit(training, std::vector<Index>{0, 1}, {.target = "y"});
  write("new.csv", "x,y\n1,02\n2,01\n");
  const RawData data = read_data_like(preprocessor, "new.csv");
  EXPECT_EQ(preprocessor.apply(table_of(data), std::vector<Index>{0, 1}).targets,
            (std::vector<double>{1, 0}));
}

TEST_F(ReadData, options_of_text_have_no_effect_on_other_files) {
  write("a.npy", npy({{1, 2}, {3, 4}}));
  write("s.svm", "1 1:2\n0 2:3\n");
  for (const std::string name : {"a.npy", "s.svm"}) {
    EXPECT_THROW((void)read_data(name, {.separator = Separator::comma}), OptionError) << name;
    EXPECT_THROW((void)read_data(name, {.header = HeaderChoice::no}), OptionError) << name;
  }
}

TEST_F(ReadData, its_files_are_known_before_they_are_read) {
  using Paths = std::vector<fs::path>;
  write("a-images-idx3", "");
  write("a-labels-idx1", "");
  EXPECT_EQ(files_of("pareto"), Paths{});
  EXPECT_EQ(files_of("./pareto"), Paths{"./pareto"});
  EXPECT_EQ(files_of("no.csv"), Paths{"no.csv"});
  EXPECT_EQ(files_of("a-images-idx3"), (Paths{"a-images-idx3", "a-labels-idx1"}));
  const Paths named = files_of("abalone", "sets");
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(*named[0].begin(), "sets");
}

}  // namespace
}  // namespace adacvar
