// Memory stays within a few times the size of the file, whatever its columns hold.

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace adacvar {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;  // memory of its own for every byte
#else
constexpr bool kIsSanitized = false;
#endif

/// Most bytes that training on `file` has in memory at a time.
double peak_of_training(const support::TemporaryFolder& folder, const std::string& file) {
  const support::Outcome outcome = support::run_program(
      ADACVAR_PROGRAM,
      {"train", file, "--target", "y", "--epochs", "1", "--certify", "no", "--quiet"},
      folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.peak_bytes;
}

struct Shape {
  const char* name;
  const char* header;
  std::function<std::string(std::uint64_t)> row;
};

std::string digits(std::uint64_t row) {
  std::string text;
  for (std::uint64_t c = 0; c < 20; ++c) {
    text += static_cast<char>('0' + (row * (c + 3) + row / 7 + c) % 10);
    text += ',';
  }
  return text + std::to_string(row % 9) + "\n";
}

std::string identifiers(std::uint64_t row) {
  return "customer-" + std::to_string(row * 7919) + ",region " + std::to_string(row % 12) + "," +
         std::to_string(row % 1000) + "." + std::to_string(row % 97) + "," +
         std::to_string(row % 89) + "\n";
}

std::string amounts(std::uint64_t row) {
  return std::to_string(10 + row % 90) + "." + std::to_string(10 + row * 7 % 90) + "," +
         std::to_string(row % 97) + "." + std::to_string(row % 10) + "," +
         std::to_string(100 + row % 900) + "," + std::to_string(10 + row * 3 % 50) + "." +
         std::to_string(10 + row * 11 % 90) + "," + std::to_string(row % 89) + "\n";
}

std::string one_digit(std::uint64_t row) {
  return std::to_string(row % 10) + "," + std::to_string(row * 7 % 9) + "\n";
}

std::string categories(std::uint64_t row) {
  return "aa" + std::to_string(row % 9) + ",bb" + std::to_string(row / 3 % 8) + ",cc" +
         std::to_string(row / 7 % 7) + ",dd" + std::to_string(row * 5 % 6) + "," +
         std::to_string(100 + row % 89) + "\n";
}

class Memory : public testing::TestWithParam<Shape> {};

/// A file of at least that many bytes, written row by row: what this program takes counts too.
double write_rows(const std::filesystem::path& path, const Shape& shape, std::uintmax_t bytes) {
  std::ofstream file(path, std::ios::binary);
  std::string row = shape.header;
  std::uintmax_t written = 0;
  for (std::uint64_t number = 0; written < bytes; ++number) {
    file << row;
    written += row.size();
    row = shape.row(number);
  }
  return static_cast<double>(written);
}

// Three times the file, and a half for the noise of allocators.
TEST_P(Memory, of_training_is_a_few_times_the_file) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  const support::TemporaryFolder folder;
  (void)write_rows(folder.path() / "small.csv", GetParam(), 10'000);
  const double size = write_rows(folder.path() / "large.csv", GetParam(), 24'000'000);
  const double own = peak_of_training(folder, "small.csv");
  const double more = peak_of_training(folder, "large.csv") - own;
  EXPECT_LT(more, 3.5 * size) << more / size << " times the file";
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Memory,
    testing::Values(Shape{"digits", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,y\n", digits},
                    Shape{"identifiers", "id,region,x,y\n", identifiers},
                    Shape{"amounts", "a,b,c,d,y\n", amounts}),
    [](const auto& instance) { return std::string(instance.param.name); });

/// Rows shorter than what training keeps for them: 38 and 61 bytes, beside the program itself.
struct ShortRows {
  Shape shape;
  std::uint64_t characters;  // of a row
  double most_bytes;         // of memory for a row
};

class MemoryOfShortRows : public testing::TestWithParam<ShortRows> {};

TEST_P(MemoryOfShortRows, is_bounded_for_each_row) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  const auto& [shape, characters, most_bytes] = GetParam();
  constexpr std::uint64_t kRows = 600'000;
  const support::TemporaryFolder folder;
  (void)write_rows(folder.path() / "small.csv", shape, 10'000);
  (void)write_rows(folder.path() / "large.csv", shape, kRows * characters);
  const double own = peak_of_training(folder, "small.csv");
  const double each = (peak_of_training(folder, "large.csv") - own) / static_cast<double>(kRows);
  EXPECT_LT(each, most_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MemoryOfShortRows,
    testing::Values(ShortRows{{"one_digit", "x,y\n", one_digit}, 4, 46},
                    ShortRows{{"categories", "a,b,c,d,y\n", categories}, 20, 72}),
    [](const auto& instance) { return std::string(instance.param.shape.name); });

}  // namespace
}  // namespace adacvar
