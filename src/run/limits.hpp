#pragma once

#include "data/prepare_data.hpp"
#include "run/outcome.hpp"

#include <adacvar/learner/loss.hpp>
#include <adacvar/run/run.hpp>
#include <adacvar/solver/frontier.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

namespace adacvar {

/// The limit of a run on mean or CVaR. What it refers to, the mean loss of plain training, is found
/// once: by the exact solver where that is quick, else by training. Losses are in the learner's
/// units unless stated otherwise. May be used by several threads.
class Limits {
 public:
  struct Setup {
    const PreparedData& data;
    const Loss& loss;
    const RunOptions& options;
    BudgetOptions budget;
    bool uses_exact = true;  ///< whether the exact solver is quick
    const std::atomic<bool>* stop = nullptr;
    std::function<Outcome()> train_plain;  ///< trains on the mean; unless `uses_exact`
  };

  explicit Limits(Setup setup);

  /// Throws: OptionError, with the least possible, if the exact solver proves that no linear model
  /// is within a limit on the CVaR.
  [[nodiscard]] RiskLimit limit();
  /// The limit is judged on the validation rows: asked for, or because tuning decides there.
  [[nodiscard]] bool is_on_validation() const;
  /// Whether a model with these losses of the rows that judge, in the user's units, is within.
  [[nodiscard]] bool contains(const TailRisk& risk);

  /// The exact model under the limit. `options.gamma` becomes that of its optimality.
  [[nodiscard]] Outcome solve(TrainOptions options);

  /// Moves a linear model that exceeds a mean budget on the training rows towards plain training
  /// until it is within: gamma follows estimates, and the mean is convex.
  void enforce(Outcome& outcome);

  /// Bounds of the least risk under the limit, with the risk of `trained` as the upper one; none
  /// where the exact solver is not quick or the limit is not on the training rows.
  [[nodiscard]] std::optional<Certificate> certify(const Outcome& trained,
                                                   const TailRisk& training);

  /// The limit and what the model attains, in the user's units.
  [[nodiscard]] BudgetOutcome describe(const ScoredSets& scored);

 private:
  [[nodiscard]] Frontier& frontier();
  [[nodiscard]] const LimitedResult& exact();
  [[nodiscard]] double plain_mean();
  [[nodiscard]] RiskLimit find_limit();
  void choose_on_validation(Outcome& outcome);
  [[nodiscard]] bool is_stopped() const { return setup_.stop != nullptr && *setup_.stop; }

  Setup setup_;
  double unit_;
  std::recursive_mutex mutex_;
  std::optional<Frontier> frontier_;
  std::optional<RiskLimit> limit_;
  std::optional<LimitedResult> exact_;
  std::optional<LinearModel> plain_;  ///< plain training of a linear model
  double least_ = 0;
  bool least_interrupted_ = false;
};

}  // namespace adacvar
