#pragma once

#include "learner/tree_model.hpp"

#include <adacvar/learner/loss.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// Names and kinds of the features in a file of XGBoost's.
struct TreeFeatures {
  std::span<const std::string> names = {};     ///< empty: none
  std::span<const std::uint32_t> levels = {};  ///< Dataset::levels
};

/// Returns XGBoost's JSON of the model, which XGBoost 1.7 and later load: its predictions are ours,
/// in the user's units, up to the rounding of floats.
[[nodiscard]] std::string to_xgboost_json(const TreeModel& model, LossKind loss,
                                          const TreeFeatures& features = {});

/// Reads the trees of a model of XGBoost's, as JSON. `unit`: see TreeModel::Parts. Throws:
/// DataError if it is damaged or not a model of trees.
[[nodiscard]] TreeModel from_xgboost_json(std::string_view json, double unit);
/// The same of universal binary JSON.
[[nodiscard]] TreeModel from_xgboost_ubjson(std::string_view bytes, double unit);

}  // namespace adacvar
