// Question: what does CVaR cost beside one std::nth_element on the same losses?

#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/tail_stream.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace adacvar {
namespace {

constexpr double kAlpha = 0.1;

/// Exponential losses: all different, with a tail. Made once per size.
const std::vector<double>& losses_of_size(std::int64_t size) {
  static std::map<std::int64_t, std::vector<double>> made;
  std::vector<double>& losses = made[size];
  if (losses.empty()) {
    Rng rng(1);
    losses.resize(static_cast<std::size_t>(size));
    for (double& loss : losses) loss = -std::log1p(-rng.uniform());
  }
  return losses;
}

std::ptrdiff_t border_rank(const std::vector<double>& losses) {
  return static_cast<std::ptrdiff_t>(losses.size() / 10);
}

/// By a full sort; alpha n is whole at all sizes.
const TailRisk& sorted_reference(std::int64_t size) {
  static std::map<std::int64_t, TailRisk> made;
  const auto [place, is_new] = made.try_emplace(size);
  if (is_new) {
    std::vector<double> sorted = losses_of_size(size);
    std::ranges::sort(sorted, std::greater<>());
    const auto tail = static_cast<std::size_t>(border_rank(sorted));
    long double worst = 0;
    long double all = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i < tail) worst += sorted[i];
      all += sorted[i];
    }
    place->second = {static_cast<double>(all / static_cast<long double>(size)), sorted[tail],
                     static_cast<double>(worst / static_cast<long double>(tail))};
  }
  return place->second;
}

bool is_close(double value, double expected) {
  return std::abs(value - expected) <= 1e-15 * std::abs(expected);
}

bool is_right(const TailRisk& risk, std::int64_t size) {
  const TailRisk& expected = sorted_reference(size);
  return risk.var == expected.var && is_close(risk.cvar, expected.cvar) &&
         is_close(risk.mean, expected.mean);
}

void count_items(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// The input must be left as it is, so a caller of nth_element copies it first; the copy's
/// memory is reused here, which is in nth_element's favour.
void BM_NthElement(benchmark::State& state) {
  const std::vector<double>& losses = losses_of_size(state.range(0));
  std::vector<double> copy(losses.size());
  for (auto _ : state) {
    std::ranges::copy(losses, copy.begin());
    std::nth_element(copy.begin(), copy.begin() + border_rank(losses), copy.end(),
                     std::greater<>());
    benchmark::DoNotOptimize(copy.data());
  }
  if (copy[static_cast<std::size_t>(border_rank(losses))] != sorted_reference(state.range(0)).var) {
    state.SkipWithError("wrong answer");
  }
  count_items(state);
}

void BM_NthElementNoCopy(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  const std::vector<double>& losses = losses_of_size(state.range(0));
  std::vector<double> copy(losses.size());
  for (auto _ : state) {
    std::ranges::copy(losses, copy.begin());
    const Clock::time_point start = Clock::now();
    std::nth_element(copy.begin(), copy.begin() + border_rank(losses), copy.end(),
                     std::greater<>());
    benchmark::DoNotOptimize(copy.data());
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
  count_items(state);
}

void BM_Cvar(benchmark::State& state) {
  const std::vector<double>& losses = losses_of_size(state.range(0));
  if (!is_right(tail_risk(losses, kAlpha), state.range(0))) {
    return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) benchmark::DoNotOptimize(cvar(losses, kAlpha));
  count_items(state);
}

void BM_WeightedCvar(benchmark::State& state) {
  const std::vector<double>& losses = losses_of_size(state.range(0));
  const std::vector<double> weights(losses.size(), 0.5);  // the same answer as without
  if (!is_right(tail_risk(losses, weights, kAlpha), state.range(0))) {
    return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) benchmark::DoNotOptimize(cvar(losses, weights, kAlpha));
  count_items(state);
}

TailRisk stream_risk(const std::vector<double>& losses) {
  TailStream stream(kAlpha, losses.size());
  for (const double loss : losses) stream.push(loss);
  return stream.risk();
}

void BM_TailStream(benchmark::State& state) {
  const std::vector<double>& losses = losses_of_size(state.range(0));
  if (!is_right(stream_risk(losses), state.range(0))) {
    return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) benchmark::DoNotOptimize(stream_risk(losses));
  count_items(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
}

BENCHMARK(BM_NthElement)->Apply(sizes);
BENCHMARK(BM_NthElementNoCopy)->Apply(sizes)->UseManualTime();
BENCHMARK(BM_Cvar)->Apply(sizes);
BENCHMARK(BM_WeightedCvar)->Apply(sizes);
BENCHMARK(BM_TailStream)->Apply(sizes);

}  // namespace
}  // namespace adacvar

BENCHMARK_MAIN();
