#include "run/best_bases.hpp"

#include "learner/resolve_defaults.hpp"
#include "learner/weighted_networks.hpp"
#include "run/blender.hpp"
#include "run/stack.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

// Found on held-out rows of small sets: as good as the defaults of `train`, in two thirds of the
// time.
constexpr std::uint64_t kTreePatience = 25;
constexpr std::size_t kFewRows = 2048;
constexpr std::uint64_t kBatchOfFewRows = 32;
constexpr std::uint64_t kEpochsOfFewRows = 150;

TrainHooks hooks_of(const FoldTask& task) { return {.stop = task.stop}; }

std::shared_ptr<const Scorer> train_trees(const FoldTask& task, Algorithm algorithm) {
  TrainOptions options{.algorithm = algorithm, .alpha = task.options.alpha, .seed = task.seed};
  options.trees.trees = true;
  options.trees.tree_patience = kTreePatience;
  if (algorithm != Algorithm::mean) options = tree_tail_options(options);
  return task.hooks.trees
      ->train(task.training.native, &task.held_out.native, task.loss, options, task.threads,
              hooks_of(task))
      .model;
}

ExactOptions exact_options(const FoldTask& task, double gamma, double ridge) {
  return {.risk = {task.options.alpha, gamma},
          .ridge = ridge,
          .tolerance = 1e-4,
          .threads = task.threads,
          .stop = task.stop};
}

double mean_loss(const Scorer& model, const Dataset& rows, const Loss& loss) {
  const std::vector<double> losses = losses_of(model, rows, loss);
  double sum = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) sum += rows.weight(i) * losses[i];
  return sum / rows.total_weight();
}

// The ridge of least held-out mean.
std::shared_ptr<const Scorer> train_linear(const FoldTask& task) {
  std::shared_ptr<const Scorer> best;
  double least = std::numeric_limits<double>::infinity();
  for (const double ridge : {1e-4, 1e-2, 1e-1}) {
    auto model = std::make_shared<LinearModel>(
        solve_exact(task.training.expanded, task.loss, exact_options(task, 1, ridge)).model);
    const double mean = mean_loss(*model, task.held_out.expanded, task.loss);
    if (mean >= least) continue;
    least = mean;
    best = std::move(model);
  }
  return best;
}

// Pure CVaR of classes is that of even odds.
std::shared_ptr<const Scorer> train_linear_tail(const FoldTask& task) {
  const double gamma = task.training.native.task == Task::regression ? 0.0 : 0.5;
  const auto* const start = dynamic_cast<const LinearModel*>(task.plain);
  return std::make_shared<LinearModel>(
      solve_exact(task.training.expanded, task.loss, exact_options(task, gamma, 1e-3), start)
          .model);
}

std::shared_ptr<const Scorer> train_linear_by_steps(const FoldTask& task) {
  const TrainOptions options = resolve_defaults(
      {.algorithm = Algorithm::mean, .alpha = task.options.alpha, .seed = task.seed},
      task.training.expanded, task.loss);
  return std::make_shared<LinearModel>(
      train(task.training.expanded, &task.held_out.expanded, task.loss, options, hooks_of(task))
          .model);
}

std::shared_ptr<const Scorer> train_network(const FoldTask& task, bool for_tail) {
  const Dataset& rows = task.training.expanded;
  const bool has_few_rows = rows.rows < kFewRows;
  TrainOptions options =
      resolve_network_defaults({.algorithm = for_tail ? Algorithm::adacvar : Algorithm::mean,
                                .alpha = task.options.alpha,
                                .epochs = has_few_rows ? kEpochsOfFewRows : 0,
                                .batch = has_few_rows ? kBatchOfFewRows : 0,
                                .seed = task.seed},
                               rows, &task.held_out.expanded, task.loss);
  const Network* start = nullptr;
  if (for_tail) {
    options = fine_tuning_options(options);
    start = dynamic_cast<const WeightedNetworks&>(*task.plain).members()[0].network.get();
  }
  // One thread: the same bits on every machine with as many.
  const NetworkOptions network{.network = kStackNetwork, .threads = 1};
  NetworkResult found = task.hooks.networks->train(rows, &task.held_out.expanded, task.loss,
                                                   options, network, hooks_of(task), start);
  using Members = std::vector<WeightedNetworks::Member>;
  return std::make_shared<WeightedNetworks>(Members{{std::move(found.model)}});
}

// Seconds rather than minutes, as for certificates.
bool is_solved_exactly(const Dataset& expanded, const Loss& loss) {
  const double parameters =
      static_cast<double>(loss.outputs(expanded.class_names.size()) * (expanded.features + 1));
  const double rows = std::max(static_cast<double>(expanded.rows), 10 * parameters);
  return parameters <= static_cast<double>(kMostParameters) &&
         rows * parameters * parameters <= 1e9;
}

}  // namespace

std::vector<BaseKind> base_kinds(const Dataset& native, const Dataset& expanded, const Loss& loss,
                                 const BestHooks& hooks) {
  std::vector<BaseKind> kinds;
  if (hooks.trees != nullptr && native.image.size() == 0) {
    kinds.push_back({"trees", false, false,
                     [](const FoldTask& task) { return train_trees(task, Algorithm::mean); }});
    kinds.push_back({"trees for the tail", false, false,
                     [](const FoldTask& task) { return train_trees(task, Algorithm::adacvar); }});
  }
  if (is_solved_exactly(expanded, loss)) {
    kinds.push_back({"linear", true, false, train_linear});
    kinds.push_back({"linear for the tail", true, true, train_linear_tail});
  } else {
    kinds.push_back({"linear", true, false, train_linear_by_steps});
  }
  if (hooks.networks != nullptr && !expanded.is_sparse()) {
    kinds.push_back(
        {"network", true, false, [](const FoldTask& task) { return train_network(task, false); }});
    kinds.push_back({"network for the tail", true, true,
                     [](const FoldTask& task) { return train_network(task, true); }});
  }
  return kinds;
}

}  // namespace adacvar
