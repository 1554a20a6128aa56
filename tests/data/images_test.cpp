#include "data/images.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"
#include "data/read_data.hpp"

#include "support/expect_words.hpp"
#include "support/made_images.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::batch;
using support::expect_words;
using support::idx_images;
using support::idx_labels;
using support::message_of;
using support::TemporaryFolder;
using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

constexpr const char* kImages = "train-images-idx3-ubyte";
constexpr const char* kLabels = "train-labels-idx1-ubyte";

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::vector<Index> rows_to(std::size_t count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// Files of three images of 1 x 2 and their labels, which a test may damage.
class Pair {
 public:
  std::string images = idx_images(3, 1, 2, {0, 255, 51, 0, 102, 255});
  std::string labels = idx_labels({7, 3, 7});

  [[nodiscard]] std::filesystem::path images_path() const { return folder_.path() / kImages; }
  [[nodiscard]] std::filesystem::path labels_path() const { return folder_.path() / kLabels; }
  [[nodiscard]] Images read(const Words& names = {}) const {
    (void)folder_.write(kImages, images);
    (void)folder_.write(kLabels, labels);
    return read_idx(images_path(), labels_path(), names);
  }
  /// Returns the message, with `P` and `L` for the names of the two files.
  [[nodiscard]] std::string refusal(const Words& names = {}) const {
    std::string words = message_of<DataError>([&] { return read(names); });
    for (const auto& [path, letter] :
         {std::pair(images_path().string(), "P"), std::pair(labels_path().string(), "L")}) {
      for (std::size_t at = words.find(path); at != std::string::npos; at = words.find(path)) {
        words.replace(at, path.size(), letter);
      }
    }
    return words;
  }

 private:
  TemporaryFolder folder_;
};

TEST(ReadIdx, pixels_and_labels_are_as_written) {
  Pair pair;
  Images images = pair.read();
  EXPECT_EQ(images.shape, (ImageShape{.channels = 1, .height = 1, .width = 2}));
  EXPECT_EQ(images.rows(), 3U);
  EXPECT_EQ(images.pixels, (Bytes{0, 255, 51, 0, 102, 255}));
  EXPECT_EQ(images.labels, (Bytes{7, 3, 7}));
  EXPECT_EQ(images.source, pair.images_path());
  EXPECT_TRUE(images.class_names.empty());
  EXPECT_EQ(label_name(images, 7), "7");
  images.class_names = Words(8, "x");
  images.class_names[7] = "seven";
  EXPECT_EQ(label_name(images, 7), "seven");
  pair.images = gzip(pair.images);
  pair.labels = gzip(pair.labels);
  EXPECT_EQ(pair.read().pixels, images.pixels);
}

TEST(ReadIdx, errors_are_clear) {
  struct Case {
    std::function<void(Pair&)> spoil;
    std::string words;
  };
  const std::vector<Case> cases = {
      {[](Pair& p) { p.images.clear(); }, "P: is empty"},
      {[](Pair& p) { p.labels.clear(); }, "L: is empty"},
      {[](Pair& p) { p.images[2] = 13; },
       "P: magic number 0x00000d03 instead of 0x00000803, that of images in an idx file"},
      {[](Pair& p) { p.images = p.labels; },
       "P: magic number 0x00000801, that of labels, instead of 0x00000803, that of images in an "
       "idx file"},
      {[](Pair& p) { p.labels = p.images; },
       "L: magic number 0x00000803, that of images, instead of 0x00000801, that of labels in an "
       "idx file"},
      {[](Pair& p) { p.images.resize(15); },
       "P: 15 bytes, the header of an idx file of images has 16"},
      {[](Pair& p) { p.labels.resize(2); },
       "L: 2 bytes, the header of an idx file of labels has 8"},
      {[](Pair& p) { p.images.pop_back(); },
       "P: the header says 3 x 1 x 2 = 6 bytes, the file has 5"},
      {[](Pair& p) { p.labels += 'x'; }, "L: the header says 3 = 3 bytes, the file has 4"},
      {[](Pair& p) { p.images = idx_images(0xffff'ffffU, 0xffff'ffffU, 0xffff'ffffU, {}); },
       "P: the header says 4294967295 x 4294967295 x 4294967295 = 7.92281624589241e+28 "
       "bytes, the file has 0"},
      {[](Pair& p) { p.images = idx_images(0, 1, 2, {}); },
       "P: the header says that there are no rows"},
      {[](Pair& p) { p.images = idx_images(3, 0, 2, {}); }, "P: its images have no pixels"},
      {[](Pair& p) {
         p.labels = idx_labels({7, 3});
       },
       "L: 2 labels, P has 3 images"},
      {[](Pair& p) { p.images = gzip(p.images).substr(0, 20); }, "P: gzip archive is truncated"},
  };
  for (const Case& wrong : cases) {
    Pair pair;
    wrong.spoil(pair);
    EXPECT_EQ(pair.refusal(), wrong.words);
  }
  EXPECT_EQ(Pair{}.refusal({"a", "b", "c", "d"}), "L: label 7 in record 1, expected 0 to 3");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([] { return read_idx("no such", "file"); }),
               "no such: ... No such file");
}

TEST(ReadIdx, labels_are_found_beside_the_images) {
  const TemporaryFolder folder;
  const auto images = folder.write("t10k-images-idx3-ubyte.gz", "");
  const auto find = [&] { return find_labels_file(images); };
  expect_words<DataError>(
      [&] { (void)find(); },
      images.string() + " ... labels ... " + (folder.path() / "t10k-labels-idx1-ubyte").string());
  const auto packed = folder.write("t10k-labels-idx1-ubyte.gz", "");
  EXPECT_EQ(find(), packed);
  const auto plain = folder.write("t10k-labels-idx1-ubyte", "");
  EXPECT_EQ(find(), plain);
  expect_words<DataError>([] { (void)find_labels_file("digits"); },
                          "digits: ... 'labels' ... no 'images'");
}

TEST(ReadCifar, batches_are_concatenated) {
  const TemporaryFolder folder;
  const std::array paths = {folder.write("a.bin", batch({3, 9})),
                            folder.write("b.bin.gz", gzip(batch({0})))};
  const Images images = read_cifar(paths);
  EXPECT_EQ(images.shape, (ImageShape{.channels = 3, .height = 32, .width = 32}));
  EXPECT_EQ(images.labels, (Bytes{3, 9, 0}));
  EXPECT_EQ(images.pixels.size(), 3U * 3072);
  // The batches made have 10 * channel + label everywhere.
  EXPECT_EQ(images.pixels[0], 3);
  EXPECT_EQ(images.pixels[1023], 3);
  EXPECT_EQ(images.pixels[1024], 13);
  EXPECT_EQ(images.pixels[3072 + 3071], 29);
  EXPECT_EQ(images.pixels.back(), 20);
  EXPECT_EQ(label_name(images, 3), "cat");
}

TEST(ReadCifar, errors_are_clear) {
  const auto refusal = [](const std::string& bytes) {
    return message_of<DataError>([&] { return parse_cifar(bytes, "b.bin"); });
  };
  EXPECT_PRED2(support::has_words, refusal(batch({3}) + "x"),
               "b.bin: 3074 bytes ... batch ... CIFAR-10 ... records ... 3073");
  EXPECT_PRED2(support::has_words, refusal(""),
               "b.bin: 0 bytes ... batch ... CIFAR-10 ... records ... 3073");
  EXPECT_PRED2(support::has_words, refusal(batch({3, 10})),
               "b.bin: label 10 ... record 2 ... 0 ... 9");
  EXPECT_THROW((void)read_cifar({}), OptionError);
}

TEST(AppendImages, refuses_other_shapes_and_classes) {
  Images images = Pair{}.read();
  images.source = "one";
  Images other = images;
  other.source = "two";
  other.shape = {.channels = 1, .height = 2, .width = 1};
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 append_images(images, other);
                 return 0;
               }),
               "two: images ... 1 x 2 x 1 ... 1 x 1 x 2");
  other = images;
  other.source = "two";
  other.class_names = {"a"};
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 append_images(images, other);
                 return 0;
               }),
               "two: ... classes ... one");
}

