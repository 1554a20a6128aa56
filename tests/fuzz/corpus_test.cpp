#include "fuzz/fuzz_targets.hpp"

#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace adacvar::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

// Inputs that once failed, and one or more of each format: none may crash or throw anything but the
// library's errors.
TEST_P(Corpus, every_file_is_read_or_refused) {
  const std::filesystem::path folder =
      std::filesystem::path(ADACVAR_FUZZ_CORPUS) / GetParam().name;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    EXPECT_NO_THROW(run_target(GetParam().name, support::content_of(entry.path())));
    ++files;
  }
  EXPECT_GE(files, 2U);
}

// Those named `good_...` must stay readable: others can hide that a format has changed.
TEST(States, good_ones_are_read) {
  std::size_t files = 0;
  for (const Target& target : targets()) {
    const std::filesystem::path folder = std::filesystem::path(ADACVAR_FUZZ_CORPUS) / target.name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.path().filename().string().starts_with("good_")) continue;
      SCOPED_TRACE(entry.path().string());
      EXPECT_NO_THROW(target.run(support::content_of(entry.path())));
      ++files;
    }
  }
  EXPECT_GE(files, 4U);
}

// A good file that is cut short, or has one byte changed.
TEST_P(Corpus, truncated_and_altered_files_are_read_or_refused) {
  const std::filesystem::path folder =
      std::filesystem::path(ADACVAR_FUZZ_CORPUS) / GetParam().name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string whole = support::content_of(entry.path());
    const std::size_t step = 1 + whole.size() / 100;
    for (std::size_t i = 0; i < whole.size(); i += step) {
      SCOPED_TRACE(entry.path().string() + " at " + std::to_string(i));
      EXPECT_NO_THROW(run_target(GetParam().name, whole.substr(0, i)));
      std::string altered = whole;
      altered[i] = static_cast<char>(altered[i] ^ 0x10);
      EXPECT_NO_THROW(run_target(GetParam().name, altered));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus, testing::ValuesIn(targets()),
                         [](const auto& reader) { return std::string(reader.param.name); });

}  // namespace
}  // namespace adacvar::fuzz
