#pragma once

#include <adacvar/learner/scorer.hpp>

#include <cstdint>
#include <memory>

namespace adacvar {

/// A trained model that is not linear: networks, trees. Immutable.
class NonlinearModel : public Scorer {
 public:
  /// Returns the model whose scores are `factor` times these. Precondition: factor > 0.
  [[nodiscard]] virtual std::shared_ptr<const NonlinearModel> scaled(double factor) const = 0;
  /// Number of parameters: weights of networks, leaves of trees.
  [[nodiscard]] virtual std::uint64_t parameter_count() const = 0;
  /// Euclidean norm of the parameters.
  [[nodiscard]] virtual double norm() const = 0;
};

}  // namespace adacvar
