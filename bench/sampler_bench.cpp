// Does the adaptive sampler cost the same for a thousand and for ten million examples, and what
// does a plain sum tree cost, which does not even follow nu? Time per example: one draw and one
// update.

#include "sum_tree.hpp"

#include <adacvar/sampler/adaptive_sampler.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

using adacvar::AdaptiveSampler;
using adacvar::AdaptiveSamplerOptions;
using adacvar::Index;
using adacvar::Rng;

constexpr std::size_t kBatch = 64;
constexpr double kAlpha = 0.1;
constexpr double kSpread = 600.0;  // of log-weights after a long run

std::size_t warm_up_batches(std::size_t size) { return std::min<std::size_t>(size, 200'000) / 8; }

// A loss per example that needs no memory: hashing costs the same for sampler and tree.
double loss_of(Index i) { return static_cast<double>((i * 2654435761U) >> 8U) * 0x1p-24; }

void step(AdaptiveSampler& sampler, Rng& rng, std::vector<Index>& batch,
          std::vector<double>& losses) {
  sampler.draw(rng, batch);
  for (std::size_t j = 0; j < kBatch; ++j) losses[j] = loss_of(batch[j]);
  sampler.observe(batch, losses);
}

// Checked before it is timed: the probabilities must be below their caps and sum to 1.
void check_distribution(const AdaptiveSampler& sampler, const std::vector<double>& weights) {
  double total = static_cast<double>(sampler.size());
  if (!weights.empty()) total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0.0;
  const std::vector<double> probabilities = sampler.probabilities();
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double q = probabilities[i];
    sum += q;
    const double most = (weights.empty() ? 1.0 : weights[i]) / (kAlpha * total);
    if (!(q >= 0.0 && q <= most * 1.0001))
      throw std::runtime_error("a probability is out of range");
  }
  if (std::abs(sum - 1.0) > 1e-9) throw std::runtime_error("the probabilities do not sum to 1");
}

void run(benchmark::State& state, const AdaptiveSamplerOptions& options, double spread,
         const std::vector<double>& weights = {}) {
  const auto size = static_cast<std::size_t>(state.range(0));
  AdaptiveSampler sampler(size, options, weights);
  Rng rng(1);
  if (spread > 0.0) {
    std::vector<double> x(size);
    for (double& value : x) value = spread * (rng.uniform() - 0.5);
    sampler.set_log_weights(x);
  }
  std::vector<Index> batch(kBatch);
  std::vector<double> losses(kBatch);
  for (std::size_t t = 0; t < warm_up_batches(size); ++t) step(sampler, rng, batch, losses);
  check_distribution(sampler, weights);
  for (auto _ : state) step(sampler, rng, batch, losses);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  state.counters["bytes_per_item"] =
      static_cast<double>(sampler.memory_bytes()) / static_cast<double>(size);
}

AdaptiveSamplerOptions options_for(const benchmark::State& state) {
  AdaptiveSamplerOptions options;
  options.alpha = kAlpha;
  options.eta = 0.3 / static_cast<double>(state.range(0));
  return options;
}

void BM_AdaptiveSampler(benchmark::State& state) { run(state, options_for(state), kSpread); }

// All weights still near each other: every update moves an example between buckets.
void BM_AdaptiveSamplerNarrow(benchmark::State& state) { run(state, options_for(state), 0.0); }

// Row weights: exposures in days of a year, and weights spread over 24 orders of magnitude.
void BM_AdaptiveSamplerExposure(benchmark::State& state) {
  Rng rng(2);
  std::vector<double> weights(static_cast<std::size_t>(state.range(0)));
  for (double& weight : weights) weight = (1.0 + rng.below(365)) / 365.0;
  run(state, options_for(state), kSpread, weights);
}

void BM_AdaptiveSamplerExposureNarrow(benchmark::State& state) {
  Rng rng(2);
  std::vector<double> weights(static_cast<std::size_t>(state.range(0)));
  for (double& weight : weights) weight = (1.0 + rng.below(365)) / 365.0;
  run(state, options_for(state), 0.0, weights);
}

void BM_AdaptiveSamplerFarApartWeights(benchmark::State& state) {
  Rng rng(2);
  std::vector<double> weights(static_cast<std::size_t>(state.range(0)));
  for (double& weight : weights) weight = std::pow(10.0, 24.0 * rng.uniform() - 12.0);
  run(state, options_for(state), kSpread, weights);
}

// The exact k-DPP distribution instead of the matched one.
void BM_AdaptiveSamplerExact(benchmark::State& state) {
  AdaptiveSamplerOptions options = options_for(state);
  options.marginals = adacvar::Marginals::exact;
  run(state, options, 20.0);
}

// The same distribution and the same steps by a sum tree over sigma(x_i + nu), with nu as it was at
// the start: to follow nu, a tree would have to be rebuilt after every batch.
void BM_SumTree(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  Rng rng(1);
  std::vector<double> x(size);  // log-weight + nu; a share alpha of them above 0
  for (double& value : x) value = kSpread * (rng.uniform() - (1.0 - kAlpha));
  const auto sigmoid = [](double z) { return 1.0 / (1.0 + std::exp(-z)); };
  std::vector<double> p(size);
  std::ranges::transform(x, p.begin(), sigmoid);
  SumTree tree(p);
  std::vector<Index> batch(kBatch);
  const double eta = 0.3 / static_cast<double>(size);
  const auto tree_step = [&] {
    for (Index& i : batch) i = static_cast<Index>(tree.find(rng.uniform() * tree.total()));
    for (const Index i : batch) {
      x[i] += eta * (loss_of(i) - 0.5) * tree.total() / tree.weight(i);
      tree.set(i, sigmoid(x[i]));
    }
  };
  for (std::size_t t = 0; t < warm_up_batches(size); ++t) tree_step();
  for (auto _ : state) tree_step();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

#define ADACVAR_SIZES ->RangeMultiplier(10)->Range(1'000, 10'000'000)
BENCHMARK(BM_AdaptiveSampler) ADACVAR_SIZES;
BENCHMARK(BM_SumTree) ADACVAR_SIZES;
BENCHMARK(BM_AdaptiveSamplerNarrow) ADACVAR_SIZES;
BENCHMARK(BM_AdaptiveSamplerExposure) ADACVAR_SIZES;
BENCHMARK(BM_AdaptiveSamplerExposureNarrow) ADACVAR_SIZES;
BENCHMARK(BM_AdaptiveSamplerFarApartWeights) ADACVAR_SIZES;
BENCHMARK(BM_AdaptiveSamplerExact) ADACVAR_SIZES;

// Does a hundred million fit? Run with --benchmark_filter=Huge.
void BM_HugeAdaptiveSampler(benchmark::State& state) { run(state, options_for(state), kSpread); }
BENCHMARK(BM_HugeAdaptiveSampler)->Arg(100'000'000)->Iterations(10'000);

}  // namespace