// Pixels / 255 are 0, 1, 0.2, 0, 0.4, 1: rows 0 and 1 have the mean 0.3, the variance (0.09 + 0.49
// + 0.01 + 0.09) / 4 = 0.17.
TEST(ImagePreprocessor, standardises_by_the_training_rows) {
  const Images images = Pair{}.read();
  const std::vector<Index> training = {0, 1};
  const Preprocessor preprocessor = Preprocessor::fit(images, training);
  const double sd = std::sqrt(0.17);
  ASSERT_EQ(preprocessor.parts().channel_means.size(), 1U);
  EXPECT_NEAR(preprocessor.parts().channel_means[0], 0.3, 1e-15);
  EXPECT_NEAR(preprocessor.parts().channel_scales[0], sd, 1e-15);
  EXPECT_EQ(preprocessor.parts().target, "label");
  EXPECT_EQ(preprocessor.parts().labels, (Bytes{3, 7}));
  EXPECT_EQ(preprocessor.features(), 2U);

  const Dataset data = preprocessor.apply(images, std::vector<Index>{2, 0});
  EXPECT_EQ(data.image, images.shape);
  EXPECT_EQ(data.task, Task::binary);
  EXPECT_EQ(data.class_names, (Words{"3", "7"}));
  EXPECT_EQ(data.targets, (Numbers{1, 1}));
  ASSERT_EQ(data.dense.size(), 4U);
  EXPECT_FLOAT_EQ(data.dense[0], static_cast<float>(0.1 / sd));
  EXPECT_FLOAT_EQ(data.dense[1], static_cast<float>(0.7 / sd));
  EXPECT_FLOAT_EQ(data.dense[2], static_cast<float>(-0.3 / sd));
}

