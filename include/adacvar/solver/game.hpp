#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/distribution_summary.hpp>
#include <adacvar/solver/certificate.hpp>

#include <cstdint>
#include <vector>

namespace adacvar {

/// Where the game between sampler and learner stands after an epoch. Means are over the epochs
/// since epoch 1, 2, 4, 8, ... began, taken at their ends; losses are in the learner's units.
struct GameRecord {
  std::uint64_t epoch = 0;
  Certificate certificate;  ///< of the mean model, by the mean distribution
  double value = 0;         ///< mean of q_t'L(theta_t)
  double sampler_regret =
      0;  ///< SR/T: the most that a fixed distribution would have gained over it
  double learner_regret = 0;         ///< LR/T: the most that a fixed model would have saved
  DistributionSummary distribution;  ///< of the present distribution and losses
};

/// Follows an Ada-CVaR run epoch by epoch: [CLJK20, Sec. 4]. For convex losses SR/T + LR/T bounds
/// how far the mean model is from the least CVaR; the certificate measures that distance.
/// Cost of an epoch: a pass over the rows and `certify`.
class GameTracker {
 public:
  /// Keeps references to the data and the loss.
  GameTracker(const Dataset& data, const Loss& loss, const CertifyOptions& options);

  /// Throws: OptionError when the view has no adaptive sampler, or as `certify`.
  GameRecord add(const EpochView& view);

 private:
  void restart();

  const Dataset& data_;
  const Loss& loss_;
  CertifyOptions options_;
  std::uint64_t count_ = 0;
  double value_ = 0;
  std::vector<double> mean_losses_;
  std::vector<double> mean_distribution_;
};

}  // namespace adacvar
