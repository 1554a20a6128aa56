#pragma once

#include "data/prepare_data.hpp"
#include "run/blend.hpp"
#include "run/outcome.hpp"

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/run/run.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace adacvar {

/// Part of a run that trains twice.
struct Stage {
  std::uint64_t before = 0;  ///< epochs done
  bool is_tail = false;
  const Network* start = nullptr;  ///< weights to start from
};

/// The checkpoint of training for the tail, beside that of plain training.
[[nodiscard]] inline std::filesystem::path tail_checkpoint(std::filesystem::path checkpoint) {
  return checkpoint += ".tail";
}

/// Joins plain training of a network with training for its tail: by fine-tuning, whose weights are
/// interpolated, or by a second network, whose scores are mixed. The validation rows choose.
class NetworkBlender {
 public:
  /// Returns none if networks of these options are not blended. Keeps references. Throws:
  /// OptionError if they must be and there are too few validation rows.
  [[nodiscard]] static std::optional<NetworkBlender> make(const PreparedData& data,
                                                          const Loss& loss,
                                                          const RunOptions& options);

  /// Options of training for the tail, for an algorithm with these.
  [[nodiscard]] TrainOptions tail_options(TrainOptions options) const;

  using Train = std::function<Outcome(const TrainOptions&, const Stage&)>;
  /// Trains for the tail after `plain`, which may be calibrated, and chooses. For the algorithm
  /// mean nothing is trained: its scores get the factor of least CVaR within the budget.
  [[nodiscard]] Outcome blend(const Outcome& plain, const TrainOptions& options,
                              const Train& train) const;

  /// The budget of a blend, in the user's units.
  [[nodiscard]] BudgetOutcome budget_of(const Blend& blend) const;
  /// Whether scores are multiplied by a factor.
  [[nodiscard]] bool has_factor() const noexcept { return rule_.has_factor; }

 private:
  using SharedNetwork = std::shared_ptr<const WeightedNetworks>;

  NetworkBlender(const PreparedData& data, const Loss& loss, const RunOptions& options,
                 const BlendRule& rule)
      : data_(data), loss_(loss), options_(options), rule_(rule) {}

  [[nodiscard]] SharedNetwork add_tail(const TrainOptions& options, const Train& train,
                                       Outcome& outcome) const;
  [[nodiscard]] SharedNetwork network_at(const SharedNetwork& plain, const SharedNetwork& tail,
                                         double share) const;
  void choose(const SharedNetwork& tail, Outcome& outcome) const;

  const PreparedData& data_;
  const Loss& loss_;
  const RunOptions& options_;
  BlendRule rule_;
};

}  // namespace adacvar
