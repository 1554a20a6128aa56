// Question: how long does a quantile regression (pinball loss, tau 0.9, alpha 1), certified to
// 1e-6, take beside R's quantreg on the same data in the same run? Needs Rscript and
// r-cran-quantreg.

#include <adacvar/base/rng.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {
namespace {

struct Shape {
  std::size_t rows;
  std::size_t features;
};

/// Features in [-1, 1]; a line with exponential noise.
Dataset make_data(Shape shape) {
  Rng rng(1);
  Dataset data;
  data.rows = shape.rows;
  data.features = shape.features;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    double score = 0;
    for (std::size_t f = 0; f < shape.features; ++f) {
      data.dense.push_back(static_cast<float>(2 * rng.uniform() - 1));
      score += static_cast<double>(data.dense.back()) / static_cast<double>(f + 1);
    }
    data.targets.push_back(score - std::log1p(-rng.uniform()));
  }
  return data;
}

// Columns of the features, a column of ones, the targets.
void write_for_r(const Dataset& data, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](const std::vector<double>& column) {
    file.write(reinterpret_cast<const char*>(column.data()),
               static_cast<std::streamsize>(column.size() * sizeof(double)));
  };
  std::vector<double> column(data.rows, 1.0);
  for (std::size_t f = 0; f < data.features; ++f) {
    for (std::size_t i = 0; i < data.rows; ++i) {
      column[i] = static_cast<double>(data.dense[i * data.features + f]);
    }
    write(column);
  }
  write(std::vector<double>(data.rows, 1.0));
  write(data.targets);
}

struct Answer {
  double seconds = std::numeric_limits<double>::infinity();
  double loss = 0;
  std::string method;
};

/// The quicker of quantreg's methods; nothing where R or quantreg is missing.
std::optional<Answer> by_quantreg(const Dataset& data) {
  const auto path = std::filesystem::temp_directory_path() / "adacvar_quantile_bench.bin";
  write_for_r(data, path);
  const std::string command =
      fmt::format("Rscript '{}' '{}' {} {} 2>/dev/null", ADACVAR_QUANTILE_SCRIPT, path.string(),
                  data.rows, data.features + 1);
  std::optional<Answer> best;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"),
                                                               &pclose);
  std::array<char, 256> line{};
  while (output &&
         std::fgets(line.data(), static_cast<int>(line.size()), output.get()) != nullptr) {
    std::array<char, 16> method{};
    Answer found;
    const int read = std::sscanf(line.data(), "%15s %lf %lf", method.data(), &found.seconds,
                                 &found.loss);  // NOLINT(cert-err34-c)
    if (read != 3) continue;
    found.method = method.data();
    if (!best || found.seconds < best->seconds) best = found;
  }
  std::filesystem::remove(path);
  return best;
}

int run() {
  fmt::print("| rows | features | adacvar s | certified gap | quantreg s | method | ratio |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  const Loss loss(LossKind::pinball, 1, 0.9);
  for (const Shape shape :
       {Shape{10'000, 50}, Shape{100'000, 50}, Shape{10'000, 500}, Shape{100'000, 200}}) {
    const Dataset data = make_data(shape);
    const auto begin = std::chrono::steady_clock::now();
    const ExactResult ours = solve_exact(data, loss, {.risk = {.alpha = 1}});
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::optional<Answer> theirs = by_quantreg(data);
    if (!theirs) {
      fmt::print("skipped: there is no Rscript with quantreg (Debian: r-cran-quantreg)\n");
      return 0;
    }
    if (ours.status != ExactStatus::optimal ||
        std::abs(ours.certificate.upper - theirs->loss) > 1e-5 * theirs->loss) {
      fmt::print("wrong answer: {} instead of {}\n", ours.certificate.upper, theirs->loss);
      return 1;
    }
    fmt::print("| {} | {} | {:.3f} | {:.1e} | {:.3f} | {} | {:.2f} |\n", shape.rows, shape.features,
               seconds, ours.certificate.relative_gap(), theirs->seconds, theirs->method,
               seconds / theirs->seconds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace adacvar

int main() { return adacvar::run(); }
