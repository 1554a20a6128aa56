#include "learner/linear_backend.hpp"

#include "learner/checkpoint.hpp"
#include "learner/row_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

double squared_norm(const Dataset& data, std::size_t row) {
  const bool sparse = data.is_sparse();
  const std::size_t begin = sparse ? data.start[row] : row * data.features;
  const std::size_t end = sparse ? data.start[row + 1] : begin + data.features;
  if (sparse && data.value.empty()) return 1.0 + static_cast<double>(end - begin);
  const float* values = sparse ? data.value.data() : data.dense.data();
  double norm = 1.0;  // the intercept's
  for (std::size_t e = begin; e < end; ++e) {
    norm += static_cast<double>(values[e]) * static_cast<double>(values[e]);
  }
  return norm;
}

// The derivative of a loss with a kink jumps by about 1 there: as steep as a curvature of 1 over a
// unit of the score, which is a standard deviation of the target, or the margin.
double curvature_of(const Loss& loss) { return loss.curvature() > 0 ? loss.curvature() : 1.0; }

// Intercepts, the last of every output's parameters, are not penalised.
template <class Function>
void for_each_weight(const LinearModel& model, Function function) {
  const std::size_t stride = model.features() + 1;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    if (i % stride != model.features()) function(i);
  }
}

}  // namespace

LinearBackend::LinearBackend(const Dataset& data, const Loss& loss, const TrainOptions& options,
                             std::size_t rows)
    : data_(data),
      loss_(loss),
      options_(options),
      model_(data.features, loss.outputs(data.class_names.size())),
      optimizer_(model_.parameters().size(), options.optimizer),
      curvature_(curvature_of(loss)),
      limit_(options.optimizer.momentum),
      gradient_(model_.parameters().size()),
      examples_(data.rows) {
  if (options.optimizer.kind == OptimizerKind::newton) {
    hessian_.emplace(data.features + 1, (rows + options.batch - 1) / options.batch, options.ridge);
  }
  // Rows are read at random; with small pages each read also waits for an address translation.
  collapse_huge_pages(data.dense.data(), data.dense.size() * sizeof(float));
  take_new_rows();
}

void LinearBackend::take_new_rows() {
  for (std::size_t i = 0; i < data_.rows; ++i) {
    examples_[i] = {.target = data_.targets[i], .squared_norm = squared_norm(data_, i)};
  }
}

void LinearBackend::save(std::ostream& out) const {
  save_model_state(model_, out);
  optimizer_.save(out);
  limit_.save(out);
  if (hessian_) hessian_->save(out);
}

void LinearBackend::load(std::istream& in) {
  load_model_state(model_, in);
  optimizer_.load(in);
  limit_.load(in);
  if (hessian_) hessian_->load(in);
}

void LinearBackend::losses(std::span<const Index> batch, std::span<double> losses) {
  targets_.resize(batch.size());
  derivatives_.resize(batch.size() * model_.outputs());
  model_.scores(data_, batch, derivatives_);
  for (std::size_t b = 0; b < batch.size(); ++b) targets_[b] = examples_[batch[b]].target;
  loss_.evaluate(derivatives_, targets_, losses, derivatives_);
}

void LinearBackend::step(std::span<const Index> batch, std::span<const double> weights, double rate,
                         std::span<const Index> next) {
  fetch_examples(next);
  if (hessian_) find_curvatures(weights);
  const double share = 1.0 / static_cast<double>(batch.size());
  const std::size_t outputs = model_.outputs();
  if (outputs == 1) {
    for (std::size_t b = 0; b < batch.size(); ++b) derivatives_[b] *= weights[b] * share;
  } else {
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const double factor = weights[b] * share;
      for (std::size_t o = 0; o < outputs; ++o) derivatives_[b * outputs + o] *= factor;
    }
  }
  std::ranges::fill(gradient_, 0.0);
  add_gradient(batch, next);
  if (options_.ridge > 0.0) add_ridge();
  limit_step(batch, weights, rate);
  if (hessian_) {
    hessian_->observe(data_, batch, curvatures_);
    hessian_->solve(gradient_);
  }
  optimizer_.step(model_.parameters(), gradient_, rate);
  if (options_.radius > 0.0) project();
}

void LinearBackend::fetch_examples(std::span<const Index> batch) const {
  // To the second cache, like their rows: see add_rows.
  for (const Index i : batch) __builtin_prefetch(&examples_[i], 0, 2);
}

void LinearBackend::add_gradient(std::span<const Index> batch, std::span<const Index> next) {
  const std::size_t outputs = model_.outputs();
  for (std::size_t o = 0; o < outputs; ++o) {
    add_rows(data_, batch, derivatives_.data() + o, outputs,
             gradient_.data() + o * (model_.features() + 1), next);
    next = {};  // fetched by one pass
  }
}

// Second derivatives of the losses, summed over the outputs, from the first: those of a logistic
// loss and of each output of a softmax are d = p or p - 1, and |d| (1 - |d|) = p (1 - p). Rows that
// weigh less than 1 count 1: they may return to the tail.
void LinearBackend::find_curvatures(std::span<const double> weights) {
  const bool is_constant = !loss_.has_probabilities();
  const std::size_t outputs = model_.outputs();
  curvatures_.assign(weights.size(), is_constant ? curvature_ : 0.0);
  for (std::size_t b = 0; b < weights.size(); ++b) {
    for (std::size_t o = 0; !is_constant && o < outputs; ++o) {
      const double size = std::abs(derivatives_[b * outputs + o]);
      curvatures_[b] += size * (1.0 - size);
    }
    curvatures_[b] *= std::max(1.0, weights[b]);
  }
}

// The gradient is scaled, not the rate: momentum would carry the long step into later ones.
void LinearBackend::limit_step(std::span<const Index> batch, std::span<const double> weights,
                               double rate) {
  if (options_.optimizer.kind != OptimizerKind::sgd) return;
  double trace = 0.0;
  for (std::size_t b = 0; b < batch.size(); ++b)
    trace += weights[b] * examples_[batch[b]].squared_norm;
  trace = trace * curvature_ / static_cast<double>(batch.size()) + options_.ridge;
  // The limit is on the rate that the schedule starts from, so that it still decays below it.
  const double factor = limit_.factor(*options_.learning_rate);
  limit_.observe(trace);
  const double scale = factor * limit_.guard(rate * factor, trace);
  if (scale == 1.0) return;
  for (double& value : gradient_) value *= scale;
}

void LinearBackend::add_ridge() {
  const auto parameters = model_.parameters();
  for_each_weight(model_, [&](std::size_t i) { gradient_[i] += options_.ridge * parameters[i]; });
}

void LinearBackend::project() {
  double squares = 0.0;
  const auto parameters = model_.parameters();
  for_each_weight(model_, [&](std::size_t i) { squares += parameters[i] * parameters[i]; });
  const double norm = std::sqrt(squares);
  if (norm <= options_.radius) return;
  for_each_weight(model_, [&](std::size_t i) { parameters[i] *= options_.radius / norm; });
}

}  // namespace adacvar
