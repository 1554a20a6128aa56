#include "run/assign_folds.hpp"

#include "data/shuffle.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/base/rng.hpp>

#include <algorithm>
#include <numeric>

namespace adacvar {

std::vector<std::size_t> assign_folds(const Dataset& data, std::size_t folds, std::uint64_t seed) {
  std::vector<Index> rows(data.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  Rng rng(seed);
  shuffle(rows, rng);
  if (data.task != Task::regression) {
    std::ranges::stable_sort(rows, {}, [&](Index row) { return data.targets[row]; });
  }
  std::vector<std::size_t> fold(data.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) fold[rows[i]] = i % folds;
  return fold;
}

}  // namespace adacvar
