// Question: how fast is a numeric CSV read beside std::getline and strtod, and what does a second
// thread gain?

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
#include <thread>
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

/// What the machine gives: the same arithmetic without memory on that many threads. Two virtual
/// processors may share a core, and two threads then gain less than 2.
void BM_Arithmetic(benchmark::State& state) {
  const auto work = [](std::uint64_t seed) {
    std::uint64_t bits = seed;
    double sum = 0.0;
    for (int n = 0; n < 100'000'000; ++n) {
      bits = bits * 6364136223846793005U + 1442695040888963407U;
      sum += static_cast<double>(bits >> 40U);
    }
    benchmark::DoNotOptimize(sum);
  };
  for (auto _ : state) {
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < state.range(0); ++t) {
      threads.emplace_back(work, static_cast<std::uint64_t>(t));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// 500 MB: how much faster is a second thread? Run with --benchmark_filter='Huge|Arithmetic'.
void BM_HugeReadCsv(benchmark::State& state) {
  const NumberFile& file = file_of(3'000'000);
  const ReadOptions options{.threads = static_cast<unsigned>(state.range(0))};
  for (auto _ : state) {
    const Table table = read_csv(file.path(), options);
    if (table.rows != 3'000'000) return state.SkipWithError("wrong answer");
  }
  state.SetBytesProcessed(state.iterations() * file.bytes());
}

BENCHMARK(BM_GetlineStrtod)->Arg(5'000)->Arg(50'000)->Arg(500'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadCsv)
    ->ArgsProduct({{5'000, 50'000, 500'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_Arithmetic)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_HugeReadCsv)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace adacvar
