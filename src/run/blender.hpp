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

inline constexpr double kFineTuneShare = 0.2;  // of the epochs

/// Options of training trees for the tail.
[[nodiscard]] TrainOptions tree_tail_options(TrainOptions options);
/// Options of fine-tuning a network for the tail; those given are resolved.
[[nodiscard]] TrainOptions fine_tuning_options(TrainOptions options, double share = kFineTuneShare);

/// Joins plain training with training for the tail: of a network by fine-tuning, whose weights are
/// interpolated, or by a second network, whose scores are mixed; of trees by more trees, likewise
/// mixed. The validation rows choose.
class Blender {
 public:
  using SharedModel = std::shared_ptr<const NonlinearModel>;

  /// Returns none if models of these options are not blended. With too few validation rows trees
  /// are those of plain training. Keeps references. Throws: OptionError if networks must be
  /// blended and there are too few validation rows.
  [[nodiscard]] static std::optional<Blender> make(const PreparedData& data, const Loss& loss,
                                                   const RunOptions& options);

  /// Options of training for the tail, for an algorithm with these.
  [[nodiscard]] TrainOptions tail_options(TrainOptions options) const;

  using Train = std::function<Outcome(const TrainOptions&, const Stage&)>;
  /// Trains for the tail after `plain`, which may be calibrated, and chooses. For the algorithm
  /// mean nothing is trained: its scores get the factor of least CVaR within the budget.
  [[nodiscard]] Outcome blend(const Outcome& plain, const TrainOptions& options,
                              const Train& train) const;

  /// Returns the model with this share of the one trained for the tail.
  [[nodiscard]] SharedModel model_at(const SharedModel& plain, const SharedModel& tail,
                                     double share) const;
  /// The budget of a blend, in the user's units.
  [[nodiscard]] BudgetOutcome budget_of(const Blend& blend) const;
  /// Whether scores are multiplied by a factor.
  [[nodiscard]] bool has_factor() const noexcept { return rule_.has_factor; }

 private:
  Blender(const PreparedData& data, const Loss& loss, const RunOptions& options,
          const BlendRule& rule, bool can_choose)
      : data_(data),
        loss_(loss),
        options_(options),
        rule_(rule),
        mixes_(options.blend.mix || options.train.trees.trees),
        can_choose_(can_choose) {}

  [[nodiscard]] SharedModel add_tail(const TrainOptions& options, const Train& train,
                                     Outcome& outcome) const;
  void choose(const SharedModel& tail, Outcome& outcome) const;

  const PreparedData& data_;
  const Loss& loss_;
  const RunOptions& options_;
  BlendRule rule_;
  bool mixes_;       // scores, not weights
  bool can_choose_;  // there are enough validation rows
};

}  // namespace adacvar
