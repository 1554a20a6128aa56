#pragma once

#include "data/prepare_data.hpp"
#include "data/sharded_rows.hpp"
#include "run/outcome.hpp"

#include <adacvar/base/communicator.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/run/run.hpp>

#include <optional>

namespace adacvar {

/// Fits the temperature of classifiers to the validation rows. Keeps references to all but the
/// choice.
class Calibrator {
 public:
  Calibrator(const PreparedData& data, const Loss& loss, CalibrateChoice choice)
      : data_(data), loss_(loss), choice_(choice) {}

  /// A limit under which a model was trained.
  struct Limited {
    std::optional<double> mean_budget = std::nullopt;  ///< plain training may use it up
    std::optional<RiskLimit> training = std::nullopt;  ///< on the training rows, in force with it
  };

  /// Whether models trained with these options are calibrated: there are probabilities and enough
  /// validation rows, also in their tail unless the mean decides.
  [[nodiscard]] bool applies_to(const TrainOptions& options) const;
  /// Whether the validation rows have a tail to look at.
  [[nodiscard]] bool has_tail(const TrainOptions& options) const;

  /// Scales the scores of the model, if it `applies_to` it: for the mean loss after plain training,
  /// else for the risk that was trained, or under a limit the CVaR, without a larger mean.
  void calibrate(Outcome& outcome, const std::optional<Limited>& limited) const;

 private:
  const PreparedData& data_;
  const Loss& loss_;
  CalibrateChoice choice_;
};

/// As Calibrator::calibrate for a linear model, trained with resolved `options` and without a
/// limit, and the validation rows of all ranks. Collective; the same on any number of ranks.
/// Returns none where the model is left as it is. The model must not have diverged, and with
/// CalibrateChoice::yes there must be probabilities and validation rows.
[[nodiscard]] std::optional<Calibration> calibrate_sharded(Communicator& ranks,
                                                           const ShardedRows& valid,
                                                           const Loss& loss, CalibrateChoice choice,
                                                           const TrainOptions& options,
                                                           LinearModel& model);

}  // namespace adacvar
