#pragma once

#include <adacvar/learner/nonlinear_model.hpp>
#include "run/score.hpp"

#include <adacvar/learner/train.hpp>
#include <adacvar/run/result.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace adacvar {

/// A trained candidate of a run.
struct Outcome {
  TrainOptions options;
  TrainResult result;
  std::shared_ptr<const NonlinearModel> nonlinear = nullptr;  // instead of the result's model
  std::shared_ptr<const NonlinearModel> unscaled = nullptr;   // it before its calibration
  std::optional<ScoredRows> valid = {};
  std::optional<Certificate> certificate = {};  // exact: in the learner's units
  std::uint64_t solver_steps = 0;               // exact; within a limit: solutions
  std::optional<Calibration> calibration = {};
  std::optional<Blend> blend = {};
  std::vector<EpochDetail> epochs = {};
  double detail_seconds = 0;  // cost of `epochs`

  [[nodiscard]] const Scorer& scorer() const {
    if (nonlinear) return *nonlinear;
    return result.model;
  }
};

/// Scores of a finished run; empty for a set without rows.
struct ScoredSets {
  ScoredRows train = {};
  ScoredRows valid = {};
  ScoredRows test = {};
};

[[nodiscard]] inline TailRisk scaled(const TailRisk& risk, double unit) {
  return {risk.mean * unit, risk.var * unit, risk.cvar * unit};
}

[[nodiscard]] inline Certificate scaled(Certificate certificate, double unit) {
  certificate.lower *= unit;
  certificate.upper *= unit;
  certificate.rounding *= unit;
  return certificate;
}

[[nodiscard]] StopReason reason_of(ExactStatus status);

}  // namespace adacvar
