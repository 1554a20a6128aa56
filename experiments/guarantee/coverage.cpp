// How often the bounds of cvar_upper_bounds and cvar_difference_bounds hold, and how wide they are
// next to the published ones: the tables of README.md here, in Markdown on standard output.

#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar_bound.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

namespace {

using adacvar::cvar_difference_bounds;
using adacvar::cvar_upper_bounds;
using adacvar::Rng;
using Losses = std::vector<double>;

constexpr std::uint64_t kSamples = 20'000;
constexpr double kError = 0.05;
constexpr double kTolerance = 1e-6;  // of the true values, which are integrated numerically

/// A distribution on [0, 1].
struct Distribution {
  std::string name;
  std::function<double(double)> from_top;  // the loss that a share v of losses exceeds
};

double cvar_of(const Distribution& distribution, double alpha) {
  constexpr int kPoints = 1'000'000;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) sum += distribution.from_top(alpha * (i + 0.5) / kPoints);
  return sum / kPoints;
}

double mixed(double v) {
  if (v >= 0.5) return 0;
  return v >= 0.25 ? 0.25 : 1 - 3 * v;
}

std::vector<Distribution> distributions(std::size_t n) {
  const double rare = 3.0 / static_cast<double>(n);
  return {
      {"uniform", [](double v) { return 1 - v; }},
      {"Beta(1/2, 1/2)", [](double v) { return std::pow(std::cos(v * std::numbers::pi / 2), 2); }},
      {"Beta(1, 5)", [](double v) { return 1 - std::pow(v, 0.2); }},
      {"exponential, mean 0.05, cut at 1",
       [](double v) { return std::min(1.0, -0.05 * std::log(v)); }},
      {"Pareto(2) from 0.02, cut at 1",
       [](double v) { return std::min(1.0, 0.02 / std::sqrt(v)); }},
      {"1 in 5 %, else 0", [](double v) { return v < 0.05 ? 1.0 : 0.0; }},
      {"atoms at 0 and 1/4, else uniform", mixed},
      {"1 with probability 3/n, else 0", [=](double v) { return v < rare ? 1.0 : 0.0; }}};
}

Losses draw(const Distribution& distribution, Rng& rng, std::size_t n) {
  Losses losses(n);
  for (double& loss : losses) loss = distribution.from_top(1 - rng.uniform());
  std::ranges::sort(losses);
  return losses;
}

// [TL19] of increasing losses.
double dkw_bound(Losses losses, double alpha) {
  losses.push_back(1);
  const auto n = static_cast<double>(losses.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    const double level = static_cast<double>(i) / n - std::sqrt(std::log(1 / kError) / (2 * n));
    sum += (losses[i] - losses[i - 1]) * std::max(0.0, level - (1 - alpha));
  }
  return 1 - sum / alpha;
}

// Mean of the worst alpha of increasing losses.
double cvar_of_sample(const Losses& losses, double alpha) {
  double left = alpha * static_cast<double>(losses.size());
  double sum = 0;
  for (auto loss = losses.rbegin(); loss != losses.rend() && left > 0; ++loss, left -= 1) {
    sum += std::min(1.0, left) * *loss;
  }
  return sum / (alpha * static_cast<double>(losses.size()));
}

// [B07]; no bound need be above 1.
double brown_bound(const Losses& losses, double alpha) {
  const double tail = alpha * static_cast<double>(losses.size());
  return std::min(1.0, cvar_of_sample(losses, alpha) + std::sqrt(5 * std::log(3 / kError) / tail));
}

/// Mean width, and share of samples in which the bound is below the true value.
struct Quality {
  double width = 0;
  double failed = 0;

  void add(double bound, double truth) {
    width += (bound - truth) / static_cast<double>(kSamples);
    failed += bound < truth - kTolerance ? 1.0 / static_cast<double>(kSamples) : 0;
  }
};

const std::vector<double> kAlphas = {0.05, 0.1, 0.5};

void print_bounds(std::size_t n) {
  fmt::print("\n### {} losses\n\n", n);
  fmt::print(
      "| losses | alpha | CVaR | failed | Brown | Thomas and Learned-Miller | width here | "
      "all failed | width of all |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Distribution& distribution : distributions(n)) {
    std::vector<double> truths;
    for (const double alpha : kAlphas) truths.push_back(cvar_of(distribution, alpha));
    std::vector<Quality> ours(kAlphas.size());
    std::vector<Quality> joint(kAlphas.size());
    std::vector<Quality> dkw(kAlphas.size());
    std::vector<Quality> brown(kAlphas.size());
    double joint_failed = 0;
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      Rng rng(n, sample);
      const Losses losses = draw(distribution, rng, n);
      const auto all = cvar_upper_bounds(losses, kAlphas, {.confidence = 1 - kError});
      bool failed = false;
      for (std::size_t a = 0; a < kAlphas.size(); ++a) {
        const std::vector<double> alone = {kAlphas[a]};
        ours[a].add(cvar_upper_bounds(losses, alone, {.confidence = 1 - kError})[0], truths[a]);
        joint[a].add(all[a], truths[a]);
        dkw[a].add(dkw_bound(losses, kAlphas[a]), truths[a]);
        brown[a].add(brown_bound(losses, kAlphas[a]), truths[a]);
        failed = failed || all[a] < truths[a] - kTolerance;
      }
      joint_failed += failed ? 1.0 / static_cast<double>(kSamples) : 0;
    }
    for (std::size_t a = 0; a < kAlphas.size(); ++a) {
      fmt::print(
          "| {} | {:g} | {:.3f} | {:.4f} | {:.3f} | {:.3f} | **{:.3f}** | {:.4f} | {:.3f} |\n",
          distribution.name, kAlphas[a], truths[a], ours[a].failed, brown[a].width, dkw[a].width,
          ours[a].width, joint_failed, joint[a].width);
    }
  }
}

// The losses of the one model have the distribution of the other's, times a factor: similar row by
// row, or independent.
void print_differences(std::size_t n) {
  fmt::print("\n### Differences, {} rows, alpha 0.1\n\n", n);
  fmt::print("| losses | rows | CVaR of the one / other | difference | failed | width |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  const double alpha = 0.1;
  for (const Distribution& distribution : distributions(n)) {
    const double truth = cvar_of(distribution, alpha);
    for (const double factor : {1.0, 0.8}) {
      for (const bool same_rows : {true, false}) {
        Quality quality;
        for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
          Rng rng(n + 1, sample);
          Losses losses(n);
          Losses others(n);
          for (std::size_t i = 0; i < n; ++i) {
            const double v = 1 - rng.uniform();
            // Similar: ranks differ by up to 2 %, modulo 1.
            const double w = std::fmod(v + 0.02 * rng.uniform(), 1.0);
            others[i] = distribution.from_top(v);
            losses[i] = factor * distribution.from_top(same_rows ? w : 1 - rng.uniform());
          }
          const double bound = cvar_difference_bounds(losses, others, std::vector{alpha},
                                                      {.confidence = 1 - kError})[0];
          quality.add(bound, (factor - 1) * truth);
        }
        fmt::print("| {} | {} | {:g} | {:.3f} | {:.4f} | {:.3f} |\n", distribution.name,
                   same_rows ? "similar losses" : "independent", factor, (factor - 1) * truth,
                   quality.failed, quality.width);
      }
    }
  }
}

}  // namespace

int main() {
  for (const std::size_t n : {50U, 200U, 1000U}) print_bounds(n);
  print_differences(200);
}
