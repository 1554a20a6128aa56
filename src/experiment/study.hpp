#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>
#include "data/prepare_data.hpp"
#include "experiment/grid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Which sets of rows have their majority class reduced below the other one.
enum class Shift : std::uint8_t {
  none,
  train,         ///< training and validation 1:9 (10 % / 90 %), test unchanged
  test,          ///< test 1:10
  train_double,  ///< training and validation 1:10, test 1:100
};

/// How the training rows are rebalanced after a shift.
enum class Rebalance : std::uint8_t { none, upsample, downsample };

/// A row of a table: an algorithm and the configurations to select from.
struct Contestant {
  std::string name;
  std::vector<TrainOptions> configs;
};

/// Settings of an experiment with a network.
struct Vision {
  std::string data;  ///< named set
  NetworkOptions network = {};
  std::size_t rows = 0;            ///< training images, the same number per class; 0: all
  std::size_t evaluated_rows = 0;  ///< largest number of validation or test images; 0: all
  std::vector<double> betas = {};  ///< exponents of the class sizes, one per set; empty: unchanged
  double goal = 0;                 ///< training accuracy to reach, whose epoch is recorded; 0: none
};

/// An experiment: runs every contestant and configuration on every set, once per seed.
struct Study {
  std::string name;   ///< convex, shift-train-upsample, ...
  std::string table;  ///< PaperFigure::table; empty: none
  double alpha = 0.01;
  Shift shift = Shift::none;
  Rebalance rebalance = Rebalance::none;
  GridSize grid = GridSize::small;
  std::uint64_t seeds = 5;
  std::vector<std::string> sets;
  std::vector<Contestant> contestants;
  bool early_stopping = true;  ///< the best epoch on the validation rows may be selected
  std::optional<Vision> vision = {};
};

enum class Experiment : std::uint8_t {
  convex,
  shift_train,
  shift_test,
  shift_double,
  tradeoff,
  mnist,
  fashion_mnist,
  cifar10,
  powerlaw,
  gradients,
};

inline constexpr Names kExperimentNames{"convex",   "shift-train", "shift-test",    "shift-double",
                                        "tradeoff", "mnist",       "fashion-mnist", "cifar10",
                                        "powerlaw", "gradients"};

/// Whether it trains networks.
[[nodiscard]] constexpr bool is_vision(Experiment experiment) {
  return experiment >= Experiment::mnist;
}

/// The exact optimum in convex: a reference, not compared.
inline constexpr const char* kExactName = "exact";

/// Options of an experiment. Empty `sets`: all of the paper's; for tradeoff: adult.
struct StudyChoice {
  GridSize grid = GridSize::small;  ///< with networks: the scale
  std::uint64_t seeds = 5;
  Rebalance rebalance = Rebalance::none;
  std::vector<std::string> sets = {};
};

/// Creates an experiment with linear models.
/// Throws: OptionError for sets that the experiment does not have, or rebalancing without a shift.
[[nodiscard]] Study make_study(Experiment experiment, const StudyChoice& choice);

/// Creates an experiment with networks; for powerlaw, one study per network.
///
/// Contestants are Ada-CVaR, Trunc-CVaR, Soft-CVaR and Mean by SGD with momentum 0.9, at alpha 0.1.
/// paper: networks in full width, 50 epochs, learning rate times 0.1 after epochs 20 and 40,
/// selected from 0.05, 0.01, 0.005 and 0.001. small: classic LeNet-5 on all images for 5 epochs;
/// for CIFAR-10, 5,000 images (powerlaw: 20,000 before the classes are reduced, gradients: 2,000)
/// and networks an eighth as wide for 10 epochs (powerlaw: 8, gradients: 15); learning rate 0.02,
/// times alpha for Trunc-CVaR and Soft-CVaR, whose gradients are up to 1/alpha times as large.
/// gradients has those two also at the common rate. powerlaw has no early stopping: on validation
/// rows of unequal classes a constant prediction looks best. Throws: OptionError for options of
/// other experiments.
[[nodiscard]] std::vector<Study> make_vision_studies(Experiment experiment,
                                                     const StudyChoice& choice);

/// The six regression and eight classification sets of the paper.
[[nodiscard]] const std::vector<std::string>& regression_sets();
[[nodiscard]] const std::vector<std::string>& classification_sets();

/// Returns what the repeats vary: splits of the data, or seeds of the networks.
[[nodiscard]] constexpr std::string_view repeats_of(const Study& study) {
  return study.vision ? "seeds" : "splits";
}

/// Whether its contestants are values of an option rather than algorithms.
[[nodiscard]] bool is_tradeoff(const Study& study);

[[nodiscard]] bool is_regression(const std::string& set);

/// Splits `data` 50/30/20 by `seed`, applies the study's shift and rebalancing, and fits the
/// preprocessing on the remaining training rows.
[[nodiscard]] PreparedData prepare_case(const Study& study, const RawData& data,
                                        std::uint64_t seed);

/// Prepares set number `set` of an experiment with a network: the training images, reduced as the
/// study specifies; as validation rows the same images [CLJK20, appendix] or some of them; the
/// set's own test images.
[[nodiscard]] PreparedData prepare_images(const Study& study, const RawData& data, std::size_t set,
                                          std::uint64_t seed);

}  // namespace adacvar
