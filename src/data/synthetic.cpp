#include "data/synthetic.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "base/portable_math.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/base/rng.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <new>
#include <numbers>

namespace adacvar {

namespace {

constexpr std::array<std::string_view, 3> kNames = {"normal", "pareto", "sinc"};

/// Random numbers made of portable functions only (the square root is exact by IEEE 754).
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream) : rng_(seed, stream) {}

  double uniform(double low, double high) { return low + (high - low) * rng_.uniform(); }

  // Box and Muller. The second variate is discarded, so that a draw does not depend on earlier
  // ones.
  double normal() {
    const double radius = std::sqrt(-2.0 * portable::log(positive_uniform()));
    return radius * portable::sin_cos(2 * std::numbers::pi * rng_.uniform()).cos;
  }

  /// Pr(P > p) = (1 + p)^-3 for p >= 0, by inversion.
  double pareto() { return portable::exp(-portable::log(positive_uniform()) / 3) - 1; }

 private:
  double positive_uniform() { return 1.0 - rng_.uniform(); }  // in (0, 1]

  Rng rng_;
};

double physical_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// A system may grant more memory than it has and kill the program on use, so the physical memory is
// checked as well; `allocate` may still fail.
void with_memory_for(std::string_view name, std::size_t columns, std::size_t rows,
                     const auto& allocate) {
  const double bytes = static_cast<double>(columns * sizeof(double)) * static_cast<double>(rows);
  try {
    if (bytes > physical_memory()) throw std::bad_alloc();
    allocate();
  } catch (const std::bad_alloc&) {
    throw OptionError(fmt::format("rows = {} of {} take {:.3g} GB, more than the memory available",
                                  rows, name, bytes / 1e9));
  }
}

using Columns = std::vector<std::vector<double>>;

Columns make_columns(std::string_view name, std::size_t features, std::size_t rows) {
  Columns columns(features + 1);
  with_memory_for(name, features + 1, rows, [&] {
    for (std::vector<double>& column : columns) column.resize(rows);
  });
  return columns;
}

Table table_of(std::string_view name, Columns columns) {
  Table table;
  table.source = name;
  table.rows = columns[0].size();
  table.columns.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    table.columns[c].name = c + 1 == columns.size() ? "y" : fmt::format("x{}", c + 1);
    table.columns[c].numbers = std::move(columns[c]);
  }
  return table;
}

Table make_linear(std::string_view name, const SyntheticOptions& options) {
  constexpr std::array kTheta = {0.25, -0.25, 0.5, 0.7, -0.75};
  const bool heavy = name == "pareto";
  Columns columns = make_columns(name, kTheta.size(), options.rows);
  Draws draws(options.seed, 0);
  const double own = std::sqrt(0.1);
  const double common = std::sqrt(0.9);
  for (std::size_t row = 0; row < options.rows; ++row) {
    const double shared = common * draws.normal();
    double y = 0.1 * (heavy ? draws.pareto() - 0.5 : draws.normal());
    for (std::size_t c = 0; c < kTheta.size(); ++c) {
      const double x = shared + own * draws.normal();
      columns[c][row] = x;
      y += kTheta[c] * x;
    }
    columns.back()[row] = y;
  }
  return table_of(name, std::move(columns));
}

double sinc(double x) {
  if (x == 0) return 1;
  return portable::sin_cos(std::numbers::pi * x).sin / (std::numbers::pi * x);
}

Table make_sinc(const SyntheticOptions& options) {
  constexpr std::size_t kCentres = 10;
  std::array<double, kCentres> centres{};
  Draws centre_draws(options.seed, 1);
  for (double& centre : centres) centre = centre_draws.uniform(-10, 10);
  Columns columns = make_columns("sinc", kCentres, options.rows);
  Draws draws(options.seed, 0);
  for (std::size_t row = 0; row < options.rows; ++row) {
    const double x = draws.uniform(-10, 10);
    for (std::size_t c = 0; c < kCentres; ++c) {
      const double distance = centres[c] - x;
      columns[c][row] = portable::exp(-distance * distance);
    }
    columns.back()[row] = sinc(x) + 0.2 * draws.normal();
  }
  return table_of("sinc", std::move(columns));
}

}  // namespace

std::span<const std::string_view> synthetic_names() noexcept { return kNames; }

Table make_synthetic(std::string_view name, const SyntheticOptions& options) {
  check_range("rows", static_cast<double>(options.rows),
              {.low = 1, .high = static_cast<double>(kMaxSize)});
  if (name == "normal" || name == "pareto") return make_linear(name, options);
  if (name == "sinc") return make_sinc(options);
  throw OptionError(fmt::format("synthetic set = '{}' is not one of: {}{}", name,
                                join(kNames, ", "), did_you_mean(name, kNames)));
}

}  // namespace adacvar
