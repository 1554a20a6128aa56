#include "run/feature_moments.hpp"

#include "base/collectives.hpp"
#include "base/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// Turns sums of squares into standard deviations; absent entries count as 0.
void finish(FeatureMoments& moments, const std::vector<double>& present, double total,
            bool is_sparse) {
  for (std::size_t f = 0; f < present.size(); ++f) {
    const double absent = is_sparse ? std::max(total - present[f], 0.0) : 0.0;
    const double squares = moments.sds[f] + absent * moments.means[f] * moments.means[f];
    moments.sds[f] = std::sqrt(squares / total);
  }
}

}  // namespace

FeatureMoments feature_moments(const Dataset& data, Communicator& ranks) {
  const auto values_of = [&](std::vector<ExactSum>& sums) {
    sum(ranks, sums);
    std::vector<double> values;
    for (ExactSum& one : sums) values.push_back(std::exchange(one, {}).value());
    return values;
  };
  std::vector<ExactSum> sums(1);
  for (std::size_t i = 0; i < data.rows; ++i) sums[0].add(data.weight(i));
  const double total = values_of(sums)[0];
  sums.resize(data.features);
  for_entries(data, [&](std::size_t f, double value, double weight) {
    sums[f].add(weight * value / total);
  });
  FeatureMoments moments{values_of(sums), {}};
  std::vector<ExactSum> weights(data.features);
  for_entries(data, [&](std::size_t f, double value, double weight) {
    const double distance = value - moments.means[f];
    sums[f].add(weight * (distance * distance));
    weights[f].add(weight);
  });
  moments.sds = values_of(sums);
  const std::vector<double> present = values_of(weights);
  finish(moments, present, total, any_of(ranks, data.is_sparse()));
  return moments;
}

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
  finish(moments, present, total, data.is_sparse());
  return moments;
}

}  // namespace adacvar
