#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/prepare_data.hpp>
#include <adacvar/experiment/grid.hpp>
#include <adacvar/learner/train.hpp>

#include <cstdint>
#include <string>
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
};

enum class Experiment : std::uint8_t { convex, shift_train, shift_test, shift_double, tradeoff };

inline constexpr Names kExperimentNames{"convex", "shift-train", "shift-test", "shift-double",
                                        "tradeoff"};

/// The contestant of convex that is solved for exactly: a reference, not one of the compared.
inline constexpr const char* kExactName = "exact";

/// What may be chosen of an experiment. `sets` empty: all of the paper's; tradeoff: adult.
struct StudyChoice {
  GridSize grid = GridSize::small;
  std::uint64_t seeds = 5;
  Rebalance rebalance = Rebalance::none;
  std::vector<std::string> sets = {};
};

/// Throws: OptionError for sets that the experiment does not have, or rebalancing without a shift.
[[nodiscard]] Study make_study(Experiment experiment, const StudyChoice& choice);

/// The six regression and eight classification sets of the paper.
[[nodiscard]] const std::vector<std::string>& regression_sets();
[[nodiscard]] const std::vector<std::string>& classification_sets();

/// Whether its contestants are settings of knobs rather than algorithms.
[[nodiscard]] bool is_tradeoff(const Study& study);

[[nodiscard]] bool is_regression(const std::string& set);

/// `data`, split 50/30/20 by `seed`, shifted and balanced as the study has it; fitted on the
/// training rows that are left.
[[nodiscard]] PreparedData prepare_case(const Study& study, const RawData& data,
                                        std::uint64_t seed);

}  // namespace adacvar
