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

/// Which parts have their majority class thinned below the other one.
enum class Shift : std::uint8_t {
  none,
  train,         ///< training and validation 1:9 (10 % / 90 %), test as it is
  test,          ///< test 1:10
  train_double,  ///< training and validation 1:10, test 1:100
};

/// How the training rows are balanced again after a shift.
enum class Rebalance : std::uint8_t { none, upsample, downsample };

/// A row of a table: an algorithm and the configurations that its best is selected from.
struct Contestant {
  std::string name;
  std::vector<TrainOptions> configs;
};

/// What an experiment with a network has beside the others.
struct Vision {
  std::string data;  ///< named set
  NetworkOptions network = {};
  std::size_t rows = 0;            ///< training pictures, drawn evenly from the classes; 0: all
  std::size_t judged_rows = 0;     ///< most pictures that a part is judged by; 0: all
  std::vector<double> betas = {};  ///< power laws, one per set; empty: classes as they are
  double goal = 0;  ///< training accuracy whose epoch is noted, with the gradients; 0: none
};

/// An experiment: every contestant with every configuration on every set, once per seed.
struct Study {
  std::string name;   ///< convex, shift-train-upsample, ...
  std::string table;  ///< of the paper, as PaperFigure has it; empty: none
  double alpha = 0.01;
  Shift shift = Shift::none;
  Rebalance rebalance = Rebalance::none;
  GridSize grid = GridSize::small;
  std::uint64_t seeds = 5;
  std::vector<std::string> sets;
  std::vector<Contestant> contestants;
  bool early_stopping = true;  ///< the best epoch on the validation rows may be chosen
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

/// The contestant of convex that is solved for exactly: a reference, not one of the compared.
inline constexpr const char* kExactName = "exact";

/// What may be chosen of an experiment. `sets` empty: all of the paper's; tradeoff: adult.
struct StudyChoice {
  GridSize grid = GridSize::small;  ///< with networks: the scale
  std::uint64_t seeds = 5;
  Rebalance rebalance = Rebalance::none;
  std::vector<std::string> sets = {};
};

/// Throws: OptionError for sets that the experiment does not have, or rebalancing without a shift.
[[nodiscard]] Study make_study(Experiment experiment, const StudyChoice& choice);

/// An experiment with networks; of powerlaw one study per network.
///
/// Contestants are Ada-CVaR, Trunc-CVaR, Soft-CVaR and Mean by SGD with momentum 0.9, at alpha 0.1.
/// paper: the networks in full width, 50 epochs, learning rate times 0.1 after epochs 20 and 40,
/// chosen among 0.05, 0.01, 0.005 and 0.001. small: classic LeNet-5 on all pictures for 5 epochs;
/// of CIFAR-10 5,000 pictures (powerlaw: 20,000 before it, gradients: 2,000) and networks an eighth
/// as wide for 10 epochs (powerlaw: 8, gradients: 15); learning rate 0.02, times alpha for
/// Trunc-CVaR and Soft-CVaR, whose gradients are up to 1/alpha times as large. gradients has those
/// two also at the common rate. powerlaw has no early stopping: by validation rows of its unequal
/// classes one answer for all of them looks best.
/// Throws: OptionError for choices that belong to other experiments.
[[nodiscard]] std::vector<Study> make_vision_studies(Experiment experiment,
                                                     const StudyChoice& choice);

/// The six regression and eight classification sets of the paper.
[[nodiscard]] const std::vector<std::string>& regression_sets();
[[nodiscard]] const std::vector<std::string>& classification_sets();

/// What it is repeated over: splits of the data, or seeds of the networks.
[[nodiscard]] constexpr std::string_view repeats_of(const Study& study) {
  return study.vision ? "seeds" : "splits";
}

/// Whether its contestants are settings of knobs rather than algorithms.
[[nodiscard]] bool is_tradeoff(const Study& study);

[[nodiscard]] bool is_regression(const std::string& set);

/// `data`, split 50/30/20 by `seed`, shifted and balanced as the study has it; fitted on the
/// training rows that are left.
[[nodiscard]] PreparedData prepare_case(const Study& study, const RawData& data,
                                        std::uint64_t seed);

/// Set number `set` of an experiment with a network: the training pictures, thinned as the study
/// has it; as validation rows the same ones [CLJK20, appendix], or a share of them; the set's own
/// test pictures.
[[nodiscard]] PreparedData prepare_pictures(const Study& study, const RawData& data,
                                            std::size_t set, std::uint64_t seed);

}  // namespace adacvar
