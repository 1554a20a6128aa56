#include <adacvar/learner/optimizer.hpp>

#include <adacvar/base/options.hpp>

#include "base/state_stream.hpp"
#include "learner/train_conditions.hpp"

#include <cmath>

namespace adacvar {

namespace {

constexpr std::string_view kStateKind = "ACVROPTI";
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

const std::vector<OptionSpec>& OptimizerOptions::options() {
  using O = OptimizerOptions;
  static const std::vector<OptionSpec> all{
      {"optimizer", &O::kind, kOptimizerNames,
       "how the learner steps; auto: newton for linear models of the mean or within a budget, if "
       "the learning rate is automatic, else sgd",
       takes_steps()},
      {"momentum", &O::momentum, Bounds{.low = 0, .high = 1, .high_ok = false},
       "share of the last step that is kept",
       with("optimizer", {"auto", "sgd", "newton"}) || (with("tune") && without("trees"))},
      {"nesterov", &O::nesterov, "looks ahead by its momentum",
       (with("optimizer", {"auto", "sgd", "newton"}) || (with("tune") && without("trees"))) &&
           without("momentum", {"0"})},
      {"weight-decay", &O::weight_decay, Bounds{.low = 0},
       "weights and intercepts shrink by learning rate * weight decay per step", takes_steps()},
  };
  return all;
}

Optimizer::Optimizer(std::size_t parameters, const OptimizerOptions& options)
    : options_(options), first_(parameters, 0.0) {
  check_range("momentum", options.momentum, {.low = 0, .high = 1, .high_ok = false});
  check_range("weight-decay", options.weight_decay, {.low = 0});
  if (options.kind == OptimizerKind::adam) second_.assign(parameters, 0.0);
}

void Optimizer::save(std::ostream& out) const {
  StateWriter writer(kStateKind, 1);
  writer.put(steps_);
  writer.put_array(std::span<const double>(first_));
  writer.put_array(std::span<const double>(second_));
  writer.write_to(out);
}

void Optimizer::load(std::istream& in) {
  StateReader reader(in, kStateKind, 1);
  steps_ = reader.get<std::uint64_t>();
  reader.get_array(std::span(first_));
  reader.get_array(std::span(second_));
  reader.finish();
}

void Optimizer::step(std::span<double> parameters, std::span<const double> gradient, double rate) {
  ++steps_;
  if (options_.weight_decay > 0.0) {
    for (double& value : parameters) value *= 1.0 - rate * options_.weight_decay;
  }
  if (options_.kind != OptimizerKind::adam) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      first_[i] = options_.momentum * first_[i] + gradient[i];
      const double move =
          options_.nesterov ? gradient[i] + options_.momentum * first_[i] : first_[i];
      parameters[i] -= rate * move;
    }
    return;
  }
  const double correct1 = 1.0 - std::pow(kBeta1, static_cast<double>(steps_));
  const double correct2 = 1.0 - std::pow(kBeta2, static_cast<double>(steps_));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    first_[i] += (1.0 - kBeta1) * (gradient[i] - first_[i]);
    second_[i] += (1.0 - kBeta2) * (gradient[i] * gradient[i] - second_[i]);
    parameters[i] -= rate * (first_[i] / correct1) / (std::sqrt(second_[i] / correct2) + kEpsilon);
  }
}

}  // namespace adacvar
