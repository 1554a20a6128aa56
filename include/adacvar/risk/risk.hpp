#pragma once

#include <adacvar/risk/cvar.hpp>

#include <cstdint>

namespace adacvar {

/// The risk that samplers, objectives and solvers minimise: (1 - gamma) CVaR_alpha + gamma mean of
/// the losses. gamma = 0 is the CVaR, gamma = 1 or alpha = 1 the mean.
///
/// It is the largest sum q_i L_i over the distributions q with gamma p_i <= q_i <= gamma p_i +
/// (1 - gamma) p_i / alpha, where p_i is the row's share of all rows, or of their weights.
struct Risk {
  double alpha = 0.1;
  double gamma = 0;

  [[nodiscard]] bool is_mean() const noexcept { return alpha >= 1 || gamma >= 1; }
  /// The risk of losses with these figures at `alpha`.
  [[nodiscard]] double of(const TailRisk& losses) const noexcept {
    if (gamma == 0) return losses.cvar;
    return (1 - gamma) * losses.cvar + gamma * losses.mean;
  }

  friend bool operator==(const Risk&, const Risk&) = default;
};

/// A constraint on the training losses: their mean, or their CVaR, is at most `most`.
struct RiskLimit {
  enum class Of : std::uint8_t { mean, cvar } of = Of::mean;
  double most = 0;

  [[nodiscard]] double value(const TailRisk& losses) const noexcept {
    return of == Of::mean ? losses.mean : losses.cvar;
  }
  friend bool operator==(const RiskLimit&, const RiskLimit&) = default;
};

/// Throws: OptionError unless 0 < alpha <= 1 and 0 <= gamma <= 1.
void check_risk(const Risk& risk);

}  // namespace adacvar
