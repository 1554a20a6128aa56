// How often the 95 % intervals of evaluate_risk hold the true value, on samples of known
// distributions: the tables of README.md here, in Markdown on standard output.

#include <adacvar/base/rng.hpp>
#include <adacvar/risk/evaluate_risk.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace {

using adacvar::Interval;
using adacvar::RiskEstimate;
using adacvar::Rng;

double normal(Rng& rng) {
  return std::sqrt(-2 * std::log1p(-rng.uniform())) *
         std::cos(2 * std::numbers::pi * rng.uniform());
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

/// The z with P(Z > z) = share.
double upper_quantile(double share) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle) > share ? low : high) = middle;
  }
  return low;
}

struct Truth {
  double mean;
  double var;
  double cvar;
};

struct Distribution {
  std::string name;
  std::function<double(Rng&)> draw;
  std::function<Truth(double)> at;  // a tail share
};

Distribution pareto(double index) {
  return {fmt::format("Pareto({:g})", index),
          [=](Rng& rng) { return std::pow(1 - rng.uniform(), -1 / index); },
          [=](double alpha) {
            const double var = std::pow(alpha, -1 / index);
            return Truth{index / (index - 1), var, index / (index - 1) * var};
          }};
}

/// Values with their chances, the largest first.
Distribution levels(std::string name, std::vector<std::pair<double, double>> values) {
  const auto draw = [=](Rng& rng) {
    double u = rng.uniform();
    for (const auto& [value, chance] : values) {
      if (u < chance) return value;
      u -= chance;
    }
    return 0.0;
  };
  const auto at = [=](double alpha) {
    Truth truth{0, 0, 0};
    double above = 0;
    for (const auto& [value, chance] : values) {
      truth.mean += value * chance;
      if (above <= alpha) truth.var = value;
      truth.cvar += value * std::clamp(alpha - above, 0.0, chance) / alpha;
      above += chance;
    }
    if (above <= alpha) truth.var = 0;
    return truth;
  };
  return {std::move(name), draw, at};
}

std::vector<Distribution> distributions() {
  return {
      {"uniform", [](Rng& rng) { return rng.uniform(); },
       [](double alpha) {
         return Truth{0.5, 1 - alpha, 1 - alpha / 2};
       }},
      {"normal", normal,
       [](double alpha) {
         const double z = upper_quantile(alpha);
         return Truth{0, z, density(z) / alpha};
       }},
      {"exponential", [](Rng& rng) { return -std::log1p(-rng.uniform()); },
       [](double alpha) {
         return Truth{1, -std::log(alpha), 1 - std::log(alpha)};
       }},
      {"squared normal", [](Rng& rng) { return std::pow(normal(rng), 2); },
       [](double alpha) {
         const double z = upper_quantile(alpha / 2);
         return Truth{1, z * z, 1 + 2 * z * density(z) / alpha};
       }},
      {"lognormal(1)", [](Rng& rng) { return std::exp(normal(rng)); },
       [](double alpha) {
         const double z = upper_quantile(alpha);
         const double mean = std::exp(0.5);
         return Truth{mean, std::exp(z), mean * upper_tail(z - 1) / alpha};
       }},
      pareto(3),
      pareto(2.1),
      pareto(1.5),
      levels("1 in 5 %, else 0", {{1, 0.05}}),
      levels("levels 0 to 3", {{3, 0.02}, {2, 0.04}, {1, 0.24}}),
  };
}

/// How the true values lay to the intervals of many samples.
struct Tally {
  int samples = 0;
  int below = 0;  // the true CVaR is below its interval
  int above = 0;
  int var_misses = 0;
  int mean_misses = 0;
  int heavy = 0;
  std::vector<double> widths = {};

  void add(const RiskEstimate& found, const Truth& truth) {
    const auto misses = [](const Interval& interval, double value) {
      const double slack = 1e-12 * std::abs(value);
      return value < interval.low - slack || value > interval.high + slack;
    };
    ++samples;
    if (misses(found.cvar_interval, truth.cvar)) {
      ++(truth.cvar < found.cvar_interval.low ? below : above);
    }
    var_misses += misses(found.var_interval, truth.var) ? 1 : 0;
    mean_misses += misses(found.mean_interval, truth.mean) ? 1 : 0;
    heavy += found.heavy_tail() ? 1 : 0;
    widths.push_back((found.cvar_interval.high - found.cvar_interval.low) / truth.cvar);
  }

  [[nodiscard]] std::string row(const std::string& name) {
    const auto share = [&](int count) { return static_cast<double>(count) / samples; };
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::ranges::nth_element(widths, middle);
    return fmt::format(
        "| {} | **{:.3f}** | {:.3f} | {:.3f} | {:.2g} | {:.3f} | {:.3f} | {:.2f} |\n", name,
        1 - share(below) - share(above), share(below), share(above), *middle, 1 - share(var_misses),
        1 - share(mean_misses), share(heavy));
  }
};

struct Setting {
  std::size_t losses;
  int samples;
  std::vector<double> alphas;
};

void print_tables(const Setting& setting) {
  std::vector<std::string> tables;
  for (const double alpha : setting.alphas) {
    tables.push_back(fmt::format(
        "\n### {} losses, alpha {:g}\n\n| losses | CVaR held | CVaR below | CVaR above | width / "
        "CVaR | VaR held | mean held | marked heavy |\n|---|---|---|---|---|---|---|---|\n",
        setting.losses, alpha));
  }
  for (const Distribution& distribution : distributions()) {
    std::vector<Tally> tallies(setting.alphas.size());
    std::vector<double> losses(setting.losses);
    for (int sample = 0; sample < setting.samples; ++sample) {
      Rng rng(setting.losses, static_cast<std::uint64_t>(sample));
      for (double& loss : losses) loss = distribution.draw(rng);
      const auto found = adacvar::evaluate_risk(losses, setting.alphas,
                                                {.seed = static_cast<std::uint64_t>(sample)});
      for (std::size_t a = 0; a < tallies.size(); ++a) {
        tallies[a].add(found[a], distribution.at(setting.alphas[a]));
      }
    }
    for (std::size_t a = 0; a < tallies.size(); ++a) tables[a] += tallies[a].row(distribution.name);
  }
  for (const std::string& table : tables) fmt::print("{}", table);
}

}  // namespace

int main() {
  print_tables({.losses = 50, .samples = 4000, .alphas = {0.1}});
  print_tables({.losses = 200, .samples = 4000, .alphas = {0.1}});
  print_tables({.losses = 1000, .samples = 2000, .alphas = {0.1, 0.01}});
  print_tables({.losses = 10'000, .samples = 400, .alphas = {0.1, 0.01}});
}
