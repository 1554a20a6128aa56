#include <adacvar/learner/train.hpp>

#include "learner/train_conditions.hpp"

namespace adacvar {

const std::vector<OptionSpec>& TrainOptions::options() {
  using O = TrainOptions;
  static const std::vector<OptionSpec> all{
      {"algorithm", &O::algorithm, kAlgorithmNames, "how the tail is trained"},
      {"alpha", &O::alpha, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail share: CVaR is the mean of the worst alpha of the losses", without("alphas")},
      {"gamma", &O::gamma, Bounds{.low = 0, .high = 1},
       "weight of the mean: (1 - gamma) CVaR + gamma mean is minimised",
       with("algorithm", {"adacvar", "trunc", "soft", "exact"}) && without("cvar-limit")},
      {"exploration", &O::exploration, Bounds{.low = 0, .high = 1},
       "least share of the uniform distribution in the draws of adacvar, if gamma is smaller",
       with("algorithm", {"adacvar"}) && without("trees")},
      {"memory", &O::memory, Bounds{.low = 0, .high = 1},
       "factor on the sampler's log-weights after every epoch: 1 never forgets, 0 starts anew; "
       "automatic: 1, for a network 0.5",
       with("algorithm", {"adacvar"}) && without("learner", {"btl"}) && without("trees")},
      {"learner", &O::learner, Names{"steps", "btl"},
       "gradient steps, or be-the-leader: an exact fit to the mean of the distributions so far",
       with("algorithm", {"adacvar"}) && without("network") && without("trees")},
      {"information", &O::information, Names{"bandit", "full"},
       "the sampler sees the losses drawn, or all of them", with("learner", {"btl"})},
      {"oracle-calls", &O::oracle_calls, Bounds{.low = 1, .high = 1e6}, "exact fits per epoch",
       with("learner", {"btl"})},
      {"epochs", &O::epochs, Bounds{.low = 0},
       "passes over the data, counted in draws; 0: 50, for a linear model under a limit at least "
       "150,000 draws, for a network 640,000, but at most 500 epochs",
       without("algorithm", {"exact"}) && without("trees")},
      {"batch", &O::batch, Bounds{.low = 0, .high = 1e6},
       "examples per step; 0: rows / 64, at least 8 and at most 64", draws_batches()},
      {"learning-rate", &O::learning_rate, Bounds{.low = 0, .low_ok = false},
       "size of the learner's steps; automatic: 0.015, for classes with adacvar times "
       "sqrt(alpha); of newton: (1 - momentum) batch / rows",
       takes_steps()},
      {"lr-schedule", &O::rate_schedule,
       Names{"auto", "steps", "inverse-sqrt", "constant", "cosine"},
       "how the learning rate changes with the epochs; auto: steps, for a network cosine",
       takes_steps()},
      {"decay", &O::decay, Bounds{.low = 0, .high = 1, .low_ok = false},
       "factor on the learning rate", decays_by_steps()},
      {"decay-every", &O::decay_every, Bounds{.low = 0},
       "epochs between factors; 0: after 40 % and 80 % of the epochs", decays_by_steps()},
      {"ridge", &O::ridge, Bounds{.low = 0},
       "adds ridge/2 |weights|^2, without intercepts, to the objective",
       without("network") && without("trees")},
      {"radius", &O::radius, Bounds{.low = 0},
       "weights are kept in a ball of this radius; 0: no ball",
       takes_steps() && without("network")},
      {"temperature", &O::temperature, Bounds{.low = 1e-9, .high = 1e9},
       "width of the border of the tail, as a multiple of the CVaR of the losses",
       with("algorithm", {"soft"})},
      {"level-window", &O::level_window, Bounds{.low = 1, .high = 1e9},
       "the tail's level is fitted to the last level-window / alpha losses",
       with("algorithm", {"trunc", "soft"})},
      {"iterate", &O::iterate, Names{"auto", "last", "average", "random", "best"},
       "iterate that is the result; best: by the validation rows, networks by their mean; auto: "
       "average, for a network best",
       without("algorithm", {"exact"}) && without("trees")},
      {"patience", &O::patience, Bounds{.low = 0},
       "epochs without a better one on the validation rows before stopping; 0: never",
       draws_batches()},
      {"seed", &O::seed, Bounds{.low = 0}, "seed of all draws"},
  };
  return all;
}

}  // namespace adacvar
