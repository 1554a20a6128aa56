// Question: what does a whole step of Ada-CVaR cost beside the least it could cost, one random row
// of the data read and multiplied? Time per example, of the processor: training is one thread.

#include <adacvar/base/rng.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kBatch = 64;
constexpr double kAlpha = 0.1;

using Shape = std::pair<std::size_t, std::size_t>;  // rows, features

Shape shape_of(const benchmark::State& state) {
  return {static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1))};
}

/// A line with exponential noise: a tail that no model removes. Made once per shape.
const Dataset& data_of(Shape shape) {
  static std::map<Shape, Dataset> made;
  Dataset& data = made[shape];
  if (data.rows > 0) return data;
  Rng rng(1);
  data.rows = shape.first;
  data.features = shape.second;
  data.dense.resize(data.rows * data.features);
  for (float& x : data.dense) x = static_cast<float>(2.0 * rng.uniform() - 1.0);
  data.targets.resize(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) {
    double y = -std::log1p(-rng.uniform());
    for (std::size_t f = 0; f < data.features; ++f) {
      y += static_cast<double>(data.dense[i * data.features + f]) / static_cast<double>(f + 1);
    }
    data.targets[i] = y;
  }
  // The first training moves the rows to large pages: the floor shall find them there too.
  (void)train(data, nullptr, Loss(LossKind::squared), {.algorithm = Algorithm::mean, .epochs = 1});
  return data;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void report(benchmark::State& state, std::size_t examples) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(examples));
  state.counters["per_example"] = benchmark::Counter(
      static_cast<double>(examples),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

using Vec8 = float __attribute__((vector_size(32), may_alias));

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
__attribute__((target_clones("avx2", "default")))
#endif
float floor_pass(const Dataset& data, std::span<const Index> rows, const float* weights) {
  constexpr std::size_t kAhead = 12;
  const std::size_t features = data.features;
  const std::size_t whole = features / 8 * 8;
  float sum = 0.0F;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    if (b + kAhead < rows.size()) {
      const float* next = data.dense.data() + rows[b + kAhead] * features;
      for (std::size_t f = 0; f < features; f += 16) __builtin_prefetch(next + f);
      __builtin_prefetch(next + features - 1);
    }
    const float* row = data.dense.data() + rows[b] * features;
    Vec8 sums{};
    for (std::size_t f = 0; f < whole; f += 8) {
      Vec8 x;
      Vec8 w;
      std::memcpy(&x, row + f, sizeof(x));
      std::memcpy(&w, weights + f, sizeof(w));
      sums += x * w;
    }
    float rest = 0.0F;
    for (std::size_t f = whole; f < features; ++f) rest += row[f] * weights[f];
    sum += (((sums[0] + sums[1]) + (sums[2] + sums[3])) +
            ((sums[4] + sums[5]) + (sums[6] + sums[7]))) +
           rest;
  }
  return sum;
}

std::vector<Index> random_rows(std::size_t size) {
  Rng rng(2);
  std::vector<Index> rows(std::size_t{1} << 20U);
  for (Index& i : rows) i = rng.below(static_cast<std::uint32_t>(size));
  return rows;
}

/// The floor: rows known long before, fetched ahead, and a dot product in single precision.
void BM_Floor(benchmark::State& state) {
  const Dataset& data = data_of(shape_of(state));
  const std::vector<Index> rows = random_rows(data.rows);
  const std::vector<float> weights(data.features, 0.5F);
  double expected = 0.0;
  for (const Index i : rows) {
    for (std::size_t f = 0; f < data.features; ++f) {
      expected += 0.5 * static_cast<double>(data.dense[i * data.features + f]);
    }
  }
  const auto sum = static_cast<double>(floor_pass(data, rows, weights.data()));
  if (std::abs(sum - expected) > 1.0 + 1e-3 * std::abs(expected)) {
    return state.SkipWithError("wrong answer");
  }
  for (auto _ : state) benchmark::DoNotOptimize(floor_pass(data, rows, weights.data()));
  report(state, rows.size());
}

TrainOptions options_for(Algorithm algorithm, Shape shape) {
  TrainOptions options;
  options.algorithm = algorithm;
  options.optimizer.kind = OptimizerKind::sgd;  // newton would be the mean's default
  options.alpha = kAlpha;
  options.batch = kBatch;
  options.sampler.eta_scale = 3.0;  // what training decides for regression
  options.epochs = shape.first <= 10'000 ? 50 : 10;
  return options;
}

