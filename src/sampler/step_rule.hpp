#pragma once

#include <adacvar/sampler/adaptive_sampler.hpp>

#include <span>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// Turns the losses of a batch into steps of the log-weights: estimator, scale and eta schedule.
class StepRule {
 public:
  StepRule(std::size_t size, const AdaptiveSamplerOptions& options);

  /// steps[j] = eta g_j / (q_j + epsilon/N_j). Updates the running statistics. N_j is sizes[j],
  /// with row weights W / w_j; empty: the number of rows.
  void steps(std::span<const double> losses, std::span<const double> probabilities,
             std::span<const double> sizes, std::span<double> steps);

  [[nodiscard]] double baseline() const noexcept { return baseline_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] double eta() const noexcept { return eta_after(1, 0.0); }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  template <class Sizes>
  void steps_with(std::span<const double> losses, std::span<const double> probabilities,
                  Sizes sizes, std::span<double> steps);
  template <class Sizes>
  void begin(std::span<const double> losses, std::span<const double> probabilities, Sizes sizes);
  template <class Sizes>
  void follow(std::span<const double> losses, std::span<const double> probabilities, Sizes sizes);
  template <class Sizes>
  [[nodiscard]] double sum_of_squares(std::span<const double> losses,
                                      std::span<const double> probabilities,
                                      Sizes sizes) const noexcept;
  [[nodiscard]] double eta_after(std::size_t draws, double squares) const noexcept;

  double alpha_;
  double size_;
  Estimator estimator_;
  EtaSchedule schedule_;
  bool running_scale_;
  double base_eta_;
  double epsilon_;

  std::uint64_t batches_ = 0;
  std::uint64_t draws_ = 0;
  double squares_ = 0.0;  // sum of g^2 / (N q)
  double baseline_ = 0.0;
  double scale_ = 1.0;

  std::vector<double> above_;  // scratch of `follow`
};

}  // namespace adacvar
