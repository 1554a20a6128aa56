#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/risk/risk.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace adacvar {

class StateReader;
class StateWriter;

/// Computes the weights of a batch's losses in the gradient step; `batch` has the rows drawn. An
/// objective may learn from every batch; the weights of a batch depend on earlier batches.
template <class O>
concept Objective = requires(O o, std::span<const Index> batch, std::span<const double> losses,
                             std::span<double> weights) {
  o.weight(batch, losses, weights);
  o.set_gamma(double{});
};

/// Weight 1 for every example: the mean over the sampler's distribution. With a uniform sampler it
/// is the plain mean, with the adaptive one Ada-CVaR.
struct MeanObjective {
  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  void set_gamma(double /*gamma*/) {}  // the sampler's
  void save(StateWriter& /*out*/) const {}
  void load(StateReader& /*in*/) {}
};

/// Recent losses: the latest one of every row, or those of the last `draws` / alpha draws if there
/// are more rows than that. A running estimate of the distribution of losses that follows a model
/// as it learns; the share of losses beyond its alpha-quantile is alpha up to a relative error of
/// 1/sqrt(draws), and exactly alpha if the window has every row.
///
/// Row weights: draws are assumed to follow them, so a window of draws needs no weights; a window
/// of all rows weights their losses.
class LossWindow {
 public:
  /// `weights` are the row weights, above 0; empty: every row counts 1.
  /// Throws: OptionError unless 0 < alpha <= 1 and draws >= 1.
  LossWindow(std::size_t rows, double alpha, double draws, std::span<const double> weights = {});

  void add(std::span<const Index> batch, std::span<const double> losses);
  /// True after the first batch, then each time a quarter of the window is new.
  [[nodiscard]] bool is_due() const noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return draws_ == 0; }
  /// Returns the losses, in arbitrary order. Resets `is_due`.
  [[nodiscard]] std::span<const double> losses();
  /// Returns the weights of `losses`; empty: all count the same.
  [[nodiscard]] std::span<const double> weights() const noexcept;
  /// Returns the number of losses in the tail: alpha times their number, rounded down or up so that
  /// the mean over many calls is exact.
  [[nodiscard]] std::size_t next_tail_size();
  /// Returns the next of a sequence that fills [0, 1) evenly, to add before rounding down.
  [[nodiscard]] double next_offset();

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double alpha_;
  bool has_row_each_;            // slot = row, else slot = draw modulo size
  std::vector<double> slots_;    // NaN: not drawn yet
  std::vector<double> filled_;   // scratch of `losses`
  std::vector<double> weights_;  // weights of the slots; empty: all count the same
  std::vector<double> filled_weights_;
  std::uint64_t filled_count_ = 0;  // slots that are not NaN
  std::uint64_t draws_ = 0;
  std::uint64_t draws_at_fit_ = 0;
  std::uint64_t fits_ = 0;
};

/// Truncated loss: min over l of l + E[max(0, L - l)] / alpha [RU00; CLJK20, Eq. 3]. Examples above
/// l have the weight 1/alpha, the others 0; with gamma, (1 - gamma) times that plus gamma. l is the
/// minimiser for the losses of a window: their VaR. Examples at l, as all are before the first step
/// if losses are equal, are weighted by the tail's share of them.
class TruncObjective {
 public:
  TruncObjective(std::size_t rows, const Risk& risk, double draws,
                 std::span<const double> row_weights = {});

  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  /// Sets gamma from the next batch on; it is not part of the saved state.
  void set_gamma(double gamma) { risk_.gamma = gamma; }
  [[nodiscard]] double level() const noexcept { return level_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void fit();
  void fit_weighted(std::span<const double> losses, std::span<const double> weights);

  Risk risk_;
  LossWindow window_;
  double level_ = 0.0;
  double share_at_level_ = 0.0;
};

/// Truncated loss with max(0, z) smoothed to T log(1 + e^(z/T)): examples have the weight sigma((L
/// - l)/T) / alpha, with gamma as above. T is `temperature`, which has no unit, times the CVaR of
/// the window's losses.
class SoftObjective {
 public:
  SoftObjective(std::size_t rows, const Risk& risk, double draws, double temperature,
                std::span<const double> row_weights = {});

  void weight(std::span<const Index> batch, std::span<const double> losses,
              std::span<double> weights);
  /// Sets gamma from the next batch on; it is not part of the saved state.
  void set_gamma(double gamma) { risk_.gamma = gamma; }
  [[nodiscard]] double level() const noexcept { return level_; }
  /// Returns T, in units of the loss.
  [[nodiscard]] double width() const noexcept { return width_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void fit();

  Risk risk_;
  double temperature_;
  LossWindow window_;
  double level_ = 0.0;
  double width_ = 0.0;
};

static_assert(Objective<MeanObjective> && Objective<TruncObjective> && Objective<SoftObjective>);

using AnyObjective = std::variant<MeanObjective, TruncObjective, SoftObjective>;

}  // namespace adacvar
