// Regret of the sampler made visible: how far its distribution stays behind the best fixed one in
// hindsight (SR_T) [CLJK20, Lemma 1] or, where losses drift, behind the best one of each draw.
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

using adacvar::Estimator;

constexpr std::size_t kSize = 100;
constexpr double kAlpha = 0.1;

// Mean over 4 runs of sum_t (max_q q'L_t - q_t'L_t); the maximum is the CVaR of the losses. Losses
// lie in [0, 1] round a circle whose hardest place turns by `drift` in every epoch of N draws.
// After an epoch the log-weights are multiplied by `memory`; eta is that of the draws remembered.
static double regret(Estimator estimator, std::size_t draws, double drift, double memory) {
  const double remembered = std::fmin(static_cast<double>(draws), kSize / (1.0 - memory));
  const auto horizon = static_cast<std::size_t>(remembered);
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    adacvar::AdaptiveSampler sampler(
        kSize, {.alpha = kAlpha, .estimator = estimator, .horizon = horizon, .gamma = 0.0});
    adacvar::Rng rng(seed);
    std::vector<double> losses(kSize);
    for (std::size_t t = 0; t < draws; ++t) {
      if (t > 0 && t % kSize == 0) sampler.discount(memory);
      const std::vector<double> q = sampler.probabilities();
      for (std::size_t i = 0; i < kSize; ++i) {
        const double place = (static_cast<double>(i) - drift * static_cast<double>(t)) / kSize;
        losses[i] = 0.5 + 0.5 * std::cos(2.0 * std::numbers::pi * place);
        sum -= q[i] * losses[i] / 4;
      }
      sum += adacvar::cvar(losses, kAlpha) / 4;
      adacvar::Index drawn = 0;
      sampler.draw(rng, std::span(&drawn, 1));
      sampler.observe(std::span(&drawn, 1), std::span(&losses[drawn], 1));
    }
  }
  return sum;
}

int main() {
  std::printf("N = %zu, alpha = %g, automatic eta, mean of 4 runs\n\n", kSize, kAlpha);
  std::printf("fixed losses: SR_T / sqrt(T N log N)   drifting: regret per draw by memory\n");
  std::printf("               gain     loss  centred        1      0.9      0.8      0.5\n");
  for (std::size_t draws = 1'000; draws <= 64'000; draws *= 4) {
    const auto count = static_cast<double>(draws);
    std::printf("T = %6zu", draws);
    const double bound = std::sqrt(count * kSize * std::log(kSize));
    for (const auto estimator : {Estimator::gain, Estimator::loss, Estimator::centred})
      std::printf("%9.2f", regret(estimator, draws, 0.0, 1.0) / bound);
    for (const double memory : {1.0, 0.9, 0.8, 0.5})
      std::printf("%9.3f", regret(Estimator::centred, draws, 0.02, memory) / count);
    std::printf("\n");
  }
}
