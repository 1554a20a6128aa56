#include <adacvar/run.hpp>

#include "learner/train_conditions.hpp"

namespace adacvar {

const std::vector<OptionSpec>& TuneOptions::options() {
  using O = TuneOptions;
  static const std::vector<OptionSpec> all{
      {"tune", &O::tune, "tries a small grid around the options and keeps the best",
       without("algorithm", {"exact"})},
      {"select", &O::select, Names{"cvar", "accuracy"},
       "what tuning judges by, on the validation rows", with("tune")},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "runs at a time; 0: one per core; does not change the result", without("network")},
  };
  return all;
}

const std::vector<OptionSpec>& SolveOptions::options() {
  using O = SolveOptions;
  static const std::vector<OptionSpec> all{
      {"certify", &O::certify, Names{"auto", "yes", "no"},
       "proves how far the training CVaR is from the least possible; auto: where that is quick",
       without("algorithm", {"exact"}) && without("network")},
      {"tolerance", &O::tolerance, Bounds{.low = 1e-12, .high = 1},
       "relative gap that the exact optimum is proved to",
       with("algorithm", {"exact"}) || (without("certify", {"no"}) && without("network"))},
      {"alphas", &O::alphas, Bounds{.low = 0, .high = 1, .low_ok = false},
       "a model for each of these tail shares", with("algorithm", {"exact"})},
      {"until-gap", &O::until_gap, Bounds{.low = 0},
       "ends when this relative gap is proved; 0: does not look", follows_game()},
  };
  return all;
}

const std::vector<OptionSpec>& RepeatOptions::options() {
  static const std::vector<OptionSpec> all{
      {"repeats", &RepeatOptions::repeats, Bounds{.low = 1, .high = 1000},
       "runs with the seeds seed, seed + 1, ...: other splits and draws; shows mean and "
       "standard deviation"},
  };
  return all;
}

const std::vector<OptionSpec>& CheckpointOptions::options() {
  static const std::vector<OptionSpec> all{
      {"checkpoint", &CheckpointOptions::checkpoint,
       "file that keeps the state after every epoch: the same command, given again after the run "
       "was killed, resumes from it to the same result",
       without("algorithm", {"exact"}) && without("learner", {"btl"}) && without("tune")},
  };
  return all;
}

}  // namespace adacvar
