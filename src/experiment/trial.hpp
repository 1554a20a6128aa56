#pragma once

#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include "data/prepare_data.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace adacvar {

/// Scores of a model on some rows. Losses are in the learner's units (regression: standardised
/// targets, as in the paper). Single precision keeps large logs small.
struct PartScore {
  float mean = 0;
  float cvar = 0;
  float accuracy = 0;   ///< classes only
  float precision = 0;  ///< classes only: least precision of a class

  friend bool operator==(const PartScore&, const PartScore&) = default;
};

/// Scores of the model after one epoch on the three sets of rows.
struct Reading {
  std::uint64_t epoch = 0;
  PartScore train = {};
  PartScore valid = {};
  PartScore test = {};

  friend bool operator==(const Reading&, const Reading&) = default;
};

/// Norms of a run's gradients, one per step.
struct GradientNorms {
  float mean = 0;
  float median = 0;
  float p99 = 0;    ///< 99th percentile
  float zeros = 0;  ///< share of steps with a zero gradient

  friend bool operator==(const GradientNorms&, const GradientNorms&) = default;
};

/// One run, evaluated at its end and at the epoch that was best on the validation rows.
struct TrialResult {
  bool diverged = false;  ///< then all other fields are empty
  Reading last = {};
  Reading early = {};               ///< early stopping
  std::optional<float> bound = {};  ///< exact: certified least training CVaR
  float seconds = 0;                ///< processor time
  /// If the study has a goal:
  std::optional<GradientNorms> gradients = {};
  std::uint64_t goal_epoch = 0;  ///< first epoch with the required training accuracy; 0: none

  friend bool operator==(const TrialResult&, const TrialResult&) = default;
};

/// Whether `one` is selected before `other` on validation rows: by CVaR for regression; for classes
/// by accuracy, with ties broken by CVaR [CLJK20, appendix].
[[nodiscard]] bool is_selected_before(const PartScore& one, const PartScore& other, Task task);

/// Scores the rows of `data` at the tail share `alpha`; infinite if a loss is.
[[nodiscard]] PartScore read_score(const Scorer& model, const Loss& loss, const Dataset& data,
                                   double alpha);

/// Trains on the data's training rows with `options` (algorithm exact: solves) and evaluates at
/// `alpha`. Returns nothing if stopped. A diverged run is a result, not an error.
[[nodiscard]] std::optional<TrialResult> run_trial(const PreparedData& data,
                                                   const TrainOptions& options, double alpha,
                                                   const std::atomic<bool>* stop = nullptr);

struct Vision;

/// Runs a trial with the network of `vision`. Training scores are computed on the validation rows,
/// without augmentation.
[[nodiscard]] std::optional<TrialResult> run_network_trial(
    const PreparedData& data, const TrainOptions& options, const Vision& vision,
    const NetworkMaker& networks, double alpha, const std::atomic<bool>* stop = nullptr);

}  // namespace adacvar
