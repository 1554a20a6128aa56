#pragma once

#include <adacvar/run/run.hpp>

namespace adacvar {

/// The figures of validation rows that models are selected by.
struct SelectionScore {
  double cvar = 0;
  double accuracy = 0;  ///< classes only
};

/// The one rule of selection, for tuning and experiments: the smaller CVaR, or the larger accuracy
/// and where that is equal the smaller CVaR.
[[nodiscard]] inline bool is_selected_before(const SelectionScore& one, const SelectionScore& other,
                                             Selection select) {
  if (select == Selection::accuracy && one.accuracy != other.accuracy) {
    return one.accuracy > other.accuracy;
  }
  return one.cvar < other.cvar;
}

}  // namespace adacvar