TEST(ImagePreprocessor, raw_features_are_shares_of_255) {
  const Images images = Pair{}.read();
  const auto rows = rows_to(3);
  const Dataset data = Preprocessor::fit(images, rows, {.standardise = false}).apply(images, rows);
  EXPECT_EQ(data.dense, (std::vector<float>{0, 1, 0.2F, 0, 0.4F, 1}));
}

TEST(ImagePreprocessor, channels_have_moments_of_their_own_and_a_constant_one_is_zero) {
  Images images = parse_cifar(batch({1, 3}), "b.bin");
  std::fill(images.pixels.begin() + 2048, images.pixels.begin() + 3072, std::uint8_t{9});
  std::fill(images.pixels.end() - 1024, images.pixels.end(), std::uint8_t{9});
  const auto rows = rows_to(2);
  const Dataset data = Preprocessor::fit(images, rows).apply(images, rows);
  for (const std::size_t pixel : {0U, 1023U, 1024U, 2047U}) {
    EXPECT_FLOAT_EQ(data.dense[pixel], -1) << pixel;
    EXPECT_FLOAT_EQ(data.dense[3072 + pixel], 1) << pixel;
  }
  EXPECT_EQ(data.dense[2048], 0);
  EXPECT_EQ(data.dense[6143], 0);
}

