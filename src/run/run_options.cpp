#include <adacvar/run/run.hpp>

#include "learner/train_conditions.hpp"

namespace adacvar {

const std::vector<OptionSpec>& TuneOptions::options() {
  using O = TuneOptions;
  static const std::vector<OptionSpec> all{
      {"tune", &O::tune, "tries a small grid around the options and keeps the best model",
       without("algorithm", {"exact"})},
      {"select", &O::select, Names{"cvar", "accuracy"},
       "criterion of tuning, on the validation rows", with("tune")},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "number of parallel runs; 0: one per core; does not change the result", without("network")},
  };
  return all;
}

const std::vector<OptionSpec>& SolveOptions::options() {
  using O = SolveOptions;
  static const std::vector<OptionSpec> all{
      {"certify", &O::certify, Names{"auto", "yes", "no"},
       "bounds the distance of the training CVaR from the least possible; auto: if that takes only "
       "seconds",
       without("algorithm", {"exact"}) && without("network") && without("trees")},
      {"tolerance", &O::tolerance, Bounds{.low = 1e-12, .high = 1},
       "relative gap at which the exact solver stops",
       with("algorithm", {"exact"}) ||
           (without("certify", {"no"}) && without("network") && without("trees"))},
      {"certificate-radius", &O::certificate_radius, Bounds{.low = 0, .high = 1e9},
       "largest norm of the models that certificates cover; 0: 100 times the optimum's",
       with("algorithm", {"exact"}) ||
           (without("certify", {"no"}) && without("network") && without("trees"))},
      {"alphas", &O::alphas, Bounds{.low = 0, .high = 1, .low_ok = false},
       "trains a model for each of these tail shares", with("algorithm", {"exact"})},
      {"until-gap", &O::until_gap, Bounds{.low = 0},
       "stops when this relative gap is certified; 0: never", follows_game()},
  };
  return all;
}

const std::vector<OptionSpec>& BudgetOptions::options() {
  using O = BudgetOptions;
  static const Condition limits = with("algorithm", {"adacvar", "trunc", "soft", "exact"}) &&
                                  without("learner", {"btl"}) && without("alphas");
  static const std::vector<OptionSpec> all{
      OptionSpec("mean-budget", &O::mean_budget, Bounds{.low = 0, .high = 100},
                 "least CVaR among models whose mean loss exceeds the least by at most this, such "
                 "as 5%; compare has such a row, 5% by default",
                 limits && without("cvar-limit"))
          .in_percent(),
      {"cvar-limit", &O::cvar_limit, Bounds{.low = 0, .low_ok = false},
       "least mean loss among models whose training CVaR is at most this",
       limits && without("trees")},
      {"budget-on", &O::budget_on, Names{"train", "validation"},
       "rows on which the mean budget is judged; for networks that are fine-tuned or mixed always "
       "validation",
       with("mean-budget") && without("tune") && without("trees") &&
           (without("network") || with("fine-tune", {"0"}))},
  };
  return all;
}

const std::vector<OptionSpec>& CalibrateOptions::options() {
  static const std::vector<OptionSpec> all{
      {"calibrate", &CalibrateOptions::calibrate, Names{"auto", "yes", "no"},
       "classes: fits a factor on the scores, the inverse temperature, to the validation rows; "
       "auto: if there are enough of them",
       without("alphas")},
  };
  return all;
}

const std::vector<OptionSpec>& BlendOptions::options() {
  using O = BlendOptions;
  static const Condition blends =
      with("network") && with("algorithm", {"adacvar", "trunc", "soft"}) && without("cvar-limit");
  static const std::vector<OptionSpec> all{
      {"fine-tune", &O::fine_tune, Bounds{.low = 0, .high = 10},
       "epochs of training for the tail after plain training, as a share of its epochs; weights "
       "are interpolated within the mean budget, 2% by default; 0: trains for the tail from the "
       "start; automatic: 0.2 if there are enough validation rows",
       blends && without("mix")},
      {"mix", &O::mix,
       "trains a network for the mean and another for the tail and mixes their scores within the "
       "mean budget, 2% by default",
       blends},
  };
  return all;
}

const std::vector<OptionSpec>& RepeatOptions::options() {
  static const std::vector<OptionSpec> all{
      {"repeats", &RepeatOptions::repeats, Bounds{.low = 1, .high = 1000},
       "number of runs, with the seeds seed, seed + 1, ... for splits and draws; shows mean and "
       "standard deviation"},
  };
  return all;
}

const std::vector<OptionSpec>& CheckpointOptions::options() {
  static const std::vector<OptionSpec> all{
      {"checkpoint", &CheckpointOptions::checkpoint,
       "file to save the state to after every epoch, with --tune a folder; after an interruption "
       "the same command resumes from it, with the same result",
       without("algorithm", {"exact"}) && without("learner", {"btl"})},
  };
  return all;
}

const std::vector<OptionSpec>& CheckpointFolderOptions::options() {
  static const std::vector<OptionSpec> all{
      {"checkpoint", &CheckpointFolderOptions::checkpoint,
       "folder to save the state of every run to after each epoch; after an interruption the same "
       "command resumes from it, with the same result",
       without("algorithm", {"exact"})},
  };
  return all;
}

}  // namespace adacvar
