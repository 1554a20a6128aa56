// The adaptive sampler finds the worst losses of a heavy-tailed sample by drawing examples and
// looking at the losses of those it drew, nothing else.
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using adacvar::AdaptiveSampler;
using adacvar::Index;
using adacvar::Rng;
using adacvar::TailRisk;

int main() {
  constexpr std::size_t kSize = 100'000;
  constexpr double kAlpha = 0.05;
  constexpr int kEpochs = 20;

  // Pareto losses with tail index 3: most are small, a few are huge.
  Rng rng(1);
  std::vector<double> loss(kSize);
  for (double& value : loss) value = std::pow(1.0 - rng.uniform(), -1.0 / 3.0) - 1.0;
  const TailRisk risk = adacvar::tail_risk(loss, kAlpha);
  std::printf("%zu Pareto losses, alpha = %g\n", kSize, kAlpha);
  std::printf("  mean %.4f   VaR %.4f   CVaR %.4f\n\n", risk.mean, risk.var, risk.cvar);

  AdaptiveSampler sampler(kSize, {.alpha = kAlpha, .eta = 0.5 / kSize});
  std::vector<Index> batch(64);
  std::vector<double> seen(batch.size());
  std::printf("epoch   draws in the tail                               mean loss drawn\n");
  for (int epoch = 0; epoch <= kEpochs; ++epoch) {
    std::size_t in_tail = 0;
    std::size_t draws = 0;
    double sum = 0.0;
    while (draws < kSize) {
      sampler.draw(rng, batch);
      for (std::size_t j = 0; j < batch.size(); ++j) {
        seen[j] = loss[batch[j]];
        sum += seen[j];
        in_tail += seen[j] > risk.var ? 1 : 0;
      }
      sampler.observe(batch, seen);
      draws += batch.size();
    }
    const double share = static_cast<double>(in_tail) / static_cast<double>(draws);
    const std::string bar(static_cast<std::size_t>(40 * share), '#');
    if (epoch % 2 == 0) {
      std::printf("%5d   %5.1f %% %-40s %9.4f\n", epoch, 100 * share, bar.c_str(),
                  sum / static_cast<double>(draws));
    }
  }
  std::printf(
      "\nUniform draws would fall into the tail %.1f %% of the time, with a mean of %.4f.\n",
      100 * kAlpha, risk.mean);
}