TEST(ImagePreprocessor, classes_are_found_by_name_or_by_label) {
  const Images training = parse_cifar(batch({1, 3, 5}), "b.bin");
  const Preprocessor preprocessor = Preprocessor::fit(training, rows_to(3));
  EXPECT_EQ(preprocessor.parts().class_names, (Words{"automobile", "cat", "dog"}));
  EXPECT_EQ(preprocessor.parts().task, Task::multiclass);
  Images other = parse_cifar(batch({5, 1}), "c.bin");
  EXPECT_EQ(preprocessor.apply(other, rows_to(2)).targets, (Numbers{2, 0}));
  std::swap(other.class_names[5], other.class_names[3]);
  EXPECT_EQ(preprocessor.apply(other, rows_to(2)).targets, (Numbers{1, 0}));
  other.class_names.clear();
  EXPECT_EQ(preprocessor.apply(other, rows_to(2)).targets, (Numbers{2, 0}));
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 return preprocessor.apply(parse_cifar(batch({1, 9}), "c.bin"), rows_to(2));
               }),
               "c.bin: class 'truck' ... row 2 ... automobile, cat, dog");
}

TEST(ImagePreprocessor, what_does_not_fit_is_refused) {
  Images images = Pair{}.read();
  images.source = "p";
  const auto fit = [&](const std::vector<Index>& rows, std::optional<Task> task) {
    return message_of<DataError>([&] { return Preprocessor::fit(images, rows, {.task = task}); });
  };
  EXPECT_EQ(fit({0, 1}, Task::regression),
            "p: labels of images are classes: regression needs a numeric target");
  EXPECT_EQ(fit({0, 2}, {}), "p: the images have one class only in the training rows: '7'");
  images.labels = {1, 2, 3};
  EXPECT_EQ(fit({0, 1, 2}, Task::binary), "p: the images have 3 classes, a binary task has 2");
  const Preprocessor of_images = Preprocessor::fit(images, rows_to(3));
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 return of_images.apply(parse_cifar(batch({1}), "b.bin"), rows_to(1));
               }),
               "b.bin: training ... images ... 1 x 1 x 2 ... these ... 3 x 32 x 32");
  Table table;
  table.source = "t";
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return of_images.apply_features(table, {}); }),
               "t: training ... images ... table");
  images.pixels.assign(6, 4);
  EXPECT_EQ(fit({0, 1, 2}, {}),
            "p: every pixel of the training rows is the same within its channel");
}

/// ADACVAR_DATA, or the folder beside the repository.
std::filesystem::path folder() {
  return std::getenv("ADACVAR_DATA") != nullptr ? data_folder() : ADACVAR_TEST_DATA;
}

class NamedImages : public testing::Test {
 protected:
  static bool is_there(std::string_view name) {
    const auto& files = named_set_info(name).files;
    return std::ranges::all_of(files, [](const NamedFile& file) {
      return std::filesystem::exists(find_named_file(file, folder()));
    });
  }
  static std::vector<std::ptrdiff_t> counts(std::span<const std::uint8_t> labels) {
    std::vector<std::ptrdiff_t> counts;
    for (std::uint8_t c = 0; c < 10; ++c) counts.push_back(std::ranges::count(labels, c));
    return counts;
  }
};

