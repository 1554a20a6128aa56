#include "sampler/shard_weights.hpp"

#include "base/collectives.hpp"
#include "sampler/check_batch.hpp"
#include "sampler/weight_classes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
};

Range range_over_ranks(Communicator& ranks, std::span<const double> weights) {
  Range mine;
  for (const double weight : weights) {
    mine.least = std::min(mine.least, weight);
    mine.most = std::max(mine.most, weight);
  }
  Range result;
  for (const Range& range : gather_one(ranks, mine)) {
    result.least = std::min(result.least, range.least);
    result.most = std::max(result.most, range.most);
  }
  return result;
}

}  // namespace

ShardWeights sum_shard_weights(Communicator& ranks, const ShardLayout& layout,
                               std::span<const double> weights) {
  check_weight_count(weights.size(), layout.start.back());
  check_weights(weights);
  const Range range = range_over_ranks(ranks, weights);
  check_weight_range(range.least, range.most);

  // The largest near 1 first: the sum cannot overflow.
  const int largest = std::ilogb(range.most);
  std::vector<double> own(layout.own(), 0.0);
  for (std::size_t s = 0; s < own.size(); ++s) {
    for (std::size_t i = layout.start[s]; i < layout.start[s + 1]; ++i) {
      own[s] += std::ldexp(weights[i], -largest);
    }
  }
  ShardWeights result;
  result.sums = gather_values(ranks, std::span<const double>(own));
  for (const double sum : result.sums) result.total += sum;
  const int mean = std::ilogb(result.total / static_cast<double>(layout.rows));
  for (double& sum : result.sums) sum = std::ldexp(sum, -mean);
  result.total = std::ldexp(result.total, -mean);
  result.exponent = largest + mean;
  return result;
}

}  // namespace adacvar
