#pragma once

#include "base/parallel.hpp"

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/risk.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

/// What is minimised: risk + ridge/2 |weights|^2.
struct RiskSettings {
  Risk risk = {};
  double ridge = 0;
  std::span<const double> ridge_factors = {};  ///< of the features, above 0; empty: 1
  unsigned threads = 0;
};

/// The mean loss of all rows near a point.
struct MeanReference {
  Eigen::VectorXd theta = {};
  double mean = 0;
  Eigen::VectorXd gradient = {};
  Eigen::MatrixXd hessian = {};
};

/// A linear model's losses on all rows, with the derivatives that solvers ask for. Parameters are a
/// vector laid out as those of LinearModel. Sums are made in parts that do not depend on the number
/// of threads.
///
/// The risk is the maximum of q'L over the distributions q with low(i) <= q_i <= low(i) + cap(i).
class Problem {
 public:
  /// Keeps a reference to `data`. `units`: of the features, where the data is not in the user's;
  /// the ridge is on the weights in his. Throws: OptionError when there are more than 5,000
  /// parameters, whose Hessian would be too large; DataError for data without rows or with a row
  /// weight that is not a positive number.
  Problem(const Dataset& data, const Loss& loss, const RiskSettings& risk,
          std::span<const double> units = {});
  /// Another's on `part`, some of its rows as a data set: for their losses and derivatives alone,
  /// as shares and risk are those of all rows.
  Problem(const Problem& whole, const Dataset& part);

  [[nodiscard]] const Dataset& data() const noexcept { return data_; }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  [[nodiscard]] const RiskSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] unsigned threads() const noexcept { return settings_.threads; }
  [[nodiscard]] std::size_t rows() const noexcept { return data_.rows; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] Eigen::Index size() const noexcept { return size_; }
  /// The target that the loss sees.
  [[nodiscard]] double target(Index row) const noexcept { return data_.targets[row]; }

  /// Ridge of each parameter; 0 for intercepts.
  [[nodiscard]] const Eigen::VectorXd& ridge() const noexcept { return ridge_; }
  [[nodiscard]] bool has_ridge() const noexcept { return settings_.ridge > 0; }
  /// ridge/2 |weights|^2.
  [[nodiscard]] double penalty(const Eigen::VectorXd& theta) const;

  /// The row's share of all weights.
  [[nodiscard]] double share(Index row) const noexcept {
    return data_.weights.empty() ? share_ : data_.weights[row] * share_;
  }
  [[nodiscard]] double low(Index row) const noexcept { return settings_.risk.gamma * share(row); }
  [[nodiscard]] double cap(Index row) const noexcept {
    const double most = share(row) / tail_share_;
    return (1 - settings_.risk.gamma) * (most < 1 ? most : 1.0);
  }
  /// Whether the distribution is known: the weights' own.
  [[nodiscard]] bool is_mean() const noexcept {
    return tail_share_ >= 1 || settings_.risk.gamma >= 1;
  }
  /// The tail's share of all weights.
  [[nodiscard]] double tail_share() const noexcept { return tail_share_; }
  /// Mean and CVaR of the losses of all rows, and the risk that they make.
  [[nodiscard]] TailRisk tail_risk(std::span<const double> losses) const;
  [[nodiscard]] double risk(std::span<const double> losses) const {
    return settings_.risk.of(tail_risk(losses));
  }
  /// The least loss among the worst `room` tails.
  [[nodiscard]] double tail_level(std::span<const double> losses, double room = 1) const;

  /// Parameters that stay 0: without a ridge, weights of features that are linear combinations of
  /// others up to the rounding of single precision. Clears them in parameters or a gradient, and
  /// makes them leave the others alone in a Hessian.
  void hold(Eigen::VectorXd& parameters) const;
  void hold(Eigen::MatrixXd& hessian) const;

  [[nodiscard]] LinearModel model(const Eigen::VectorXd& theta) const;

  /// The model without weights that gives the mean target, or all classes the same chance.
  [[nodiscard]] Eigen::VectorXd constant() const;
  /// Its losses. Cost: no look at the features.
  [[nodiscard]] std::vector<double> constant_losses() const;
  /// A risk that is negligible beside `constant_loss`, a mean of constant_losses():
  /// Certificate::rounding.
  [[nodiscard]] double rounding(double constant_loss) const;

  /// The same problem for another risk and `factor` times the ridge.
  [[nodiscard]] Problem with_risk(const Risk& risk, double factor) const;

  /// The mean's reference nearest to `theta`, null where none is known. Those that are kept are
  /// shared by problems made by `with_risk`: several, so that each part of a curve has its own.
  [[nodiscard]] const MeanReference* mean_reference(const Eigen::VectorXd& theta) const;
  void keep(MeanReference reference) const;

  /// For each row the Euclidean norm of (x, 1). Computed at the first call, and shared by problems
  /// made by `with_risk`.
  [[nodiscard]] const std::vector<double>& row_norms() const;

  /// Offset of a row's score.
  [[nodiscard]] double offset(Index row, std::size_t output = 0) const noexcept {
    return data_.offsets.empty() ? 0.0 : data_.offsets[row * outputs_ + output];
  }
  /// Scores of the rows named without their offsets, example by example: linear in theta.
  void linear_scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
                     std::vector<double>& scores) const;
  /// Scores of the rows named, example by example.
  void scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
              std::vector<double>& scores) const;

  /// Losses of the rows named, and derivatives by their scores.
  void evaluate(const Eigen::VectorXd& theta, std::span<const Index> rows,
                std::vector<double>& losses, std::vector<double>& derivatives) const;
  /// Losses of every row, in blocks of rows: little memory beside them.
  [[nodiscard]] std::vector<double> losses(const Eigen::VectorXd& theta) const;

  /// Softmax: adding the same to the parameters of every class changes no loss. Takes that part of
  /// a step away, which rounding makes: scores that are large and alike leave losses without
  /// digits.
  void remove_common_part(Eigen::VectorXd& step) const;

  /// sum over `rows` of weights[r] * derivative (x) (x, 1); derivatives[r] is that of row rows[r].
  [[nodiscard]] Eigen::VectorXd gradient(std::span<const Index> rows,
                                         std::span<const double> weights,
                                         std::span<const double> derivatives) const;

  /// sum over `rows` of (weights[r] * curvature + outer[r] * derivative derivative') (x) (x, 1)(x,
  /// 1)', the curvature being the loss's second derivative, which the first one tells, plus
  /// `damping` times the largest there is. `outer` may be empty.
  [[nodiscard]] Eigen::MatrixXd hessian(std::span<const Index> rows,
                                        std::span<const double> weights,
                                        std::span<const double> outer,
                                        std::span<const double> derivatives,
                                        double damping = 0) const;

 private:
  void check_rows() const;
  void prepare_targets();
  void prepare_shares();
  void find_held();
  void losses_from(std::span<double> scores, std::size_t first, std::span<double> losses) const;
  [[nodiscard]] double curvature(Index row, std::span<const double> derivatives, std::size_t c,
                                 std::size_t e) const noexcept;

  const Dataset& data_;
  Loss loss_;
  RiskSettings settings_;
  std::size_t outputs_;
  Eigen::Index size_;
  double share_ = 1;           // of a row of weight 1
  double tail_share_ = 1;      // alpha, of a whole number of rows where that is within rounding
  double mean_target_ = 0;     // of classes: 0
  double largest_target_ = 0;  // as it was before its mean was taken away; of classes: 0
  Eigen::VectorXd ridge_;
  std::vector<Eigen::Index> held_;
  std::shared_ptr<std::vector<MeanReference>> mean_references_ =
      std::make_shared<std::vector<MeanReference>>();
  std::shared_ptr<std::vector<double>> row_norms_ = std::make_shared<std::vector<double>>();
};

