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

/// Row weights of the sets; empty: all 1.
struct SetWeights {
  std::span<const double> train = {};
  std::span<const double> valid = {};
  std::span<const double> test = {};
};

/// Sets `above_least` and `best` for every set of rows: compares each result with the least CVaR of
/// the trained algorithms by a paired bootstrap over the rows, and marks those that are not
/// significantly larger. losses[i] belongs to results[i]. The exact optimum and runs without a
/// usable model are compared but never marked.
void mark_best(std::span<RunResult> results, std::span<SetLosses> losses, const SetWeights& weights,
               const BootstrapOptions& bootstrap);

}  // namespace adacvar
