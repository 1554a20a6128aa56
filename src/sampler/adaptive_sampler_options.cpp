#include <adacvar/sampler/adaptive_sampler.hpp>

namespace adacvar {

const std::vector<OptionSpec>& AdaptiveSamplerOptions::options() {
  using O = AdaptiveSamplerOptions;
  static const Condition plays = with("algorithm", {"adacvar"}) && without("trees");
  static const Condition draws = plays && without("information", {"full"});
  static const std::vector<OptionSpec> all{
      {"alpha", &O::alpha, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail share: CVaR is the mean of the worst alpha of the losses"},
      {"estimator", &O::estimator, Names{"gain", "loss", "centred"},
       "how a loss changes the weight of its example", draws},
      {"eta", &O::eta, Bounds{.low = 0},
       "step of the log-weights; automatic: eta-scale * sqrt(log N / (N T))", plays},
      {"eta-scale", &O::eta_scale, Bounds{.low = 0},
       "factor on the automatic eta; automatic: 1; in training 3, for classes 20",
       with("eta", {"auto"}) && draws},
      {"schedule", &O::schedule, Names{"constant", "inverse-sqrt", "adagrad"},
       "how eta changes over time", draws},
      {"horizon", &O::horizon, Bounds{.low = 0},
       "number of draws T in the automatic eta; 0: 50 epochs",
       with("eta", {"auto"}) && with("schedule", {"constant"})},
      {"gamma", &O::gamma, Bounds{.low = 0, .high = 1},
       "share of the uniform distribution in every draw, between CVaR (0) and mean (1)", plays},
      {"epsilon", &O::epsilon, Bounds{.low = 0},
       "implicit exploration: steps are divided by q + epsilon/N", draws},
      {"scale", &O::scale, Names{"automatic", "fixed", "running"}, "divisor of the losses", draws},
      {"loss-scale", &O::loss_scale, Bounds{.low = 0, .low_ok = false},
       "value of the fixed divisor",
       with("scale", {"fixed"}) ||
           (with("scale", {"automatic"}) && with("estimator", {"gain", "loss"}))},
      {"marginals", &O::marginals, Names{"matched", "exact"}, "marginals of the k-DPP", draws},
      {"batches", &O::batches, Names{"iid", "subset"}, "how a batch is drawn", draws},
  };
  return all;
}

}  // namespace adacvar
