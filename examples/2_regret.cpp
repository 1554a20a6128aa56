// Regret of the sampler made visible: SR_T, how far its distribution stays behind the best fixed
// one in hindsight, against the growth sqrt(T N log N) of the bound [CLJK20, Lemma 1].
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

using adacvar::AdaptiveSampler;
using adacvar::Estimator;
using adacvar::Index;

constexpr std::size_t kSize = 100;
constexpr double kAlpha = 0.1;

// SR_T = max_q sum_t q'L_t - sum_t q_t'L_t; the maximum is the CVaR of the summed losses. Losses
// lie in [0, 1] round a circle whose hardest place moves by `drift` turns in the course of the run.
static double regret(Estimator estimator, std::size_t draws, double drift, std::uint64_t seed) {
  AdaptiveSampler sampler(
      kSize, {.alpha = kAlpha, .estimator = estimator, .horizon = draws, .gamma = 0.0});
  adacvar::Rng rng(seed);
  std::vector<double> losses(kSize);
  std::vector<double> total(kSize, 0.0);
  double played = 0.0;
  for (std::size_t t = 0; t < draws; ++t) {
    const double moved = drift * static_cast<double>(t) / static_cast<double>(draws);
    const std::vector<double> q = sampler.probabilities();
    for (std::size_t i = 0; i < kSize; ++i) {
      const double place = static_cast<double>(i) / kSize - moved;
      losses[i] = 0.5 + 0.5 * std::cos(2.0 * std::numbers::pi * place);
      total[i] += losses[i];
      played += q[i] * losses[i];
    }
    Index drawn = 0;
    sampler.draw(rng, std::span(&drawn, 1));
    sampler.observe(std::span(&drawn, 1), std::span(&losses[drawn], 1));
  }
  return adacvar::cvar(total, kAlpha) - played;
}

int main() {
  std::printf("N = %zu, alpha = %g, automatic eta, mean of 4 runs\n", kSize, kAlpha);
  std::printf("SR_T and its ratio to sqrt(T N log N):\n");
  for (const double drift : {0.0, 0.25}) {
    std::printf("\n%s losses     gain            loss            centred\n",
                drift == 0 ? "fixed" : "drift");
    for (std::size_t draws = 1'000; draws <= 64'000; draws *= 4) {
      const double n = kSize;
      const double bound = std::sqrt(static_cast<double>(draws) * n * std::log(n));
      std::printf("T = %6zu", draws);
      for (const auto estimator : {Estimator::gain, Estimator::loss, Estimator::centred}) {
        double sum = 0.0;
        for (std::uint64_t seed = 0; seed < 4; ++seed) sum += regret(estimator, draws, drift, seed);
        std::printf("  %8.1f %5.2f", sum / 4, sum / 4 / bound);
      }
      std::printf("\n");
    }
  }
}
