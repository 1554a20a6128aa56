#pragma once

#include <adacvar/learner/model_file.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/report/part_detail.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/law_summary.hpp>
#include <adacvar/solver/certificate.hpp>
#include <adacvar/solver/game.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// How a model does on one part of the data, in the user's units.
struct PartRisk {
  std::size_t rows = 0;
  TailRisk risk = {};
  std::optional<double> accuracy = {};             ///< classes only
  std::optional<double> min_class_precision = {};  ///< classes only
  /// Where algorithms were compared: the CVaR less the least of those that were trained, by a
  /// paired bootstrap over the rows; `best`: one of those, and not told from the least.
  std::optional<CvarDifference> above_least = {};
  bool best = false;
};

/// A closer look at an epoch's end.
struct EpochDetail {
  std::uint64_t epoch = 0;
  double training_cvar = 0;             ///< with the ridge, in the user's units
  std::optional<double> accuracy = {};  ///< on the validation rows; classes only
  std::optional<LawSummary> law = {};   ///< of adacvar's sampler
};

/// What came of training by one algorithm.
struct RunResult {
  TrainedModel model;
  std::optional<PartRisk> train = {};
  std::optional<PartRisk> valid = {};
  std::optional<PartRisk> test = {};
  std::vector<EpochRecord> history = {};  ///< in the user's units
  std::uint64_t epochs = 0;
  std::uint64_t trials = 1;           ///< runs that the model was selected from
  bool selected_by_accuracy = false;  ///< of the validation rows; else by their CVaR
  double seconds = 0;                 ///< of all its trials, added up
  /// What the training CVaR (plus ridge) could be at best, in the user's units.
  std::optional<Certificate> certificate = {};
  std::string no_certificate = {};  ///< why there is none where one was asked for
  double norm = 0;                  ///< of the parameters
  /// Where they were asked for (RunHooks::detail).
  std::optional<PartDetail> detail = {};
  std::vector<EpochDetail> epoch_details = {};
};

/// The state of the game after an epoch, in the user's units; a line of a trace.
struct TraceRecord {
  EpochRecord epoch;
  GameRecord game;
};

/// The results of one or more algorithms on the same data.
struct RunReport {
  std::vector<RunResult> results;
  std::vector<std::string> notes;  ///< what a user should know, one sentence each
  /// What must be known to read the results: stands before them, and is shown even when notes are
  /// not.
  std::vector<std::string> headlines = {};

  /// Headlines, then notes.
  [[nodiscard]] std::vector<std::string> all_notes() const {
    std::vector<std::string> all = headlines;
    all.insert(all.end(), notes.begin(), notes.end());
    return all;
  }
};

}  // namespace adacvar
