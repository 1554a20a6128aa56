// How many passes of a vectorised exp over the weights do the k-DPP's marginals cost?

#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include <benchmark/benchmark.h>
#include <Eigen/Core>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

std::vector<double> weights(std::size_t size) {
  adacvar::Rng rng(1);
  std::vector<double> x(size);
  for (double& value : x) value = 12.0 * (rng.uniform() + rng.uniform() - 1.0);
  return x;
}

void check_sum(const std::vector<double>& marginals, std::size_t k) {
  const double sum = std::accumulate(marginals.begin(), marginals.end(), 0.0);
  if (std::abs(sum / static_cast<double>(k) - 1.0) > 1e-9) throw std::runtime_error("sum is not k");
}

void BM_Exp(benchmark::State& state) {
  const auto x = weights(static_cast<std::size_t>(state.range(0)));
  const Eigen::Map<const Eigen::ArrayXd> in(x.data(), state.range(0));
  Eigen::ArrayXd out(state.range(0));
  for (auto _ : state) {
    out = in.exp();
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <auto marginals>
void run(benchmark::State& state) {
  const auto x = weights(static_cast<std::size_t>(state.range(0)));
  check_sum(marginals(x, x.size() / 10), x.size() / 10);
  for (auto _ : state) {
    auto result = marginals(x, x.size() / 10);
    benchmark::DoNotOptimize(result.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_MatchedMarginals(benchmark::State& state) { run<adacvar::matched_marginals>(state); }
void BM_ExactMarginals(benchmark::State& state) { run<adacvar::exact_marginals>(state); }

void BM_KSubset(benchmark::State& state) {
  const auto x = weights(static_cast<std::size_t>(state.range(0)));
  const adacvar::KSubsetSampler sampler(x, x.size() / 10);
  adacvar::Rng rng(2);
  std::vector<adacvar::Index> subset(sampler.subset_size());
  for (auto _ : state) {
    sampler.draw(rng, subset);
    benchmark::DoNotOptimize(subset.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#define ADACVAR_SIZES ->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)
BENCHMARK(BM_Exp) ADACVAR_SIZES;
BENCHMARK(BM_MatchedMarginals) ADACVAR_SIZES;
BENCHMARK(BM_ExactMarginals) ADACVAR_SIZES;
BENCHMARK(BM_KSubset) ADACVAR_SIZES;

}  // namespace
