#include "experiment/study.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"

#include <adacvar/base/error.hpp>
#include "data/shift.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace adacvar {

namespace {

constexpr std::array kVariants = {Variant::gain, Variant::centred, Variant::trunc, Variant::soft,
                                  Variant::mean};

std::vector<Contestant> all_variants(GridSize grid, double alpha) {
  std::vector<Contestant> contestants;
  contestants.reserve(kVariants.size() + 1);
  for (const Variant variant : kVariants) {
    contestants.push_back(
        {std::string(kVariantNames.of(variant)), experiment_grid(variant, grid, alpha)});
  }
  return contestants;
}

// Defaults except for one option.
std::vector<Contestant> tradeoff_settings(double alpha) {
  std::vector<Contestant> contestants;
  for (const double share : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0}) {
    TrainOptions options;
    options.alpha = share;
    contestants.push_back({fmt::format("alpha {:g}", share), {options}});
  }
  for (const double gamma : {0.0, 0.03, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0}) {
    TrainOptions options;
    options.alpha = alpha;
    options.gamma = gamma;
    options.exploration = 0;
    contestants.push_back({fmt::format("gamma {:g}", gamma), {options}});
  }
  TrainOptions mean;
  mean.alpha = alpha;
  mean.algorithm = Algorithm::mean;
  contestants.push_back({"mean", {mean}});
  return contestants;
}

Contestant exact_contestant(double alpha) {
  TrainOptions options;
  options.algorithm = Algorithm::exact;
  options.alpha = alpha;
  return {kExactName, {options}};
}

std::vector<std::string> all_sets() {
  std::vector<std::string> sets = regression_sets();
  sets.insert(sets.end(), classification_sets().begin(), classification_sets().end());
  return sets;
}

std::vector<std::string> chosen_sets(Experiment experiment, const StudyChoice& choice) {
  const bool any = experiment == Experiment::convex || experiment == Experiment::tradeoff;
  const std::vector<std::string> allowed = any ? all_sets() : classification_sets();
  if (choice.sets.empty()) {
    return experiment == Experiment::tradeoff ? std::vector<std::string>{"adult"} : allowed;
  }
  std::vector<std::string> sets;
  for (const std::string& set : choice.sets) {
    if (!std::ranges::count(allowed, set)) {
      throw OptionError(fmt::format("sets: '{}' is not one of: {}{}", set, join(allowed, ", "),
                                    did_you_mean(set, allowed)));
    }
    if (!std::ranges::count(sets, set)) sets.push_back(set);
  }
  return sets;
}

std::string suffix_of(Rebalance rebalance) {
  constexpr Names kSuffixes{"", "-upsample", "-downsample"};
  return std::string(kSuffixes.of(rebalance));
}

/// Returns the paper's table; it has none for downsampling.
std::string shift_table(std::string_view name, Rebalance rebalance) {
  if (rebalance == Rebalance::downsample) return {};
  return fmt::format("{}{}", name, rebalance == Rebalance::upsample ? "_upsample" : "");
}

void set_shift(Study& study, Experiment experiment) {
  switch (experiment) {
    case Experiment::shift_train:
      study.shift = Shift::train;
      study.table = shift_table("shift_train", study.rebalance);
      break;
    case Experiment::shift_test:
      study.shift = Shift::test;
      study.table = shift_table("shift_test", study.rebalance);
      break;
    case Experiment::shift_double:
      study.shift = Shift::train_double;
      study.table = shift_table("shift_double", study.rebalance);
      break;
    default:
      break;
  }
}

// Rows of the other class per row of the majority class; 0: not shifted.
struct Ratios {
  double train = 0;
  double test = 0;
};

Ratios ratios_of(Shift shift) {
  switch (shift) {
    case Shift::none:
      break;
    case Shift::train:
      return {.train = 9, .test = 0};
    case Shift::test:
      return {.train = 0, .test = 10};
    case Shift::train_double:
      return {.train = 10, .test = 100};
  }
  return {};
}

void shift_split(Split& split, const Study& study, std::span<const std::uint32_t> classes,
                 std::uint64_t seed) {
  const Ratios ratios = ratios_of(study.shift);
  const auto thin = [&](std::vector<Index>& rows, double ratio) {
    if (ratio > 0) rows = thin_majority(rows, classes, 1 / ratio, seed);
  };
  thin(split.train, ratios.train);
  thin(split.valid, ratios.train);
  thin(split.test, ratios.test);
  if (study.rebalance == Rebalance::upsample) split.train = upsample(split.train, classes, seed);
  if (study.rebalance == Rebalance::downsample) {
    split.train = downsample(split.train, classes, seed);
  }
}

}  // namespace

const std::vector<std::string>& regression_sets() {
  static const std::vector<std::string> sets = {"abalone", "boston", "cpu-small",
                                                "normal",  "pareto", "sinc"};
  return sets;
}

const std::vector<std::string>& classification_sets() {
  static const std::vector<std::string> sets = {"adult",   "australian", "german", "monks",
                                                "phoneme", "spambase",   "splice", "titanic"};
  return sets;
}

bool is_tradeoff(const Study& study) {
  return study.name == kExperimentNames.of(Experiment::tradeoff);
}

bool is_regression(const std::string& set) { return std::ranges::count(regression_sets(), set); }

Study make_study(Experiment experiment, const StudyChoice& choice) {
  if (is_vision(experiment)) throw OptionError("use make_vision_studies for studies of networks");
  const bool shifted = experiment != Experiment::convex && experiment != Experiment::tradeoff;
  if (!shifted && choice.rebalance != Rebalance::none) {
    throw OptionError(fmt::format("upsample and downsample are not supported with {}",
                                  kExperimentNames.of(experiment)));
  }
  Study study;
  study.name = std::string(kExperimentNames.of(experiment)) + suffix_of(choice.rebalance);
  study.alpha = experiment == Experiment::convex ? 0.01 : 0.1;
  study.rebalance = choice.rebalance;
  study.grid = choice.grid;
  study.seeds = choice.seeds;
  study.sets = chosen_sets(experiment, choice);
  study.contestants = experiment == Experiment::tradeoff ? tradeoff_settings(study.alpha)
                                                         : all_variants(choice.grid, study.alpha);
  study.early_stopping = experiment != Experiment::tradeoff;  // its defaults use the last model
  if (experiment == Experiment::convex) {
    study.table = "convex";
    study.contestants.push_back(exact_contestant(study.alpha));
  }
  set_shift(study, experiment);
  return study;
}

PreparedData prepare_case(const Study& study, const RawData& data, std::uint64_t seed) {
  Split split = split_data(data, data.target, TaskChoice::automatic, {}, seed);
  if (study.shift != Shift::none || study.rebalance != Rebalance::none) {
    shift_split(split, study, classes_of(data, data.target, TaskChoice::automatic), seed);
  }
  return prepare_split(data, {}, split);
}

}  // namespace adacvar
