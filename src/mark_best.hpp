#pragma once

#include <adacvar/report/report.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Losses of one model, in the user's units; empty for rows that there are none of.
struct PartLosses {
  std::vector<double> train = {};
  std::vector<double> valid = {};
  std::vector<double> test = {};
};

/// Sets `above_least` and `best` of every part's risk: which of the trained algorithms has the
/// least CVaR, and which a paired bootstrap over the rows does not tell from it. losses[i] belongs
/// to results[i]. The exact optimum and runs that broke off are compared, but not in the race.
void mark_best(std::span<RunResult> results, std::span<PartLosses> losses, std::uint64_t seed,
               unsigned threads);

}  // namespace adacvar
