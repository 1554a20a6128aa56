#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/learner/train_conditions.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <vector>

namespace adacvar {

enum class OptimizerKind : std::uint8_t {
  sgd,   ///< v = momentum v + g; theta -= rate v (Nesterov: rate (g + momentum v))
  adam,  ///< Adam with beta 0.9, 0.999 and bias correction
};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0.0;  ///< theta shrinks by rate * weight_decay a step, intercepts too

  static void describe(auto&& option) {
    using O = OptimizerOptions;
    option("optimizer", &O::kind, Names{"sgd", "adam"}, "how the learner steps", takes_steps());
    option("momentum", &O::momentum, Bounds{.low = 0, .high = 1, .high_ok = false},
           "share of the last step that is kept", with("optimizer", {"sgd"}) || with("tune"));
    option("nesterov", &O::nesterov, "looks ahead by its momentum",
           (with("optimizer", {"sgd"}) || with("tune")) && without("momentum", {"0"}));
    option("weight-decay", &O::weight_decay, Bounds{.low = 0},
           "weights shrink by learning rate * weight decay a step, intercepts too", takes_steps());
  }
};

/// Moves parameters against a gradient.
class Optimizer {
 public:
  Optimizer(std::size_t parameters, const OptimizerOptions& options);

  void step(std::span<double> parameters, std::span<const double> gradient, double rate);

  /// Writes what steps have left behind; `load` of an optimizer of the same size and kind goes on.
  /// Throws: DataError when the stream fails, is truncated, altered or of another size.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  OptimizerOptions options_;
  std::vector<double> first_;   // velocity, or running mean of the gradient
  std::vector<double> second_;  // Adam: running mean of its squares
  std::uint64_t steps_ = 0;
};

}  // namespace adacvar
