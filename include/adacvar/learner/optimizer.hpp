#pragma once

#include <adacvar/base/options.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <vector>

namespace adacvar {

enum class OptimizerKind : std::uint8_t {
  automatic,  ///< linear models: newton for `mean` and runs with a limit, else sgd
  sgd,        ///< v = momentum v + g; theta -= rate v (Nesterov: rate (g + momentum v))
  adam,       ///< Adam with beta 0.9, 0.999 and bias correction
  newton,     ///< as sgd, with H^-1 g for g: H is a running mean of the Hessians of batches
};

inline constexpr Names kOptimizerNames{"auto", "sgd", "adam", "newton"};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::automatic;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay =
      0.0;  ///< theta shrinks by rate * weight_decay per step, including intercepts

  static const std::vector<OptionSpec>& options();
};

/// Updates parameters by gradient descent. For `newton` the caller gives H^-1 g as the gradient.
class Optimizer {
 public:
  Optimizer(std::size_t parameters, const OptimizerOptions& options);

  void step(std::span<double> parameters, std::span<const double> gradient, double rate);

  /// Writes the state (velocity, moments); `load` resumes in an optimizer of the same size and
  /// kind.
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
