#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/data/dataset.hpp>

#include <vector>

namespace adacvar {

/// Mean and standard deviation of every feature; of a 0/1 feature the mean is its frequency.
struct FeatureMoments {
  std::vector<double> means;
  std::vector<double> sds;
};

/// Computes the weighted moments of all rows, at least one. Cost: two passes over the entries.
[[nodiscard]] FeatureMoments feature_moments(const Dataset& data);
/// The moments of the rows of all ranks, by exact sums: the same on all, and on any number of them.
/// Cost: also 2 KiB a feature.
[[nodiscard]] FeatureMoments feature_moments(const Dataset& data, Communicator& ranks);

}  // namespace adacvar
