#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <span>

namespace adacvar {

/// What every model can do: give scores, which a loss then judges.
class Scorer {
 public:
  virtual ~Scorer() = default;

  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;

  /// Scores of the rows named, example by example. Throws: OptionError when the data has other
  /// features or the lengths do not fit.
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
