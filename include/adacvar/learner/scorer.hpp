#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <span>

namespace adacvar {

/// Interface of every model: computes scores, the input of a loss.
class Scorer {
 public:
  virtual ~Scorer() = default;

  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;

  /// Computes the scores of `rows`, example by example. Throws: OptionError when the number of
  /// features or the lengths do not match.
  virtual void scores(const Dataset& data, std::span<const Index> rows,
                      std::span<double> scores) const = 0;

 protected:
  Scorer() = default;
  Scorer(const Scorer&) = default;
  Scorer& operator=(const Scorer&) = default;
  Scorer(Scorer&&) = default;
  Scorer& operator=(Scorer&&) = default;
};

}  // namespace adacvar
