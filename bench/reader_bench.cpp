// Question: how fast is a numeric CSV read beside std::getline and strtod, on one core?

#include <adacvar/base/rng.hpp>
#include "data/read_table.hpp"

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kColumns = 20;

using Columns = std::vector<std::vector<double>>;

/// A file of random numbers with six digits; gone at the end of the program.
class NumberFile {
 public:
  explicit NumberFile(std::int64_t rows)
      : path_(std::filesystem::temp_directory_path() /
              ("adacvar_reader_bench_" + std::to_string(::getpid()) + "_" + std::to_string(rows))) {
    std::ofstream out(path_);
    Rng rng(1);
    for (std::size_t c = 0; c < kColumns; ++c) out << (c == 0 ? "" : ",") << "x" << c;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < kColumns; ++c) {
        out << (c == 0 ? '\n' : ',') << 200.0 * rng.uniform() - 100.0;
      }
    }
  }
  ~NumberFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  NumberFile(const NumberFile&) = delete;
  NumberFile& operator=(const NumberFile&) = delete;
  NumberFile(NumberFile&&) = delete;
  NumberFile& operator=(NumberFile&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(std::filesystem::file_size(path_));
  }

 private:
  std::filesystem::path path_;
};

const NumberFile& file_of(std::int64_t rows) {
  static std::map<std::int64_t, NumberFile> made;
  return made.try_emplace(rows, rows).first->second;
}

Columns read_plainly(const std::filesystem::path& path) {
  Columns columns(kColumns);
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    char* place = line.data();
    for (std::vector<double>& column : columns) {
      column.push_back(std::strtod(place, &place));
      if (*place == ',') ++place;
    }
  }
  return columns;
}

bool is_right(const Table& table, const Columns& expected) {
  if (table.columns.size() != expected.size()) return false;
  for (std::size_t c = 0; c < expected.size(); ++c) {
    if (table.columns[c].numbers != expected[c]) return false;
  }
  return true;
}

void BM_GetlineStrtod(benchmark::State& state) {
  const NumberFile& file = file_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(read_plainly(file.path()));
  state.SetBytesProcessed(state.iterations() * file.bytes());
}

void BM_ReadCsv(benchmark::State& state) {
  const NumberFile& file = file_of(state.range(0));
  const ReadOptions options{.threads = static_cast<unsigned>(state.range(1))};
  if (!is_right(read_csv(file.path(), options), read_plainly(file.path()))) {
    return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_csv(file.path(), options));
  state.SetBytesProcessed(state.iterations() * file.bytes());
}

BENCHMARK(BM_GetlineStrtod)->Arg(5'000)->Arg(50'000)->Arg(500'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadCsv)
    ->ArgsProduct({{5'000, 50'000, 500'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace adacvar
