#include <adacvar/base/error.hpp>
#include "data/shift.hpp"
#include "experiment/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace adacvar {

namespace {

constexpr double kAlpha = 0.1;

std::vector<TrainOptions> configs_of(Algorithm algorithm, GridSize scale, std::uint64_t epochs) {
  TrainOptions base;
  base.algorithm = algorithm;
  base.alpha = kAlpha;
  base.epochs = epochs;
  base.batch = 64;
  base.optimizer.momentum = 0.9;
  base.iterate = Iterate::last;
  base.rate_schedule = RateSchedule::steps;
  base.memory = 1;  // the paper's sampler never forgets
  const bool steep = algorithm == Algorithm::trunc || algorithm == Algorithm::soft;
  if (scale == GridSize::small) {
    base.learning_rate = 0.02 * (steep ? kAlpha : 1.0);
    return {base};
  }
  base.decay = 0.1;
  base.decay_every = 20;
  std::vector<TrainOptions> configs;
  for (const double rate : {0.05, 0.01, 0.005, 0.001}) {
    configs.push_back(base);
    configs.back().learning_rate = rate;
  }
  return configs;
}

std::vector<Contestant> contestants_of(GridSize scale, std::uint64_t epochs) {
  std::vector<Contestant> contestants;
  for (const Algorithm algorithm :
       {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft, Algorithm::mean}) {
    contestants.push_back(
        {std::string(kAlgorithmNames.of(algorithm)), configs_of(algorithm, scale, epochs)});
  }
  return contestants;
}

Study base_study(Experiment experiment, const StudyChoice& choice, std::uint64_t epochs) {
  Study study;
  study.name = std::string(kExperimentNames.of(experiment));
  study.alpha = kAlpha;
  study.grid = choice.grid;
  study.seeds = choice.seeds;
  study.contestants = contestants_of(choice.grid, epochs);
  return study;
}

/// LeNet-5 on grey images of 28 x 28.
Study lenet_study(Experiment experiment, const StudyChoice& choice) {
  const bool small = choice.grid == GridSize::small;
  const bool fashion = experiment == Experiment::fashion_mnist;
  Study study = base_study(experiment, choice, small ? 5 : 50);
  Vision vision{.data = fashion ? "fashion-mnist" : "mnist"};
  vision.network.network = small ? "lenet5" : "lenet5-paper";
  if (fashion) vision.network.dropout = 0.5;
  // Mirrored digits are not digits.
  vision.network.augment = fashion ? Augment::crop_flip : Augment::crop;
  vision.evaluated_rows = small ? 10'000 : 0;
  study.table = "vision";
  study.sets = {vision.data};
  study.vision = std::move(vision);
  return study;
}

Vision cifar_vision(std::string network, const StudyChoice& choice) {
  Vision vision{.data = "cifar-10"};
  vision.network.network = std::move(network);
  vision.network.augment = Augment::crop_flip;
  if (choice.grid == GridSize::small) {
    vision.network.width = 0.125;
    vision.rows = 5'000;
    vision.evaluated_rows = 2'000;
  }
  return vision;
}

Study cifar_study(const StudyChoice& choice) {
  Study study = base_study(Experiment::cifar10, choice, choice.grid == GridSize::small ? 10 : 50);
  study.vision = cifar_vision("resnet18", choice);
  study.table = "vision";
  study.sets = {"cifar-10"};
  return study;
}

Study power_law_study(const std::string& network, const StudyChoice& choice) {
  const bool small = choice.grid == GridSize::small;
  Study study = base_study(Experiment::powerlaw, choice, small ? 8 : 50);
  study.name += "-" + network;
  study.early_stopping = false;
  study.vision = cifar_vision(network, choice);
  if (small) study.vision->rows = 20'000;  // unequal classes leave 2,800 to 6,300 of them
  study.vision->betas =
      small ? std::vector{0.1, 0.2, 0.4} : std::vector{0.1, 0.2, 0.3, 0.5, 0.7, 1.0};
  for (const double beta : study.vision->betas)
    study.sets.push_back(fmt::format("beta {:g}", beta));
  return study;
}

/// All at the same rate, and those with large gradients also at a smaller one.
std::vector<Contestant> gradient_contestants(const Study& study, double rate) {
  std::vector<Contestant> contestants = study.contestants;
  for (Contestant& contestant : contestants) {
    contestant.configs.resize(1);
    contestant.configs[0].learning_rate = rate;
  }
  for (const std::string name : {"trunc", "soft"}) {
    Contestant slower = *std::ranges::find(contestants, name, &Contestant::name);
    slower.name += " slow";
    slower.configs[0].learning_rate = kAlpha * rate;
    contestants.push_back(std::move(slower));
  }
  return contestants;
}

Study gradient_study(const StudyChoice& choice) {
  const bool small = choice.grid == GridSize::small;
  Study study = base_study(Experiment::gradients, choice, small ? 15 : 50);
  study.vision = cifar_vision("resnet18", choice);
  if (small) {  // few images without augmentation, so that the goal can be reached
    study.vision->network.augment = Augment::none;
    study.vision->rows = 2'000;
  }
  study.vision->goal = 0.85;
  study.sets = {"cifar-10"};
  study.contestants = gradient_contestants(study, small ? 0.02 : 0.01);
  return study;
}

std::vector<Index> rows_from(std::size_t begin, std::size_t end) {
  std::vector<Index> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<Index>(begin));
  return rows;
}

void thin(std::vector<Index>& rows, std::span<const std::uint32_t> classes, std::size_t most,
          std::uint64_t seed) {
  if (most > 0 && rows.size() > most) rows = thin_rows(rows, classes, most, seed);
}

}  // namespace

std::vector<Study> make_vision_studies(Experiment experiment, const StudyChoice& choice) {
  if (choice.rebalance != Rebalance::none || !choice.sets.empty()) {
    throw OptionError(fmt::format("sets, upsample and downsample are not supported with {}",
                                  kExperimentNames.of(experiment)));
  }
  switch (experiment) {
    case Experiment::mnist:
    case Experiment::fashion_mnist:
      return {lenet_study(experiment, choice)};
    case Experiment::cifar10:
      return {cifar_study(choice)};
    case Experiment::powerlaw:
      return {power_law_study("vgg16-bn", choice), power_law_study("resnet18", choice)};
    case Experiment::gradients:
      return {gradient_study(choice)};
    default:
      throw OptionError(fmt::format("{} has no networks", kExperimentNames.of(experiment)));
  }
}

PreparedData prepare_images(const Study& study, const RawData& data, std::size_t set,
                            std::uint64_t seed) {
  const Vision& vision = *study.vision;
  const std::vector<std::uint32_t> classes = classes_of(data, data.target, TaskChoice::automatic);
  const std::size_t own = data.rows() - data.own_test;
  Split split{.train = rows_from(0, own), .valid = {}, .test = rows_from(own, data.rows())};
  thin(split.train, classes, vision.rows, seed);
  if (!vision.betas.empty()) {
    split.train = power_law_rows(split.train, classes, vision.betas[set], seed);
  }
  split.valid = split.train;
  thin(split.valid, classes, vision.evaluated_rows, seed);
  thin(split.test, classes, vision.evaluated_rows, 0);  // the same images for all seeds
  return prepare_split(data, {}, split);
}

}  // namespace adacvar
