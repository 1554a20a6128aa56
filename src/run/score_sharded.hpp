#pragma once

#include "data/sharded_rows.hpp"
#include "run/notes.hpp"

#include <adacvar/base/communicator.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/run/result.hpp>

namespace adacvar {

/// Scores the rows of all ranks as `score` does; without AUC and calibration error. The result is
/// the same on all ranks and for any number of them.
[[nodiscard]] PartRisk score_sharded(const Scorer& model, const Loss& loss, double alpha,
                                     const ShardedRows& rows, const TargetScale& scale,
                                     Communicator& ranks);

/// Returns the number of rows on all ranks and their weights.
[[nodiscard]] RowWeightSums weights_of(const ShardedRows& rows, Communicator& ranks);

}  // namespace adacvar
