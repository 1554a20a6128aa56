#include "run/feature_moments.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

/// Calls use(feature, value, weight of the row) for every stored entry.
template <class Use>
void for_entries(const Dataset& data, const Use& use) {
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double weight = data.weight(i);
    if (data.is_sparse()) {
      for (std::size_t e = data.start[i]; e < data.start[i + 1]; ++e) {
        use(data.column[e], double{data.entry(e)}, weight);
      }
    } else {
      const float* const row = data.dense.data() + i * data.features;
      for (std::size_t f = 0; f < data.features; ++f) use(f, double{row[f]}, weight);
    }
  }
}

}  // namespace

FeatureMoments feature_moments(const Dataset& data) {
  const double total = data.total_weight();
  FeatureMoments moments{std::vector<double>(data.features), std::vector<double>(data.features)};
  for_entries(data, [&](std::size_t f, double value, double weight) {
    moments.means[f] += weight * value / total;
  });
  std::vector<double> present(data.features);
  for_entries(data, [&](std::size_t f, double value, double weight) {
    const double distance = value - moments.means[f];
    moments.sds[f] += weight * (distance * distance);
    present[f] += weight;
  });
  for (std::size_t f = 0; f < data.features; ++f) {
    const double absent = data.is_sparse() ? std::max(total - present[f], 0.0) : 0.0;
    const double squares = moments.sds[f] + absent * moments.means[f] * moments.means[f];
    moments.sds[f] = std::sqrt(squares / total);
  }
  return moments;
}

}  // namespace adacvar
