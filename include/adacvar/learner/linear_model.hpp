#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/scorer.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace adacvar {

/// Linear model: score_o(x) = w_o'x + b_o for one or more outputs, plus the offset of the row, if
/// the data has offsets. Parameters are stored output by
/// output, each with its intercept last.
class LinearModel final : public Scorer {
 public:
  LinearModel() = default;
  LinearModel(std::size_t features, std::size_t outputs);

  [[nodiscard]] std::size_t features() const noexcept { return features_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  [[nodiscard]] std::span<double> parameters() noexcept { return parameters_; }
  [[nodiscard]] std::span<const double> parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const double> weights(std::size_t output) const {
    return std::span(parameters_).subspan(output * (features_ + 1), features_);
  }
  [[nodiscard]] double intercept(std::size_t output) const {
    return parameters_[output * (features_ + 1) + features_];
  }
  [[nodiscard]] bool is_finite() const;
  /// Returns ridge/2 |weights|^2, without intercepts.
  [[nodiscard]] double penalty(double ridge) const;

  /// Cost: O(entries of those rows).
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override;

  /// Adds sum over the batch of derivatives[b, o] * (x_b, 1) to `gradient`, laid out as the
  /// parameters.
  void add_gradient(const Dataset& data, std::span<const Index> rows,
                    std::span<const double> derivatives, std::span<double> gradient) const;

 private:
  std::size_t features_ = 0;
  std::size_t outputs_ = 0;
  std::vector<double> parameters_;
};

}  // namespace adacvar
