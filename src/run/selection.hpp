#pragma once

#include <adacvar/run/run.hpp>

namespace adacvar {

/// Validation figures for selecting models.
struct SelectionScore {
  double cvar = 0;
  double accuracy = 0;  ///< classes only
};

/// The selection rule of tuning and experiments: the smaller CVaR, or the larger accuracy with ties
/// broken by the smaller CVaR.
[[nodiscard]] inline bool is_selected_before(const SelectionScore& one, const SelectionScore& other,
                                             Selection select) {
  if (select == Selection::accuracy && one.accuracy != other.accuracy) {
    return one.accuracy > other.accuracy;
  }
  return one.cvar < other.cvar;
}

}  // namespace adacvar
