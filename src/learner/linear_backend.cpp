#include "learner/linear_backend.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

// Of the rows with their intercept.
std::vector<double> squared_norms(const Dataset& data) {
  std::vector<double> norms(data.rows, 1.0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const bool sparse = data.is_sparse();
    const std::size_t begin = sparse ? data.start[i] : i * data.features;
    const std::size_t end = sparse ? data.start[i + 1] : begin + data.features;
    const float* values = sparse ? data.value.data() : data.dense.data();
    for (std::size_t e = begin; e < end; ++e) {
      norms[i] += static_cast<double>(values[e]) * static_cast<double>(values[e]);
    }
  }
  return norms;
}

// Intercepts stand last in every output's parameters and are left out.
template <class Function>
void for_each_weight(const LinearModel& model, Function function) {
  const std::size_t stride = model.features() + 1;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    if (i % stride != model.features()) function(i);
  }
}

}  // namespace

LinearBackend::LinearBackend(const Dataset& data, const Loss& loss, const TrainOptions& options)
    : data_(data),
      loss_(loss),
      options_(options),
      model_(data.features, loss.outputs(data.class_names.size())),
      optimizer_(model_.parameters().size(), options.optimizer),
      gradient_(model_.parameters().size()),
      squared_norms_(squared_norms(data)) {}

void LinearBackend::losses(std::span<const Index> batch, std::span<double> losses) {
  targets_.resize(batch.size());
  slopes_.resize(batch.size() * model_.outputs());
  for (std::size_t b = 0; b < batch.size(); ++b) {
    targets_[b] = (data_.targets[batch[b]] - data_.target_mean) / data_.target_sd;
  }
  model_.scores(data_, batch, slopes_);
  loss_.evaluate(slopes_, targets_, losses, slopes_);
}

void LinearBackend::step(std::span<const Index> batch, std::span<const double> weights,
                         double rate) {
  const double share = 1.0 / static_cast<double>(batch.size());
  for (std::size_t e = 0; e < slopes_.size(); ++e) {
    slopes_[e] *= weights[e / model_.outputs()] * share;
  }
  std::ranges::fill(gradient_, 0.0);
  model_.add_gradient(data_, batch, slopes_, gradient_);
  if (options_.ridge > 0.0) add_ridge();
  shorten(batch, weights, rate);
  optimizer_.step(model_.parameters(), gradient_, rate);
  if (options_.radius > 0.0) project();
}

// Gradient steps are stable while rate times the largest curvature stays below 2, which the trace
// bounds. Heavy rows, and the weights 1/alpha of trunc and soft, would else blow a run up. The
// gradient is shortened, not the rate: momentum would carry the long one on to later steps.
void LinearBackend::shorten(std::span<const Index> batch, std::span<const double> weights,
                            double rate) {
  if (options_.optimizer.kind != OptimizerKind::sgd) return;
  double trace = 0.0;
  for (std::size_t b = 0; b < batch.size(); ++b) trace += weights[b] * squared_norms_[batch[b]];
  trace = trace * loss_.curvature() / static_cast<double>(batch.size()) + options_.ridge;
  // Momentum m adds up to 1 / (1 - m) such steps.
  const double longest = 2.0 * (1.0 - options_.optimizer.momentum);
  if (rate * trace <= longest) return;
  for (double& value : gradient_) value *= longest / (rate * trace);
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
