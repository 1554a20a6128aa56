#pragma once

#include <adacvar/learner/nonlinear_model.hpp>
#include <adacvar/learner/train.hpp>

#include <memory>

namespace adacvar {

using TreeResult = TrainingResult<std::shared_ptr<const NonlinearModel>>;

/// Trains trees; passed to the functions that need it. adacvar::trees implements it with XGBoost.
class TreeMaker {
 public:
  TreeMaker() = default;
  TreeMaker(const TreeMaker&) = delete;
  TreeMaker& operator=(const TreeMaker&) = delete;
  TreeMaker(TreeMaker&&) = delete;
  TreeMaker& operator=(TreeMaker&&) = delete;
  virtual ~TreeMaker() = default;

  /// Trains on features as trees take them (Dataset::levels), or any others, for the mean
  /// (Algorithm::mean) or for (1 - gamma) CVaR + gamma mean, the CVaR smoothed. An epoch is a
  /// round. The rounds are chosen on the validation rows, if there are any: by their mean loss; of
  /// numbers trained for the tail by their smoothed CVaR. The same result on any number of threads.
  /// Throws: OptionError for an option out of range or images; DataError for a checkpoint that is
  /// damaged or of another run.
  [[nodiscard]] virtual TreeResult train(const Dataset& training, const Dataset* validation,
                                         const Loss& loss, const TrainOptions& options,
                                         unsigned threads, const TrainHooks& hooks) const = 0;
};

/// Returns the maker. Throws: OptionError, which says what to install, for null.
[[nodiscard]] const TreeMaker& require_trees(const TreeMaker* trees);

}  // namespace adacvar