/// Second derivative by the score of a loss with one output, which the first one tells.
[[nodiscard]] double curvature_of(const Loss& loss, double derivative);

/// Those rows as a data set of their own.
[[nodiscard]] Dataset rows_of(const Dataset& data, std::span<const Index> rows);

/// Loops over rows on several threads, in blocks that do not depend on their number: neither do the
/// sums.
inline constexpr std::size_t kRowBlock = 4096;

template <class Work>
void for_each_row(std::size_t rows, unsigned threads, const Work& work) {
  for_each_block((rows + kRowBlock - 1) / kRowBlock, threads, [&](std::size_t b) {
    const std::size_t end = std::min((b + 1) * kRowBlock, rows);
    for (std::size_t r = b * kRowBlock; r < end; ++r) work(r);
  });
}

/// Total of what work(r, total) adds to; Total has a member `add(const Total&)`.
template <class Total, class Work>
[[nodiscard]] Total sum_rows(std::size_t rows, unsigned threads, const Work& work) {
  std::vector<Total> totals((rows + kRowBlock - 1) / kRowBlock);
  for_each_block(totals.size(), threads, [&](std::size_t b) {
    const std::size_t end = std::min((b + 1) * kRowBlock, rows);
    Total total;
    for (std::size_t r = b * kRowBlock; r < end; ++r) work(r, total);
    totals[b] = total;
  });
  Total all;
  for (const Total& total : totals) all.add(total);
  return all;
}

}  // namespace adacvar
