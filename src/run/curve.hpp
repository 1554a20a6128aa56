#pragma once

#include "data/prepare_data.hpp"

#include <adacvar/run/trace_frontier.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace adacvar {

/// What a curve is traced from.
struct CurveSetup {
  const PreparedData& data;
  const RunOptions& options;
  const RunHooks& hooks;
  std::size_t points = 0;
  FrontierChoice choice = {};
};

/// By exact solutions; by a run for each of some gammas; by mixtures of two trainings of trees.
[[nodiscard]] FrontierReport trace_solutions(const CurveSetup& setup);
[[nodiscard]] FrontierReport trace_runs(const CurveSetup& setup);
[[nodiscard]] FrontierReport trace_mixtures(const CurveSetup& setup);

/// The budgets that are always marked, and that of the choice.
[[nodiscard]] std::vector<double> budgets_of(const FrontierChoice& choice);
[[nodiscard]] std::string budget_name(double budget);

/// Distance from the chord between the ends of the curve, in units of its extent; at most 1, and 0
/// where the ends coincide.
class ChordDistance {
 public:
  ChordDistance(const TailRisk& mean, const TailRisk& tail) : mean_(mean), tail_(tail) {}

  [[nodiscard]] double of(const TailRisk& risk) const;

 private:
  TailRisk mean_;
  TailRisk tail_;
};

/// Names of positions in the report's points.
class NamedPoints {
 public:
  void add(std::string name, std::size_t point) { names_.emplace_back(std::move(name), point); }

  /// Writes the marks, in the order of the points; names of the same point in that of `add`.
  void write(FrontierReport& report, const std::string& chosen);

 private:
  std::vector<std::pair<std::string, std::size_t>> names_;
};

}  // namespace adacvar
