// Question: what does the certified least CVaR cost beside one full weighted least-squares solve,
// or one Newton step of plain logistic regression, on the same data with all cores? How much memory
// does it take beside the data? And how many solves is a curve of 30 points worth?

#include "solver/gram.hpp"
#include "solver/problem.hpp"

#include <adacvar/base/rng.hpp>
#include <adacvar/solver/exact_cvar.hpp>
#include <adacvar/solver/frontier.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace adacvar {
namespace {

constexpr double kAlpha = 0.1;
constexpr double kTolerance = 1e-6;

using Shape = std::pair<std::size_t, std::size_t>;  // rows, features

Shape shape_of(const benchmark::State& state) {
  return {static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1))};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Targets to learn: a line with exponential noise, a tail that no model removes; or classes that
/// are in doubt near its zero, so many that no model has a CVaR below that of the constant one, or
/// so few that the best one has.
enum class Targets : std::uint8_t { line, doubtful, clear };

Task task_of(Targets targets) { return targets == Targets::line ? Task::regression : Task::binary; }

/// Features in [-1, 1].
Dataset make_data(Shape shape, Targets targets) {
  Rng rng(1);
  Dataset data;
  data.rows = shape.first;
  data.features = shape.second;
  data.task = task_of(targets);
  data.dense.resize(data.rows * data.features);
  data.targets.resize(data.rows);
  for (float& x : data.dense) x = static_cast<float>(2.0 * rng.uniform() - 1.0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    double score = 0;
    for (std::size_t f = 0; f < data.features; ++f) {
      score += static_cast<double>(data.dense[i * data.features + f]) / static_cast<double>(f + 1);
    }
    if (targets == Targets::line) {
      data.targets[i] = score - std::log1p(-rng.uniform());
    } else {
      const double share = 1 / (1 + std::exp((targets == Targets::clear ? -60 : -10) * score));
      data.targets[i] = rng.uniform() < share ? 1.0 : 0.0;
    }
  }
  if (data.task == Task::binary) {
    data.class_names = {"0", "1"};
    return data;
  }
  const double mean = mean_of(data.targets);
  double squares = 0;
  for (const double y : data.targets) squares += (y - mean) * (y - mean);
  const double sd = std::sqrt(squares / static_cast<double>(data.rows));
  for (double& y : data.targets) y = (y - mean) / sd;
  return data;
}

/// The last data asked for: two sets of ten million rows need not be there at once.
const Dataset& data_of(Shape shape, Targets targets) {
  static Dataset data;
  static Targets learned = targets;
  if (data.rows != shape.first || data.features != shape.second || learned != targets) {
    data = {};
    data = make_data(shape, targets);
    learned = targets;
  }
  return data;
}

double bytes_of(const Dataset& data) {
  return static_cast<double>(data.dense.size() * sizeof(float) +
                             data.targets.size() * sizeof(double));
}

/// Peak memory of the process since the last reset, as Linux counts it.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

Loss loss_for(Targets targets) { return Loss::of_task(task_of(targets)); }

/// Gradient and Hessian at 0 over all rows, the step, and the losses after it. For the squared
/// loss that is the weighted least-squares solution and its residuals, whatever the weights.
Eigen::VectorXd one_newton_step(const Problem& problem, const std::vector<Index>& rows,
                                const std::vector<double>& weights) {
  std::vector<double> losses;
  std::vector<double> slopes;
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(problem.size());
  problem.evaluate(theta, rows, losses, slopes);
  const Eigen::MatrixXd hessian = problem.hessian(rows, weights, {}, slopes);
  theta -= hessian.ldlt().solve(problem.gradient(rows, weights, slopes));
  problem.evaluate(theta, rows, losses, slopes);
  benchmark::DoNotOptimize(losses.data());
  return theta;
}

