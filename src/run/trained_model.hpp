#pragma once

#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/learner/trees.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/certificate.hpp>
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"
#include "learner/tree_model.hpp"
#include "learner/weighted_networks.hpp"
#include "run/feature_moments.hpp"
#include "run/stack.hpp"

#include <memory>
#include <optional>
#include <string>

namespace adacvar {

/// The content of a Model: preprocessing, loss, parameters, and their origin.
struct TrainedModel {
  Preprocessor preprocessor;
  Loss loss = Loss(LossKind::squared);
  LinearModel model;                                          ///< empty if there is another
  std::shared_ptr<const NonlinearModel> nonlinear = nullptr;  ///< null for a linear model
  NetworkOptions network_options = {};

  TrainOptions options;  ///< options of its training
  StopReason stop_reason = StopReason::epochs;
  std::string source;           ///< name of the training data
  DataFingerprint fingerprint;  ///< fingerprint of the data before the split
  SourceOptions reading = {};   ///< how the data was read
  TaskChoice task = TaskChoice::automatic;
  SplitShares shares;  ///< the split; its seed is in `options`
  /// In the user's units; empty for model files of older versions.
  std::optional<TailRisk> training_risk = {};
  std::optional<Certificate> certificate = {};
  /// Moments of the training rows, for coefficients; empty for networks, images and model files of
  /// older versions.
  std::optional<FeatureMoments> moments = {};

  [[nodiscard]] const Scorer& scorer() const noexcept {
    if (nonlinear) return *nonlinear;
    return model;
  }
  /// The linear model; null if it is another.
  [[nodiscard]] const LinearModel* linear() const noexcept { return nonlinear ? nullptr : &model; }
  /// The networks; null for other models.
  [[nodiscard]] const WeightedNetworks* networks() const noexcept {
    return dynamic_cast<const WeightedNetworks*>(nonlinear.get());
  }
  /// The stack of models; null for other models.
  [[nodiscard]] const StackModel* stack() const noexcept {
    return dynamic_cast<const StackModel*>(nonlinear.get());
  }
  /// The trees; null for other models.
  [[nodiscard]] const TreeModel* trees() const noexcept {
    return dynamic_cast<const TreeModel*>(nonlinear.get());
  }
};

}  // namespace adacvar
