#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

#include "data/sharded_rows.hpp"

namespace adacvar {

/// As `train`, for rows that are dealt to shards of several ranks: collective. The result is the
/// same, bit for bit, on all ranks and for any number of them. It differs from that of `train` as
/// results of different seeds do, since the draws differ.
///
/// The rows of every batch are sent to all ranks, which all take the same steps. Hooks are called
/// on every rank; a stop on one of them stops all. A checkpoint is written by all ranks: beside the
/// file with the state that they share, a file per rank with the states of its shards. All ranks
/// must see these files; the run may resume on another number of ranks.
/// Cost: per batch two gatherings, of its rows and of 32 bytes a shard, and O(batch) work on every
/// rank; passes over all rows are divided among the ranks.
/// Throws: as `train`; OptionError for known scores, learner = btl, or a hook that watches.
[[nodiscard]] TrainResult train_sharded(Communicator& ranks, const ShardedRows& training,
                                        const ShardedRows* validation, const Loss& loss,
                                        const TrainOptions& options, const TrainHooks& hooks = {});

}  // namespace adacvar
