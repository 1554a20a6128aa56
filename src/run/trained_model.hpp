#pragma once

#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/certificate.hpp>
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"

#include <memory>
#include <optional>
#include <string>

namespace adacvar {

/// The parts of a Model: preprocessing, loss, parameters, and where they come from.
struct TrainedModel {
  Preprocessor preprocessor;
  Loss loss = Loss(LossKind::squared);
  LinearModel model;  ///< without parameters where there is a network
  std::shared_ptr<const Network> network = nullptr;  ///< null: the linear model is meant
  NetworkOptions network_options = {};

  TrainOptions options;  ///< it was trained with these
  StopReason stop_reason = StopReason::epochs;
  std::string source;           ///< name of the training data
  DataFingerprint fingerprint;  ///< of that data, before it was split
  SourceOptions reading = {};   ///< how that data was read
  TaskChoice task = TaskChoice::automatic;
  SplitShares shares;  ///< how it was split, with the seed of `options`
  /// On the training rows, in the user's units; none in files of versions that did not keep them.
  std::optional<TailRisk> training_risk = {};
  std::optional<Certificate> certificate = {};

  [[nodiscard]] const Scorer& scorer() const noexcept {
    if (network) return *network;
    return model;
  }
};

}  // namespace adacvar
