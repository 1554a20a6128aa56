#pragma once

#include <adacvar/data/dataset.hpp>

#include <cmath>
#include <vector>

namespace adacvar::support {

/// The targets of a dataset in the user's units, to six decimals.
inline std::vector<double> targets_in_units(const Dataset& data, const TargetScale& scale) {
  std::vector<double> targets;
  for (const double target : data.targets) {
    targets.push_back(std::round(1e6 * (scale.mean + scale.sd * target)) / 1e6);
  }
  return targets;
}

}  // namespace adacvar::support
