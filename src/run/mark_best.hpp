#pragma once

#include <adacvar/risk/evaluate_risk.hpp>
#include <adacvar/run/result.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// Losses of one model, in the user's units; empty for sets without rows.
struct SetLosses {
  std::vector<double> train = {};
  std::vector<double> valid = {};
  std::vector<double> test = {};
};

/// Row weights of the sets; empty: every row counts 1.
struct SetWeights {
  std::span<const double> train = {};
  std::span<const double> valid = {};
  std::span<const double> test = {};
};

/// Sets `above_least` and `best` of every set's risk: which of the trained algorithms has the
/// least CVaR, and which a paired bootstrap over the rows does not tell from it. losses[i] belongs
/// to results[i]. The exact optimum and runs that broke off are compared, but not in the race.
void mark_best(std::span<RunResult> results, std::span<SetLosses> losses, const SetWeights& weights,
               const BootstrapOptions& bootstrap);

}  // namespace adacvar
