#pragma once

#include "sampler/sharded_sampler.hpp"

#include <span>
#include <vector>

namespace adacvar {

/// Sums of row weights, scaled as in WeightClasses: by a power of two to a mean of at least 1 and
/// below 2 over the rows of all shards.
struct ShardWeights {
  int exponent = 0;          ///< weights are multiplied by 2^-exponent
  std::vector<double> sums;  ///< of every shard
  double total = 0;
};

/// Collective. `weights` are those of this rank's rows.
/// Throws: DataError, on the rank of the row, unless each is finite and above 0; on all ranks if
/// the largest is more than 2^200 times the smallest. OptionError for a wrong number of weights.
[[nodiscard]] ShardWeights sum_shard_weights(Communicator& ranks, const ShardLayout& layout,
                                             std::span<const double> weights);

}  // namespace adacvar
