#include "data/named_sets.hpp"
#include <adacvar/base/error.hpp>
#include "data/preprocess.hpp"

#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/targets_in_units.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::message_of;
using Words = std::vector<std::string>;

/// ADACVAR_DATA, or the folder beside the repository.
std::filesystem::path folder() {
  return std::getenv("ADACVAR_DATA") != nullptr ? data_folder() : ADACVAR_TEST_DATA;
}

class NamedSets : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(folder())) {
      GTEST_SKIP() << "there is no data folder " << folder() << "; set ADACVAR_DATA";
    }
  }
};

struct Loaded {
  Dataset data;
  Table table;
  TargetScale scale;
};

Loaded load(std::string_view name) {
  NamedSet set = load_named_set(name, folder());
  std::vector<Index> rows(set.table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const Preprocessor preprocessor =
      Preprocessor::fit(set.table, rows, {.target = std::string(set.info.target)});
  Dataset data = preprocessor.apply(set.table, rows);
  return {std::move(data), std::move(set.table), preprocessor.target_scale()};
}

// Rows, features and tasks: those of the data folder's README.
TEST_F(NamedSets, all_are_of_the_size_they_should_be) {
  for (const std::string& name : named_sets()) {
    const NamedSetInfo& info = named_set_info(name);
    if (info.image.size() > 0) continue;  // images_test.cpp
    const Dataset data = load(name).data;
    EXPECT_EQ(data.rows, info.rows) << name;
    EXPECT_EQ(data.features, info.features) << name;
    EXPECT_EQ(data.task, info.task) << name;
    for (const float value : data.dense) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST_F(NamedSets, classes_are_counted_right) {
  struct Case {
    const char* name;
    Words classes;
    std::ptrdiff_t second;  // rows of class 1
  };
  const std::vector<Case> cases = {
      {"adult", {"<=50K", ">50K"}, 11687}, {"australian", {"0", "1"}, 307},
      {"german", {"1", "2"}, 300},         {"monks", {"0", "1"}, 278},
      {"phoneme", {"0", "1"}, 1586},       {"spambase", {"0", "1"}, 1813},
      {"splice", {"-1", "1"}, 1648},       {"titanic", {"-1", "1"}, 711}};
  for (const Case& expected : cases) {
    const Dataset data = load(expected.name).data;
    EXPECT_EQ(data.class_names, expected.classes) << expected.name;
    EXPECT_EQ(std::ranges::count(data.targets, 1.0), expected.second) << expected.name;
  }
}

TEST_F(NamedSets, regression_targets_have_the_moments_published) {
  struct Case {
    const char* name;
    double mean, sd, low, high;
  };
  for (const Case& expected :
       {Case{"abalone", 9.9337, 3.2238, 1, 29}, Case{"boston", 22.5328, 9.1880, 5, 50},
        Case{"cpu-small", 83.9689, 18.4008, 0, 99}}) {
    const Loaded loaded = load(expected.name);
    EXPECT_NEAR(loaded.scale.mean, expected.mean, 5e-5) << expected.name;
    EXPECT_NEAR(loaded.scale.sd, expected.sd, 5e-5) << expected.name;
    const std::vector<double> targets = support::targets_in_units(loaded.data, loaded.scale);
    EXPECT_EQ(*std::ranges::min_element(targets), expected.low);
    EXPECT_EQ(*std::ranges::max_element(targets), expected.high);
  }
}

TEST_F(NamedSets, adult_has_its_missing_values) {
  const Table table = load("adult").table;
  const auto missing = [&](std::string_view name) {
    return std::ranges::count(find_column(table, name, "feature").codes, kMissingLevel);
  };
  EXPECT_EQ(missing("workclass"), 2799);
  EXPECT_EQ(missing("occupation"), 2809);
  EXPECT_EQ(missing("native-country"), 857);
}

// The rule of the problem, without noise: proves that columns are where their names say.
TEST_F(NamedSets, monks_follow_their_rule) {
  const Table table = load("monks").table;
  const auto text = [&](std::string_view name, std::size_t row) {
    const Column& column = find_column(table, name, "feature");
    return column.levels[column.codes[row]];
  };
  for (std::size_t row = 0; row < table.rows; ++row) {
    const bool rule = text("a1", row) == text("a2", row) || text("a5", row) == "1";
    ASSERT_EQ(find_column(table, "class", "target").numbers[row], rule ? 1 : 0) << row;
  }
}

TEST(NamedSetFiles, are_pinned) {
  for (const std::string& name : named_sets()) {
    const NamedSetInfo& info = named_set_info(name);
    EXPECT_FALSE(info.files.empty()) << name;
    for (const NamedFile& file : info.files) {
      EXPECT_GT(file.bytes, 0U) << file.path;
      EXPECT_EQ(file.sha256.size(), 64U) << file.path;
      EXPECT_EQ(file.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << file.path;
      EXPECT_TRUE(file.url.empty() || file.url.starts_with("https://")) << file.path;
      EXPECT_FALSE(file.origin.empty()) << file.path;
    }
  }
}

TEST(NamedSetFiles, are_found_plain_or_compressed) {
  const support::TemporaryFolder folder;
  const NamedFile file{.path = "a.data"};
  EXPECT_EQ(find_named_file(file, folder.path()), folder.path() / "a.data");
  for (const char* const name : {"a.data.xz", "a.data.gz", "a.data"}) {
    const std::filesystem::path written = folder.write(name, "x");
    EXPECT_EQ(find_named_file(file, folder.path()), written);
  }
}

/// Sets an environment variable for a scope, or unsets it with null.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(DataFolder, is_that_of_the_platform_unless_one_is_named) {
  const Environment home("HOME", "/home/ann");
  const Environment data("XDG_DATA_HOME", nullptr);
  const Environment own("ADACVAR_DATA", nullptr);
  EXPECT_EQ(data_folder(), "/home/ann/.local/share/adacvar");
  EXPECT_EQ(data_folder("given"), "given");
  {
    const Environment other("XDG_DATA_HOME", "/data");
    EXPECT_EQ(data_folder(), "/data/adacvar");
    const Environment named("ADACVAR_DATA", "sets");
    EXPECT_EQ(data_folder(), "sets");
  }
  const Environment relative("XDG_DATA_HOME", "data");
  EXPECT_EQ(data_folder(), "/home/ann/.local/share/adacvar") << "relative paths do not count";
  const Environment homeless("HOME", nullptr);
  EXPECT_NE(message_of<OptionError>([] { return data_folder(); }).find("ADACVAR_DATA"),
            std::string::npos);
}

TEST(NamedSetErrors, are_clear) {
  EXPECT_PRED2(support::has_words, message_of<OptionError>([] { return load_named_set("iris"); }),
               "data set = 'iris' ... abalone, boston, cpu-small, adult, australian, german, "
               "monks, phoneme, spambase, splice, titanic, mnist, fashion-mnist, cifar-10");
  const support::TemporaryFolder empty;
  const std::filesystem::path none = empty.path() / "none";
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return load_named_set("boston", none); }),
               none.string() + ": ... data fetch ... --data-dir ... ADACVAR_DATA");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return load_named_set("titanic", empty.path()); }),
               (empty.path() / "titanic/titanic.dat").string() + ": ... No such file");
  std::filesystem::create_directory(empty.path() / "phoneme");
  const auto file = empty.write("phoneme/phoneme.dat", "@data\n1,2,3,4,5,0\n1,2,3,4,5,1\n");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return load_named_set("phoneme", empty.path()); }),
               file.string() + ": 2 rows ... 5404");
}

}  // namespace
}  // namespace adacvar