void baseline(benchmark::State& state, Targets targets) {
  const Dataset& data = data_of(shape_of(state), targets);
  const Problem problem(data, loss_for(targets), {});
  std::vector<Index> rows(data.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  const std::vector<double> weights(data.rows, 1 / static_cast<double>(data.rows));
  if (targets == Targets::line) {  // the solution has no gradient left
    const Eigen::VectorXd theta = one_newton_step(problem, rows, weights);
    std::vector<double> losses;
    std::vector<double> slopes;
    problem.evaluate(theta, rows, losses, slopes);
    if (problem.gradient(rows, weights, slopes).norm() > 1e-10) {
      return state.SkipWithError("wrong answer");
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(one_newton_step(problem, rows, weights));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void exact(benchmark::State& state, Targets targets) {
  const Dataset& data = data_of(shape_of(state), targets);
  reset_peak();
  std::uint64_t steps = 0;
  for (auto _ : state) {
    const ExactResult result =
        solve_exact(data, loss_for(targets), {.risk = {.alpha = kAlpha}, .tolerance = kTolerance});
    if (result.status != ExactStatus::optimal) return state.SkipWithError("no certificate");
    steps = result.steps;
  }
  state.counters["memory"] = peak_bytes() / bytes_of(data);
  state.counters["steps"] = static_cast<double>(steps);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// The curve of mean against CVaR, on one thread; `solves`: its processor time beside that of one
// exact solve, taken in turn.
void frontier(benchmark::State& state, Targets targets, const Loss& loss) {
  constexpr std::size_t kPoints = 30;
  const Dataset& data = data_of(shape_of(state), targets);
  const ExactOptions options{.risk = {.alpha = kAlpha}, .tolerance = kTolerance, .threads = 1};
  double curve = 0;
  double solve = 0;
  for (auto _ : state) {
    const double begin = processor_seconds();
    benchmark::DoNotOptimize(solve_exact(data, loss, options).steps);
    const double middle = processor_seconds();
    Frontier frontier(data, loss, options);
    frontier.spread(kPoints);
    const double end = processor_seconds();
    solve += middle - begin;
    curve += end - middle;
    state.SetIterationTime(end - middle);
    if (frontier.points().size() < kPoints) return state.SkipWithError("points are missing");
    for (const auto& [gamma, point] : frontier.points()) {
      if (point.status != ExactStatus::optimal) return state.SkipWithError("no certificate");
    }
  }
  state.counters["solves"] = curve / solve;
}

void BM_FrontierSquared(benchmark::State& state) {
  frontier(state, Targets::line, loss_for(Targets::line));
}
void BM_FrontierAbsolute(benchmark::State& state) {
  frontier(state, Targets::line, Loss(LossKind::absolute));
}
void BM_FrontierDoubtful(benchmark::State& state) {
  frontier(state, Targets::doubtful, loss_for(Targets::doubtful));
}
void BM_FrontierClear(benchmark::State& state) {
  frontier(state, Targets::clear, loss_for(Targets::clear));
}

void BM_LeastSquares(benchmark::State& state) { baseline(state, Targets::line); }
void BM_ExactSquared(benchmark::State& state) { exact(state, Targets::line); }
void BM_DoubtfulStep(benchmark::State& state) { baseline(state, Targets::doubtful); }
void BM_ExactDoubtful(benchmark::State& state) { exact(state, Targets::doubtful); }
void BM_ClearStep(benchmark::State& state) { baseline(state, Targets::clear); }
void BM_ExactClear(benchmark::State& state) { exact(state, Targets::clear); }

void shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({100'000, 20})->Args({1'000'000, 50})->Unit(benchmark::kMillisecond)->UseRealTime();
}
void curves(benchmark::internal::Benchmark* bench) {
  bench->Args({100'000, 20})->Unit(benchmark::kMillisecond)->UseManualTime();
}
void huge(benchmark::internal::Benchmark* bench) {
  bench->Args({10'000'000, 20})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(BM_LeastSquares)->Apply(shapes);
BENCHMARK(BM_ExactSquared)->Apply(shapes);
BENCHMARK(BM_DoubtfulStep)->Apply(shapes);
BENCHMARK(BM_ExactDoubtful)->Apply(shapes);
BENCHMARK(BM_ClearStep)->Apply(shapes);
BENCHMARK(BM_ExactClear)->Apply(shapes);
BENCHMARK(BM_FrontierSquared)->Apply(curves);
BENCHMARK(BM_FrontierAbsolute)->Apply(curves);
BENCHMARK(BM_FrontierDoubtful)->Apply(curves);
BENCHMARK(BM_FrontierClear)->Apply(curves);
BENCHMARK(BM_LeastSquares)->Name("BM_LeastSquaresHuge")->Apply(huge);
BENCHMARK(BM_ExactSquared)->Name("BM_ExactSquaredHuge")->Apply(huge);

}  // namespace
}  // namespace adacvar

BENCHMARK_MAIN();
