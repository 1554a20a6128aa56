#include "learner/train_sharded.hpp"

#include <adacvar/base/error.hpp>

#include "learner/resolve_defaults.hpp"
#include "learner/sharded_source.hpp"
#include "learner/train_linear.hpp"

namespace adacvar {

namespace {

void check_supported(const TrainOptions& options, const TrainHooks& hooks) {
  if (options.learner == Learner::btl) {
    throw OptionError("learner = btl is not supported on several ranks: use learner = steps");
  }
  if (hooks.watch) {
    throw OptionError("certificates of the steps are not supported on several ranks");
  }
}

}  // namespace

TrainResult train_sharded(Communicator& ranks, const ShardedRows& training,
                          const ShardedRows* validation, const Loss& loss,
                          const TrainOptions& options, const TrainHooks& hooks) {
  check_supported(options, hooks);
  ShardedSource rows(ranks, training, validation, loss);
  const Dataset shape = rows.shape();
  Dataset validation_shape;
  validation_shape.rows = rows.has_validation() ? 1 : 0;
  check_training(shape, validation != nullptr ? &validation_shape : nullptr, loss, options);
  const TrainOptions chosen = resolve_defaults(options, shape, loss);
  LinearBackend backend(rows.batch_rows(chosen.batch), loss, chosen, rows.rows());
  return train_linear(rows, loss, chosen, hooks, backend);
}

}  // namespace adacvar
