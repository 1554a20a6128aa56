#include "sampler/check_batch.hpp"

#include <adacvar/base/error.hpp>

#include "base/printable.hpp"

#include <fmt/core.h>

#include <limits>

namespace adacvar {

void check_size(std::size_t size) {
  if (size == 0 || size > kMaxSize) {
    throw OptionError(fmt::format("size = {} is outside [1, {}]", size, kMaxSize));
  }
}

void check_weight_count(std::size_t weights, std::size_t size) {
  if (weights != size) {
    throw OptionError(fmt::format("weights has {} values, the sampler {}", weights, size));
  }
}

void check_index(Index i, std::size_t size) {
  if (i >= size) throw OptionError(fmt::format("index {} is outside [0, {}]", i, size - 1));
}

void check_batch(std::span<const Index> drawn, std::span<const double> losses, std::size_t size) {
  if (drawn.size() != losses.size()) {
    throw OptionError(
        fmt::format("drawn has {} values, losses has {}", drawn.size(), losses.size()));
  }
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    if (drawn[j] >= size) {
      throw OptionError(fmt::format("drawn[{}] = {} is outside [0, {}]", j, drawn[j], size - 1));
    }
    // Written so that a NaN fails.
    if (!(losses[j] >= 0.0 && losses[j] <= std::numeric_limits<double>::max())) {
      throw DataError(fmt::format("losses[{}] = {} is outside [0, inf)", j, printable(losses[j])));
    }
  }
}

}  // namespace adacvar
