#pragma once

#include "data/preprocess.hpp"

#include <span>

namespace adacvar {

/// Turns features as trees take them into those of linear models and networks: standardised
/// numbers, missing ones replaced by their means, a feature per level.
class FeatureExpansion {
 public:
  /// Both were fitted to the same training rows, `native` with PreprocessOptions::for_trees.
  /// Throws: DataError if a column of `linear` is not one of `native`.
  FeatureExpansion(const Preprocessor& native, Preprocessor linear);

  [[nodiscard]] const Preprocessor& linear() const noexcept { return linear_; }
  /// Returns the dataset of `rows`, with targets and weights if `data` has them.
  [[nodiscard]] Dataset expand(const Dataset& data, std::span<const Index> rows) const;
  /// All rows.
  [[nodiscard]] Dataset expand(const Dataset& data) const;

 private:
  void expand_table(const Dataset& data, std::span<const Index> rows, Dataset& to) const;
  void expand_sparse(const Dataset& data, std::span<const Index> rows, Dataset& to) const;

  Preprocessor linear_;
  std::vector<std::size_t> places_;  // of each column of `linear` among the features of `native`
  std::vector<double> shifts_;       // what `native` subtracts from it
};

}  // namespace adacvar
