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

/// How a model does on some rows. Losses are in the learner's units (regression: standardised
/// targets, as in the paper). Single precision: a log of a hundred thousand of them stays small.
struct PartScore {
  float mean = 0;
  float cvar = 0;
  float accuracy = 0;   ///< classes only
  float precision = 0;  ///< classes only: the least over the classes

  friend bool operator==(const PartScore&, const PartScore&) = default;
};

/// The model of one epoch on the three parts.
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
  float p99 = 0;    ///< 99 % are no larger
  float zeros = 0;  ///< share of steps without any gradient

  friend bool operator==(const GradientNorms&, const GradientNorms&) = default;
};

/// One run, read twice: at its end, and at the epoch that was best on the validation rows.
struct TrialResult {
  bool diverged = false;  ///< then there is nothing else
  Reading last = {};
  Reading early = {};               ///< early stopping
  std::optional<float> bound = {};  ///< exact: certified least training CVaR
  float seconds = 0;                ///< of processor time
  /// Where the study has a goal:
  std::optional<GradientNorms> gradients = {};
  std::uint64_t goal_epoch = 0;  ///< the first with the training accuracy aimed for; 0: never

  friend bool operator==(const TrialResult&, const TrialResult&) = default;
};

/// Whether `one` is selected before `other` on validation rows: by the CVaR for regression, for
/// classes by the accuracy and where that is equal by the CVaR [CLJK20, appendix].
[[nodiscard]] bool is_selected_before(const PartScore& one, const PartScore& other, Task task);

/// Scores of `data`'s rows at the tail share `alpha`; infinite where a loss is.
[[nodiscard]] PartScore read_score(const Scorer& model, const Loss& loss, const Dataset& data,
                                   double alpha);

/// Trains on the data's training rows by `options` (algorithm exact: solves), judges at `alpha`.
/// None when `stop` became true. A run that went astray is a result, not an error.
[[nodiscard]] std::optional<TrialResult> run_trial(const PreparedData& data,
                                                   const TrainOptions& options, double alpha,
                                                   const std::atomic<bool>* stop = nullptr);

struct Vision;

/// The same with the network of `vision`. Training rows are those that stand as validation rows,
/// without augmentation.
[[nodiscard]] std::optional<TrialResult> run_network_trial(
    const PreparedData& data, const TrainOptions& options, const Vision& vision,
    const NetworkMaker& networks, double alpha, const std::atomic<bool>* stop = nullptr);

}  // namespace adacvar
