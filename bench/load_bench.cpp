// Question: does everything still hold at sizes far beyond a test's? One part per run, with
// progress on standard error and peak memory at the end:
//
//   load_bench updates [count] [N]   a sampler after so many updates, beside the dense distribution
//   load_bench losses [count]        CVaR of so many streamed losses, beside its closed form
//   load_bench train [rows]          training on so many rows of 8 features

#include <adacvar/base/rng.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/tail_stream.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string_view>
#include <vector>

namespace adacvar {
namespace {

constexpr double kAlpha = 0.1;
constexpr std::size_t kBatch = 64;

/// Processor time: all parts run on one thread, and the machine may be busy.
double seconds() { return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC); }

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

/// The marginals sigma(x_i + nu) with sum k, in long double: nu by bisection over all N.
std::vector<long double> dense_marginals(const std::vector<double>& log_weights, double tail) {
  const auto marginals_at = [&](long double nu, std::vector<long double>* out) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
      const long double p = 1.0L / (1.0L + std::exp(-(log_weights[i] + nu)));
      sum += p;
      if (out != nullptr) (*out)[i] = p;
    }
    return sum;
  };
  const auto [least, most] = std::ranges::minmax(log_weights);
  long double low = -most - 50.0L;
  long double high = -least + 50.0L;
  for (int halvings = 0; halvings < 90; ++halvings) {
    const long double middle = 0.5L * (low + high);
    (marginals_at(middle, nullptr) < tail ? low : high) = middle;
  }
  std::vector<long double> marginals(log_weights.size());
  marginals_at(0.5L * (low + high), &marginals);
  return marginals;
}

struct Gap {
  double relative = 0.0;   ///< largest |q_i - dense q_i| / dense q_i
  double variation = 0.0;  ///< sum of |q_i - dense q_i|, halved
};

Gap gap_to_dense(const AdaptiveSampler& sampler) {
  std::vector<double> log_weights(sampler.size());
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    log_weights[i] = sampler.log_weight(static_cast<Index>(i));
  }
  const auto size = static_cast<long double>(sampler.size());
  const auto tail = static_cast<double>(sampler.tail_size());
  const std::vector<long double> marginals = dense_marginals(log_weights, tail);
  const std::vector<double> probabilities = sampler.probabilities();
  const long double gamma = sampler.options().gamma;
  Gap gap;
  for (std::size_t i = 0; i < marginals.size(); ++i) {
    const long double dense = (1.0L - gamma) * marginals[i] / tail + gamma / size;
    const auto difference = static_cast<double>(std::abs(probabilities[i] - dense));
    gap.relative = std::max(gap.relative, difference / static_cast<double>(dense));
    gap.variation += 0.5 * difference;
  }
  return gap;
}

/// An example's losses have their own mean and vary, so that its log-weight rises and falls.
int run_updates(std::size_t count, std::size_t size) {
  AdaptiveSamplerOptions options;
  options.alpha = kAlpha;
  options.eta = 0.3 / static_cast<double>(size);
  AdaptiveSampler sampler(size, options);
  Rng rng(1);
  std::vector<Index> batch(kBatch);
  std::vector<double> losses(kBatch);
  const std::size_t batches = count / kBatch;
  const std::size_t part = std::max<std::size_t>(1, batches / 10);
  double spent = 0.0;
  double start = seconds();
  Gap gap;
  for (std::size_t t = 1; t <= batches; ++t) {
    sampler.draw(rng, batch);
    for (std::size_t j = 0; j < kBatch; ++j) {
      losses[j] = static_cast<double>((batch[j] * 2654435761U) >> 8U) * 0x1p-24 + rng.uniform();
    }
    sampler.observe(batch, losses);
    if (t % part != 0) continue;
    spent += seconds() - start;
    const Gap now = gap_to_dense(sampler);
    gap = {std::max(gap.relative, now.relative), std::max(gap.variation, now.variation)};
    std::fprintf(stderr,
                 "%.3g updates, %.0f ns each: largest relative error %.2g, variation %.2g\n",
                 static_cast<double>(t * kBatch), 1e9 * spent / static_cast<double>(t * kBatch),
                 now.relative, now.variation);
    start = seconds();
  }
  std::printf(
      "%.3g updates of %.3g examples: %.0f ns each, largest relative error of a probability "
      "%.2g, total variation %.2g, %.2f GB\n",
      static_cast<double>(batches * kBatch), static_cast<double>(size),
      1e9 * spent / static_cast<double>(batches * kBatch), gap.relative, gap.variation,
      peak_gigabytes());
  return gap.relative <= 1e-9 ? 0 : 1;
}

