// The C++ side of python_bench.py: prints the microseconds of a batch of the sampler, or the
// seconds of an exact fit, of the same work that the script does from Python.
//   python_twin sampler <examples> <batch> <batches>
//   python_twin fit <file of doubles: rows * columns, then rows targets> <rows> <columns> <repeats>
#include <adacvar/run/fit.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

static void time_sampler(std::size_t size, std::size_t batch_size, int batches) {
  adacvar::AdaptiveSampler sampler(size, {.alpha = 0.1});
  adacvar::Rng rng(0);
  std::vector<adacvar::Index> batch(batch_size);
  std::vector<double> losses(batch_size);
  for (std::size_t j = 0; j < batch_size; ++j) losses[j] = static_cast<double>(j);
  double least = 1e9;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto begin = Clock::now();
    for (int i = 0; i < batches; ++i) {
      sampler.draw(rng, batch);
      sampler.observe(batch, losses);
    }
    least = std::min(least, seconds_since(begin) / batches);
  }
  std::printf("%.4f\n", 1e6 * least);
}

// In huge pages, as NumPy's arrays are: columns of a large matrix are read with long strides.
static std::span<const double> read_doubles(const std::string& path, std::size_t count) {
  constexpr std::size_t kPage = std::size_t{2} << 20U;
  const std::size_t bytes = (count * sizeof(double) + kPage - 1) / kPage * kPage;
  void* const memory = std::aligned_alloc(kPage, bytes);  // until the program ends
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::ifstream file(path, std::ios::binary);
  file.read(static_cast<char*>(memory), static_cast<std::streamsize>(count * sizeof(double)));
  return {static_cast<const double*>(memory), count};
}

static void time_fit(const std::string& path, std::size_t rows, std::size_t columns, int repeats) {
  const std::span<const double> all = read_doubles(path, rows * (columns + 1));
  double least = 1e9;
  double cvar = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto begin = Clock::now();
    const adacvar::Model model =
        adacvar::fit({all.first(rows * columns), rows, columns}, all.last(rows),
                     {.alpha = 0.1, .algorithm = adacvar::FitAlgorithm::exact});
    cvar = model.training_risk().cvar;
    least = std::min(least, seconds_since(begin));
  }
  std::printf("%.4f %.17g\n", least, cvar);
}

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "sampler") {
    time_sampler(std::stoul(words[1]), std::stoul(words[2]), std::stoi(words[3]));
  } else if (words.size() == 5 && words[0] == "fit") {
    time_fit(words[1], std::stoul(words[2]), std::stoul(words[3]), std::stoi(words[4]));
  } else {
    std::fputs("usage: see the head of python_twin.cpp\n", stderr);
    return 2;
  }
}