// Counts and moments: those of the data folder's README.
TEST_F(NamedImages, mnist_is_as_published) {
  if (!is_there("mnist")) GTEST_SKIP() << "no mnist in " << folder() << "; set ADACVAR_DATA";
  const RawData data = read_data("mnist", {.data_dir = folder().string()});
  EXPECT_EQ(data.own_test, 10'000U);
  EXPECT_EQ(data.target, "label");
  const auto& images = std::get<Images>(data.content);
  EXPECT_EQ(images.rows(), 70'000U);
  EXPECT_EQ(images.labels[0], 5);
  const std::span labels(images.labels);
  EXPECT_EQ(
      counts(labels.first(60'000)),
      (std::vector<std::ptrdiff_t>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}));
  EXPECT_EQ(counts(labels.last(10'000)),
            (std::vector<std::ptrdiff_t>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
  const auto moments = channel_moments(images, rows_to(60'000));
  EXPECT_NEAR(moments[0].mean, 0.1307, 5e-5);
  EXPECT_NEAR(moments[0].sd, 0.3081, 5e-5);
}

TEST_F(NamedImages, mnist_keeps_its_test_rows_unless_a_split_is_asked_for) {
  if (!is_there("mnist")) GTEST_SKIP() << "no mnist in " << folder() << "; set ADACVAR_DATA";
  DataOptions options{.data = "mnist"};
  options.source.data_dir = folder().string();
  const PreparedData own = prepare_data(options, 1);
  EXPECT_TRUE(own.shares.own_test);
  EXPECT_EQ(own.rows.test.front(), 60'000U);
  EXPECT_EQ(own.test.rows, 10'000U);
  EXPECT_NEAR(static_cast<double>(own.valid.rows), 10'000, 10);
  EXPECT_EQ(own.train.rows + own.valid.rows, 60'000U);
  EXPECT_EQ(own.train.class_names.size(), 10U);
  options.split = {0.1, 0, 0.9};
  const PreparedData pooled = prepare_data(options, 1);
  EXPECT_FALSE(pooled.shares.own_test);
  EXPECT_NEAR(static_cast<double>(pooled.train.rows), 7'000, 10);
}

TEST_F(NamedImages, fashion_mnist_is_as_published) {
  if (!is_there("fashion-mnist")) {
    GTEST_SKIP() << "no fashion-mnist in " << folder() << "; set ADACVAR_DATA";
  }
  const Images images = load_named_images("fashion-mnist", folder());
  const std::span labels(images.labels);
  EXPECT_EQ(counts(labels.first(60'000)), std::vector<std::ptrdiff_t>(10, 6000));
  EXPECT_EQ(counts(labels.last(10'000)), std::vector<std::ptrdiff_t>(10, 1000));
  EXPECT_EQ(label_name(images, images.labels[0]), "ankle boot");
  const auto moments = channel_moments(images, rows_to(60'000));
  EXPECT_NEAR(moments[0].mean, 0.2860, 5e-5);
  EXPECT_NEAR(moments[0].sd, 0.3530, 5e-5);
}

TEST_F(NamedImages, cifar_10_is_as_published) {
  if (!is_there("cifar-10")) GTEST_SKIP() << "no cifar-10 in " << folder() << "; set ADACVAR_DATA";
  const Images images = load_named_images("cifar-10", folder());
  const std::span labels(images.labels);
  EXPECT_EQ(counts(labels.first(50'000)), std::vector<std::ptrdiff_t>(10, 5000));
  EXPECT_EQ(counts(labels.last(10'000)), std::vector<std::ptrdiff_t>(10, 1000));
  EXPECT_TRUE(std::ranges::equal(labels.first(10), Bytes{6, 9, 9, 4, 1, 1, 2, 7, 8, 3}));
  EXPECT_TRUE(std::ranges::equal(labels.subspan(50'000, 10), Bytes{3, 8, 8, 0, 6, 6, 1, 6, 3, 1}));
  const auto moments = channel_moments(images, rows_to(50'000));
  constexpr std::array kMeans = {0.4914, 0.4822, 0.4465};
  constexpr std::array kDeviations = {0.2470, 0.2435, 0.2616};
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(moments[c].mean, kMeans[c], 5e-5);
    EXPECT_NEAR(moments[c].sd, kDeviations[c], 5e-5);
  }
}

TEST(NamedImageErrors, are_clear) {
  EXPECT_PRED2(support::has_words, message_of<DataError>([] { return load_named_set("mnist"); }),
               "mnist: holds images ... table");
  EXPECT_PRED2(support::has_words, message_of<DataError>([] { return load_named_images("adult"); }),
               "adult: holds ... table ... images");
  const TemporaryFolder empty;
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return load_named_images("cifar-10", empty.path()); }),
               (empty.path() / "cifar-10/data_batch_1.bin").string() + ": ... No such file");
}

}  // namespace
}  // namespace adacvar
