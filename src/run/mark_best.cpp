#include "run/mark_best.hpp"

#include "run/trained_model.hpp"

#include <optional>
#include <utility>

namespace adacvar {

namespace {

using PartMember = std::optional<PartRisk> RunResult::*;

std::optional<std::size_t> least_of(std::span<const RunResult> results, PartMember part) {
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_candidate()) continue;
    if (!least || (results[i].*part)->risk.cvar < (results[*least].*part)->risk.cvar) least = i;
  }
  return least;
}

void mark_part(std::span<RunResult> results, PartMember part,
               std::span<const std::vector<double>> losses, std::span<const double> weights,
               const BootstrapOptions& bootstrap) {
  const std::optional<std::size_t> least = least_of(results, part);
  if (!least || losses[0].empty()) return;
  const double alpha = results[0].model.parts().options.alpha;
  const std::vector<CvarDifference> found = compare_cvar(losses, *least, alpha, bootstrap, weights);
  for (std::size_t i = 0; i < results.size(); ++i) {
    PartRisk& risk = (results[i].*part).value();
    risk.above_least = found[i];
    risk.best = results[i].is_candidate() && !found[i].is_told_apart();
  }
}

}  // namespace

void mark_best(std::span<RunResult> results, std::span<SetLosses> losses, const SetWeights& weights,
               const BootstrapOptions& bootstrap) {
  struct Set {
    PartMember part;
    std::vector<double> SetLosses::*losses;
    std::span<const double> weights;
  };
  const Set sets[] = {{&RunResult::train, &SetLosses::train, weights.train},
                      {&RunResult::valid, &SetLosses::valid, weights.valid},
                      {&RunResult::test, &SetLosses::test, weights.test}};
  for (const auto& [part, member, row_weights] : sets) {
    if (!(results[0].*part)) continue;
    std::vector<std::vector<double>> models;
    for (SetLosses& one : losses) models.push_back(std::move(one.*member));
    mark_part(results, part, models, row_weights, bootstrap);
  }
}

}  // namespace adacvar
