#pragma once

#include <adacvar/base/index.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// The weights of a batch's losses in the gradient step; `batch` holds the rows drawn. An
/// objective may learn from every batch; the weights of a batch depend on the batches before it.
template <class O>
concept Objective = requires(O o, std::span<const Index> batch, std::span<const double> losses,
                             std::span<double> weights) {
  o.weight(batch, losses, weights);
};

/// Every example counts 1: the mean over the sampler's distribution. With a uniform sampler the
/// plain mean, with the adaptive one Ada-CVaR.
struct MeanObjective {
  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  void save(StateWriter& /*out*/) const {}
  void load(StateReader& /*in*/) {}
};

/// Recent losses: the latest one of every row, or those of the last `draws` / alpha draws where
/// there are more rows than that. A running estimate of the distribution of losses that follows a
/// model as it learns; the share of losses beyond its alpha-quantile is alpha up to a relative
/// error of 1/sqrt(draws), and exactly where it holds every row.
///
/// Row weights: draws are taken to follow them, so that a window of draws needs no more; one that
/// holds every row weights its losses.
class LossWindow {
 public:
  /// `weights`: a weight above 0 per row; empty: every row counts 1.
  /// Throws: OptionError unless 0 < alpha <= 1 and draws >= 1.
  LossWindow(std::size_t rows, double alpha, double draws, std::span<const double> weights = {});

  void add(std::span<const Index> batch, std::span<const double> losses);
  /// True for an empty window's first batch, then each time a quarter of it is new.
  [[nodiscard]] bool is_due() const noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return draws_ == 0; }
  /// The losses, in no order that means anything. Resets `is_due`.
  [[nodiscard]] std::span<const double> losses();
  /// The weights of `losses`; empty where all count the same.
  [[nodiscard]] std::span<const double> weights() const noexcept;
  /// Number of losses in the tail, alpha times their number rounded down or up so that the mean
  /// over many calls is exact.
  [[nodiscard]] std::size_t next_tail_size();
  /// The next of numbers that fill [0, 1) evenly, to be added before rounding down.
  [[nodiscard]] double next_offset();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double alpha_;
  bool has_row_each_;            // slot = row, else slot = draw modulo size
  std::vector<double> slots_;    // NaN: not drawn yet
  std::vector<double> filled_;   // scratch of `losses`
  std::vector<double> weights_;  // of the slots; empty: all count the same
  std::vector<double> filled_weights_;
  std::uint64_t filled_count_ = 0;  // slots that are not NaN
  std::uint64_t draws_ = 0;
  std::uint64_t draws_at_fit_ = 0;
  std::uint64_t fits_ = 0;
};

/// min over l of l + E[max(0, L - l)] / alpha [RU00; CLJK20, Eq. 3]: examples above l count
/// 1/alpha, the others nothing. l is the minimiser for the losses of a window: their VaR. Examples
/// at l, as all are before the first step from equal losses, count by the tail's share of them.
class TruncObjective {
 public:
  TruncObjective(std::size_t rows, double alpha, double draws,
                 std::span<const double> row_weights = {});

  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  [[nodiscard]] double level() const noexcept { return level_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void fit();
  void fit_weighted(std::span<const double> losses, std::span<const double> weights);

  double alpha_;
  LossWindow window_;
  double level_ = 0.0;
  double share_at_level_ = 0.0;
};

/// The same with max(0, z) smoothed to T log(1 + e^(z/T)): examples count sigma((L - l)/T) / alpha.
/// T is `temperature` times the CVaR of the window's losses, so that it has no unit.
class SoftObjective {
 public:
  SoftObjective(std::size_t rows, double alpha, double draws, double temperature,
                std::span<const double> row_weights = {});

  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  [[nodiscard]] double level() const noexcept { return level_; }
  /// T, in units of the loss.
  [[nodiscard]] double width() const noexcept { return width_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void fit();

  double alpha_;
  double temperature_;
  LossWindow window_;
  double level_ = 0.0;
  double width_ = 0.0;
};

static_assert(Objective<MeanObjective> && Objective<TruncObjective> && Objective<SoftObjective>);

using AnyObjective = std::variant<MeanObjective, TruncObjective, SoftObjective>;

}  // namespace adacvar
