#pragma once

#include "experiment/result_log.hpp"
#include "experiment/study.hpp"
#include "report/significance.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

enum class Metric : std::uint8_t { cvar, mean, accuracy, precision };

/// Names in PaperFigure.
inline constexpr Names kMetricNames{"cvar", "loss", "accuracy", "min_class_precision"};

/// Names in tables and figures.
inline constexpr Names kMetricTitles{"CVaR", "mean", "acc.", "prec."};

[[nodiscard]] double metric_of(const PartScore& score, Metric metric);
[[nodiscard]] constexpr bool larger_is_better(Metric metric) {
  return metric == Metric::accuracy || metric == Metric::precision;
}

/// The configuration selected for a contestant on a set, by the mean over the seeds on the
/// validation rows.
struct Selected {
  std::uint64_t config = 0;
  bool early = false;             ///< with early stopping
  std::vector<Reading> readings;  ///< one per seed; empty: every configuration diverged
  std::uint64_t runs = 0;
  std::uint64_t diverged = 0;              ///< number of `runs` that diverged
  double seconds = 0;                      ///< processor time of all runs
  std::optional<double> bound;             ///< exact: mean of the certified least training CVaR
  std::vector<GradientNorms> gradients;    ///< one per seed, if the study records them
  std::vector<std::uint64_t> goal_epochs;  ///< likewise

  [[nodiscard]] std::vector<double> test(Metric metric) const;
  [[nodiscard]] std::vector<double> train(Metric metric) const;
};

/// Which configurations may be selected; null: all.
using MaySelect = std::function<bool(const Contestant&, std::size_t config)>;

/// The selected configurations, sets x contestants. Configurations that diverged for a seed are
/// excluded. Ties go to the first configuration, and to the one without early stopping. Throws:
/// OptionError if the log lacks a run.
struct Summary {
  Study study;
  std::vector<std::vector<Selected>> selected;

  [[nodiscard]] const Selected& of(std::size_t set, std::size_t contestant) const {
    return selected[set][contestant];
  }
};

/// Whether a contestant takes part in the comparison; the exact optimum does not.
[[nodiscard]] bool is_compared(const Contestant& contestant);

/// Returns the test values of the compared contestants: contestants x seeds.
[[nodiscard]] std::vector<std::vector<double>> compared_scores(const Summary& summary,
                                                               std::size_t set, Metric metric);

[[nodiscard]] Summary summarise(const Study& study, const ResultLog& log,
                                const MaySelect& may_select = {});

}  // namespace adacvar
