#pragma once

#include <concepts>
#include <span>
#include <variant>

namespace adacvar {

/// What a batch's losses weigh in the gradient step; parameters of its own move with the batch.
template <class O>
concept Objective = requires(O o, std::span<const double> losses, std::span<double> weights) {
  o.weigh(losses, weights);
};

/// Every example counts 1: the mean over the sampler's law. With a uniform sampler the plain mean,
/// with the adaptive one Ada-CVaR.
struct MeanObjective {
  void weigh(std::span<const double> losses, std::span<double> weights);
};

/// min over l of l + E[max(0, L - l)] / alpha [RU00; CLJK20, Eq. 3]: examples above l count
/// 1/alpha, the others nothing. l follows its own subgradient, 1 - share above l / alpha, in steps
/// of `rate` times the running mean loss, so that it is at home at any scale of losses.
struct TruncObjective {
  double alpha = 0.1;
  double rate = 0.05;
  double level = 0.0;  ///< l
  double scale = 0.0;  ///< running mean of the losses; 0: no batch yet

  void weigh(std::span<const double> losses, std::span<double> weights);
};

/// The same with max(0, z) smoothed to T log(1 + e^(z/T)): examples count sigma((L - l)/T) / alpha.
/// Written so that it does not overflow for any loss or temperature.
struct SoftObjective {
  double alpha = 0.1;
  double temperature = 1.0;
  double rate = 0.05;
  double level = 0.0;
  double scale = 0.0;

  void weigh(std::span<const double> losses, std::span<double> weights);
};

static_assert(Objective<MeanObjective> && Objective<TruncObjective> && Objective<SoftObjective>);

using AnyObjective = std::variant<MeanObjective, TruncObjective, SoftObjective>;

}  // namespace adacvar
