// What do the weights of the tail cost, relative to a round of XGBoost's own?

#include "learner/boosting.hpp"
#include "trees/booster.hpp"

#include <adacvar/base/rng.hpp>

#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace adacvar;

constexpr std::size_t kFeatures = 20;
constexpr int kRounds = 25;
constexpr int kWarmUp = 5;

void check(int status) {
  if (status != 0) throw std::runtime_error(XGBGetLastError());
}

// Seconds: of the processor with one thread, which other programs disturb less, else of the clock.
double now(unsigned threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// y = x0 x1 + x2 + noise whose scale grows with x3.
Dataset made_rows(std::size_t rows) {
  Rng rng(1);
  Dataset data;
  data.rows = rows;
  data.features = kFeatures;
  data.dense.reserve(rows * kFeatures);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t f = 0; f < kFeatures; ++f) {
      data.dense.push_back(static_cast<float>(2 * rng.uniform() - 1));
    }
    const float* const x = &data.dense[i * kFeatures];
    const double noise = rng.uniform() + rng.uniform() + rng.uniform() - 1.5;
    data.targets.push_back(static_cast<double>(x[0] * x[1] + x[2]) +
                           static_cast<double>(1 + x[3]) * noise);
  }
  return data;
}

/// XGBoost as its own `train` runs it: its objective, its loop.
class PlainXGBoost {
 public:
  PlainXGBoost(const Dataset& data, const BoosterRows& rows, unsigned threads) : rows_(rows) {
    const std::vector<float> labels(data.targets.begin(), data.targets.end());
    check(XGDMatrixSetFloatInfo(rows.handle(), "label", labels.data(), labels.size()));
    DMatrixHandle cached = rows.handle();
    check(XGBoosterCreate(&cached, 1, &handle_));
    const auto set = [this](const char* name, const std::string& value) {
      check(XGBoosterSetParam(handle_, name, value.c_str()));
    };
    set("tree_method", "hist");
    set("eta", "0.1");
    set("max_depth", "6");
    set("verbosity", "0");
    set("nthread", std::to_string(threads));
  }
  PlainXGBoost(const PlainXGBoost&) = delete;
  PlainXGBoost& operator=(const PlainXGBoost&) = delete;
  ~PlainXGBoost() { XGBoosterFree(handle_); }

  void round() { check(XGBoosterUpdateOneIter(handle_, round_++, rows_.handle())); }

 private:
  const BoosterRows& rows_;
  BoosterHandle handle_ = nullptr;
  int round_ = 0;
};

struct Times {
  std::vector<double> plain;    // XGBoost's round
  std::vector<double> mean;     // our derivatives of the mean loss
  std::vector<double> weights;  // our derivatives for the tail
  std::vector<double> tail;     // a round for the tail: derivatives, tree, scores
};

Times measure(std::size_t rows, unsigned threads) {
  const Dataset data = made_rows(rows);
  const BoosterRows matrix(data, threads);
  const Loss loss(LossKind::squared);
  PlainXGBoost plain(data, matrix, threads);
  Booster booster({.options = {.trees = true}, .outputs = 1, .threads = threads}, matrix, nullptr);
  BoostingObjective mean(data, loss, {.for_tail = false}, threads);
  BoostingObjective tail(data, loss, {.for_tail = true}, threads);
  std::vector<float> gradients(rows);
  std::vector<float> hessians(rows);
  Times times;
  for (int round = 0; round < kRounds; ++round) {
    const double start = now(threads);
    plain.round();
    const double after_plain = now(threads);
    const std::vector<float> copy(booster.scores(matrix).begin(), booster.scores(matrix).end());
    const double before_mean = now(threads);
    (void)mean.compute(copy, gradients, hessians);
    const double before_tail = now(threads);
    const auto scores = booster.scores(matrix);
    const double before_weights = now(threads);
    (void)tail.compute(scores, gradients, hessians);
    const double after_weights = now(threads);
    booster.grow(gradients, hessians);
    const double end = now(threads);
    if (round < kWarmUp) continue;
    times.plain.push_back(after_plain - start);
    times.mean.push_back(before_tail - before_mean);
    times.weights.push_back(after_weights - before_weights);
    times.tail.push_back(end - before_tail);
  }
  return times;
}

}  // namespace

// trees_bench [ROWS...]; default: 1e4, 1e5 and 1e6 rows.
int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (const char* const text : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    sizes.push_back(static_cast<std::size_t>(std::atof(text)));
  }
  if (sizes.empty()) sizes = {10'000, 100'000, 1'000'000};
  fmt::print("milliseconds per round, medians of {} rounds, {} features, depth 6\n",
             kRounds - kWarmUp, kFeatures);
  fmt::print("{:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>18}\n", "rows", "threads", "XGBoost",
             "our mean", "our tail", "round", "more than XGBoost");
  for (const std::size_t rows : sizes) {
    for (const unsigned threads : {1U, 2U}) {
      const Times times = measure(rows, threads);
      const double plain = median(times.plain);
      const double weights = median(times.weights);
      fmt::print("{:>9} {:>8} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>16.1f} %\n", rows, threads,
                 1e3 * plain, 1e3 * median(times.mean), 1e3 * weights, 1e3 * median(times.tail),
                 100 * (median(times.tail) / plain - 1));
    }
  }
}
