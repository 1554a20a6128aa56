// Question: what does adaptive sampling add to an epoch of a network? LeNet-5 on images of 28 x
// 28 by Ada-CVaR and by Mean, in turn, with one thread and with two; the sampler's own time, and
// that of gathering batches. bench/deep_eager.py compares with PyTorch's eager loop.

#include "deep/torch_model.hpp"

#include <adacvar/deep/networks.hpp>
#include <adacvar/deep/train_module.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kBatch = 64;
constexpr std::size_t kSteps = 200;
constexpr std::size_t kRows = 60'000;  // as many as MNIST has

// CPU time for one thread, which other programs do not change; else wall time.
double seconds(std::uint64_t threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Noise with a bright line per class.
Dataset make_images(std::size_t rows) {
  Rng rng(1);
  Dataset data;
  data.rows = rows;
  data.image = {1, 28, 28};
  data.features = data.image.size();
  data.task = Task::multiclass;
  data.class_names.assign(10, "");
  data.dense.resize(rows * data.features);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t label = rng.below(10);
    data.targets.push_back(static_cast<double>(label));
    float* image = data.dense.data() + i * data.features;
    for (std::size_t p = 0; p < data.features; ++p) {
      const bool bright = p / 28 / 2 == label + 2;
      image[p] = static_cast<float>(rng.uniform() + (bright ? 0.5 : 0.0));
    }
  }
  return data;
}

double epoch_seconds(const Dataset& data, Algorithm algorithm, std::uint64_t threads) {
  static const auto maker = torch_network_maker();
  TrainOptions options;
  options.algorithm = algorithm;
  options.epochs = 1;
  options.batch = kBatch;
  options.learning_rate = 0.01;
  NetworkOptions network;
  network.network = "lenet5";
  network.threads = threads;
  const double begin = seconds(threads);
  (void)maker->train(data, nullptr, Loss(LossKind::softmax), options, network, {});
  return seconds(threads) - begin;
}

// In turn, so that what else the machine does falls on both.
void BM_LenetEpochs(benchmark::State& state) {
  static const Dataset data = make_images(kBatch * kSteps);
  const auto threads = static_cast<std::uint64_t>(state.range(0));
  const auto time_of = [&](Algorithm algorithm) { return epoch_seconds(data, algorithm, threads); };
  (void)time_of(Algorithm::mean);
  double mean = 0;
  double ada = 0;
  for (auto _ : state) {
    mean += time_of(Algorithm::mean);
    ada += time_of(Algorithm::adacvar);
    ada += time_of(Algorithm::adacvar);
    mean += time_of(Algorithm::mean);
  }
  const auto steps = static_cast<double>(2 * kSteps * static_cast<std::size_t>(state.iterations()));
  state.counters["mean_us"] = 1e6 * mean / steps;
  state.counters["ada_us"] = 1e6 * ada / steps;
  state.counters["ratio"] = ada / mean;
}
BENCHMARK(BM_LenetEpochs)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

std::vector<Index> random_rows(Rng& rng, std::size_t rows) {
  std::vector<Index> batch(kBatch);
  for (Index& row : batch) row = rng.below(static_cast<std::uint32_t>(rows));
  return batch;
}

void BM_Gather(benchmark::State& state) {
  static const Dataset data = make_images(kRows);
  const auto augment = static_cast<Augment>(state.range(0));
  Rng rng(2);
  for (auto _ : state) {
    const std::vector<Index> batch = random_rows(rng, data.rows);
    benchmark::DoNotOptimize(gather(data, batch, augment, &rng));
  }
}
BENCHMARK(BM_Gather)->Arg(0)->Arg(2)->Unit(benchmark::kMicrosecond);

void BM_SamplerBatch(benchmark::State& state) {
  AdaptiveSampler sampler(kRows, {.alpha = 0.1, .eta_scale = 20.0});
  Rng rng(3);
  std::vector<Index> batch(kBatch);
  std::vector<double> losses(kBatch);
  for (auto _ : state) {
    sampler.draw(rng, batch);
    for (double& loss : losses) loss = -std::log1p(-rng.uniform());
    sampler.observe(batch, losses);
  }
}
BENCHMARK(BM_SamplerBatch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace adacvar