/// Losses -log(1 - u): CVaR is 1 + log(1 / alpha), VaR log(1 / alpha).
int run_losses(std::size_t count) {
  constexpr std::array kAlphas = {0.001, 0.01, 0.1};
  std::vector<TailStream> streams;
  for (const double alpha : kAlphas) streams.emplace_back(alpha, count);
  Rng rng(1);
  std::vector<double> block(std::size_t{1} << 16U);
  const double start = seconds();
  const std::size_t blocks = (count + block.size() - 1) / block.size();
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto losses = std::span(block).first(std::min(block.size(), count - b * block.size()));
    for (double& loss : losses) loss = -std::log1p(-rng.uniform());
    for (TailStream& stream : streams) stream.push(losses);
    if ((b + 1) % (blocks / 20 + 1) == 0) {
      std::fprintf(stderr, "%3.0f %% of the losses, %.0f s, %.2f GB\n",
                   100.0 * static_cast<double>(b + 1) / static_cast<double>(blocks),
                   seconds() - start, peak_gigabytes());
    }
  }
  const double spent = seconds() - start;
  int failures = 0;
  for (const TailStream& stream : streams) {
    const TailRisk risk = stream.risk();
    const double expected = 1.0 - std::log(stream.alpha());
    // The standard error of the CVaR of n exponential losses is sqrt((2 - alpha) / (alpha n)).
    const double error =
        std::sqrt((2.0 - stream.alpha()) / (stream.alpha() * static_cast<double>(stream.count())));
    if (!(std::abs(risk.cvar - expected) < 5.0 * error)) ++failures;
    std::printf("alpha %-5g CVaR %.6f, expected %.6f within %.1g\n", stream.alpha(), risk.cvar,
                expected, error);
  }
  std::printf("%.3g losses: %.0f s, %.1f ns each for all tails, %.2f GB\n",
              static_cast<double>(count), spent, 1e9 * spent / static_cast<double>(count),
              peak_gigabytes());
  return failures;
}

constexpr std::size_t kFeatures = 8;

/// A line with exponential noise whose scale grows with |x1|.
Dataset make_rows(std::size_t rows) {
  Dataset data;
  Rng rng(1);
  data.rows = rows;
  data.features = kFeatures;
  data.dense.resize(rows * kFeatures);
  data.targets.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    float* const row = data.dense.data() + i * kFeatures;
    double y = 0.0;
    for (std::size_t f = 0; f < kFeatures; ++f) {
      row[f] = static_cast<float>(2.0 * rng.uniform() - 1.0);
      y += static_cast<double>(row[f]) / static_cast<double>(f + 1);
    }
    const double noise = -std::log1p(-rng.uniform());
    data.targets[i] = y + std::abs(static_cast<double>(row[0])) * noise;
  }
  return data;
}

double streamed_cvar(const LinearModel& model, const Dataset& data, const Loss& loss) {
  constexpr std::size_t kBlock = 4096;
  TailStream stream(kAlpha, data.rows);
  std::vector<Index> rows(kBlock);
  std::vector<double> scores(kBlock);
  std::vector<double> losses(kBlock);
  for (std::size_t start = 0; start < data.rows; start += kBlock) {
    const std::size_t count = std::min(kBlock, data.rows - start);
    const auto some = std::span(rows).first(count);
    std::iota(some.begin(), some.end(), static_cast<Index>(start));
    const auto part = std::span(scores).first(count);
    model.scores(data, some, part);
    loss.evaluate(part, std::span(data.targets).subspan(start, count),
                  std::span(losses).first(count), part);
    stream.push(std::span(losses).first(count));
  }
  return stream.risk().cvar;
}

int run_training(std::size_t rows) {
  double start = seconds();
  const Dataset data = make_rows(rows);
  std::fprintf(stderr, "%.3g rows made in %.0f s, %.2f GB\n", static_cast<double>(rows),
               seconds() - start, peak_gigabytes());
  TrainOptions options;
  options.alpha = kAlpha;
  options.batch = kBatch;
  options.epochs = 2;
  const Loss loss(LossKind::squared);
  start = seconds();
  int shown = -1;
  TrainHooks hooks;
  hooks.within_epoch = [&](double epochs) {
    const int tenths = static_cast<int>(10.0 * epochs);
    if (tenths == shown) return;
    shown = tenths;
    std::fprintf(stderr, "%.1f of 2 epochs, %.0f s, %.2f GB\n", epochs, seconds() - start,
                 peak_gigabytes());
  };
  const TrainResult result = train(data, nullptr, loss, options, hooks);
  const double spent = seconds() - start;
  const double peak = peak_gigabytes();
  TrainOptions mean = options;
  mean.algorithm = Algorithm::mean;
  const TrainResult plain = train(data, nullptr, loss, mean);
  const double least = streamed_cvar(result.model, data, loss);
  const double beside = streamed_cvar(plain.model, data, loss);
  std::printf(
      "%.3g rows, 2 epochs: %.0f s, %.0f ns an example, %.2f GB; CVaR of the squared error %.4f, "
      "of the mean's model %.4f\n",
      static_cast<double>(rows), spent, 1e9 * spent / (2.0 * static_cast<double>(rows)), peak,
      least, beside);
  return least < beside ? 0 : 1;
}

std::size_t number_at(int count, char** arguments, int place, double otherwise) {
  return static_cast<std::size_t>(count > place ? std::atof(arguments[place]) : otherwise);
}

}  // namespace
}  // namespace adacvar

int main(int count, char** arguments) {
  using adacvar::number_at;
  const std::string_view part = count > 1 ? arguments[1] : "";
  if (part == "updates") {
    return adacvar::run_updates(number_at(count, arguments, 2, 1e9),
                                number_at(count, arguments, 3, 1e6));
  }
  if (part == "losses") return adacvar::run_losses(number_at(count, arguments, 2, 1e9));
  if (part == "train") return adacvar::run_training(number_at(count, arguments, 2, 1e8));
  std::fprintf(stderr, "load_bench updates [count] [N] | losses [count] | train [rows]\n");
  return 2;
}
