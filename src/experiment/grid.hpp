#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/learner/train.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace adacvar {

/// Algorithms of the tables.
enum class Variant : std::uint8_t {
  gain,     ///< Ada-CVaR as published: estimator gain, eta from the theory
  centred,  ///< Ada-CVaR with the centred estimator, its epsilon and automatic eta
  trunc,
  soft,
  mean,
};

inline constexpr Names kVariantNames{"gain", "centred", "trunc", "soft", "mean"};

enum class GridSize : std::uint8_t {
  small,  ///< 8 to 24 configurations per algorithm; takes minutes
  paper,  ///< the full grid of the paper's appendix: 28 to 1008
};

/// Returns all configurations of a variant, in a fixed order.
///
/// paper: optimizer (SGD with momentum 0.9, Adam) x 7 learning rates x batch (64, 128); for
/// Ada-CVaR x eta (1, 0.5, 0.1, automatic) x gamma (0, 0.01, 0.1) x schedule of eta (constant,
/// 1/sqrt(t), Adagrad); for Soft-CVaR x temperature (0.01, 0.1, 1). 50 epochs, learning rate times
/// 0.1 after epochs 20 and 40. small: the same with batch 64, four learning rates, automatic eta,
/// constant, gamma 0.01 and 0.1. Early stopping uses the same runs.
[[nodiscard]] std::vector<TrainOptions> experiment_grid(Variant variant, GridSize size,
                                                        double alpha);

/// Whether the configuration differs from the variant's default only in the options that all
/// algorithms tune (optimizer, learning rate, batch): selecting among those gives every algorithm
/// the same budget.
[[nodiscard]] bool is_plain(Variant variant, const TrainOptions& options);

/// Describes a configuration: `adam 0.01, batch 64, eta auto, gamma 0.1, adagrad`.
[[nodiscard]] std::string config_text(const TrainOptions& options);

}  // namespace adacvar