/// The loop as plain as it can be written, for one output and the squared loss.
std::vector<double> plain_training(const Dataset& data, const TrainOptions& options) {
  const std::size_t d = data.features;
  const std::size_t steps = (data.rows + kBatch - 1) / kBatch;
  Rng rng(options.seed);
  AdaptiveSamplerOptions sampler_options = options.sampler;
  sampler_options.alpha = options.alpha;
  sampler_options.horizon = options.epochs * steps * kBatch;
  AdaptiveSampler sampler(data.rows, sampler_options);
  std::vector<double> theta(d + 1, 0.0);
  std::vector<double> velocity(d + 1, 0.0);
  std::vector<Index> batch(kBatch);
  std::vector<double> losses(kBatch);
  for (std::size_t t = 0; t < options.epochs * steps; ++t) {
    sampler.draw(rng, batch);
    std::vector<double> gradient(d + 1, 0.0);
    for (std::size_t b = 0; b < kBatch; ++b) {
      const float* x = data.dense.data() + batch[b] * d;
      double residual = theta[d] - data.targets[batch[b]];
      for (std::size_t f = 0; f < d; ++f) residual += theta[f] * static_cast<double>(x[f]);
      losses[b] = residual * residual;
      const double slope = 2.0 * residual / static_cast<double>(kBatch);
      for (std::size_t f = 0; f < d; ++f) gradient[f] += slope * static_cast<double>(x[f]);
      gradient[d] += slope;
    }
    for (std::size_t f = 0; f <= d; ++f) {
      velocity[f] = options.optimizer.momentum * velocity[f] + gradient[f];
      theta[f] -= *options.learning_rate * velocity[f];
    }
    sampler.observe(batch, losses);
  }
  return theta;
}

Dataset first_rows(const Dataset& data, std::size_t rows) {
  Dataset part = data;
  part.rows = rows;
  part.dense.resize(rows * data.features);
  part.targets.resize(rows);
  return part;
}

/// On few rows: over a long run the sampler's baseline blows up a difference in the last bits.
bool training_is_right(const Dataset& all) {
  const Dataset data = first_rows(all, 10'000);
  TrainOptions options = options_for(Algorithm::adacvar, {data.rows, data.features});
  options.epochs = 1;
  options.decay = 1.0;
  options.learning_rate = 1e-3;  // no step is shortened
  options.iterate = Iterate::last;
  const TrainResult result = train(data, nullptr, Loss(LossKind::squared), options);
  const std::vector<double> plain = plain_training(data, options);
  double gap = 0.0;
  for (std::size_t f = 0; f < plain.size(); ++f) {
    gap = std::max(gap, std::abs(plain[f] - result.model.parameters()[f]));
  }
  return gap < 1e-9;
}

/// A whole run by the public function but for its first epoch, with which it sets up.
void run_training(benchmark::State& state, Algorithm algorithm) {
  const Shape shape = shape_of(state);
  const Dataset& data = data_of(shape);
  if (!training_is_right(data)) return state.SkipWithError("wrong answer");
  const TrainOptions options = options_for(algorithm, shape);
  const Loss loss(LossKind::squared);
  for (auto _ : state) {
    double first = 0.0;
    double last = 0.0;
    const auto note = [&](const EpochRecord& record) {
      (record.epoch == 1 ? first : last) = processor_seconds();
      return true;
    };
    benchmark::DoNotOptimize(train(data, nullptr, loss, options, {.progress = note}));
    state.SetIterationTime(last - first);
  }
  report(state, (options.epochs - 1) * data.rows);
}

/// The sampler's part: the same draws and updates, losses for nothing.
void BM_Sampler(benchmark::State& state) {
  const Shape shape = shape_of(state);
  const TrainOptions options = options_for(Algorithm::adacvar, shape);
  AdaptiveSamplerOptions sampler_options = options.sampler;
  sampler_options.alpha = options.alpha;
  sampler_options.horizon = options.epochs * shape.first;
  std::vector<Index> batch(kBatch);
  std::vector<double> losses(kBatch);
  for (auto _ : state) {
    AdaptiveSampler sampler(shape.first, sampler_options);
    Rng rng(3);
    double start = 0.0;
    for (std::size_t t = 0; t < sampler_options.horizon / kBatch; ++t) {
      if (t == shape.first / kBatch) start = processor_seconds();
      sampler.draw(rng, batch);
      for (std::size_t b = 0; b < kBatch; ++b) {
        const double u = static_cast<double>((batch[b] * 2654435761U) >> 8U) * 0x1p-24;
        losses[b] = u * u * u;
      }
      sampler.observe(batch, losses);
    }
    state.SetIterationTime(processor_seconds() - start);
  }
  report(state, (options.epochs - 1) * shape.first);
}

void BM_AdaCvar(benchmark::State& state) { run_training(state, Algorithm::adacvar); }

void BM_Mean(benchmark::State& state) { run_training(state, Algorithm::mean); }

void shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({10'000, 10})->Args({100'000, 50})->Args({1'000'000, 50});
}

BENCHMARK(BM_Floor)->Apply(shapes);
BENCHMARK(BM_Sampler)->Apply(shapes)->UseManualTime();
BENCHMARK(BM_AdaCvar)->Apply(shapes)->UseManualTime();
BENCHMARK(BM_Mean)->Apply(shapes)->UseManualTime();

}  // namespace
}  // namespace adacvar

BENCHMARK_MAIN();
