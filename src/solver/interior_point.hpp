#pragma once

#include "solver/dual_bound.hpp"
#include "solver/gram.hpp"
#include "solver/mean_term.hpp"
#include "solver/row_terms.hpp"

#include <Eigen/Core>

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace adacvar {

/// gradient'theta + constant; no gradient: 0.
struct LinearTerm {
  Eigen::VectorXd gradient = {};
  double constant = 0;

  [[nodiscard]] double value(const Eigen::VectorXd& theta) const {
    return gradient.size() == 0 ? 0.0 : gradient.dot(theta) + constant;
  }
};

/// min sum cost_r z_r + mass * level + ridge/2 |weights|^2 over theta, level and z, where z_r >= 0
/// and z_r >= loss_r - level for the rows whose weight is free, z_r >= loss_r for those whose
/// weight is fixed; mass is 1 less the mean's share. Rows of fixed weight are those of the mean; of
/// a smooth loss they are one smooth term instead. A primal-dual interior-point method with
/// Mehrotra's predictor and corrector [M92]. The rows are eliminated one by one, so that a step is
/// one weighted Gram matrix and six passes over the rows. Products of slack and dual are aimed at a
/// multiple of the row's cost, so a row of weight 2 takes the same path as the row twice.
///
/// Among many rows a few always lag behind and would hold all others up from a start off the
/// central path. The way to the path is then Newton's method on the barrier function itself: with
/// every row centred that is a smooth function of theta and level.
///
/// Every point is feasible: where a curved loss exceeds its linear model, z gives way.
class InteriorPoint {
 public:
  /// Starts at `theta` with slacks and duals whose products add up to `gap`; 0: as large as the
  /// losses. `costs` are the caps of free weights and the weights that are fixed: positive.
  /// `rest`: added to what is minimised.
  InteriorPoint(const Problem& problem, const RowWeights& costs, const Eigen::VectorXd& theta,
                double gap, LinearTerm rest = {});

  [[nodiscard]] const Eigen::VectorXd& theta() const noexcept { return theta_; }

  /// Sum of slack times dual: what separates both sides once the duals balance.
  [[nodiscard]] double gap() const { return unit_ * complementarity_; }

  /// The objective at this point: at least the CVaR of the rows, or their weighted loss.
  [[nodiscard]] double value() const { return unit_ * cost_ + beside(theta_); }

  /// The part of the objective that no row stands for.
  [[nodiscard]] double outside(const Eigen::VectorXd& theta) const {
    return problem_.penalty(theta) + rest_.value(theta);
  }

  /// The weights q that the duals stand for, and the derivatives of the losses.
  void read_dual(RowWeights& q, std::vector<double>& derivatives) const;

  /// False when rounding leaves no way on: the point is then where it was.
  bool step();

  /// Slacks and duals anew for this theta, their products adding up to `gap`.
  void recentre(double gap) { begin(gap / unit_); }

  /// Whether the path was reached: before, `gap` says nothing of how far the optimum is.
  [[nodiscard]] bool is_on_path() const noexcept { return is_on_path_; }

 private:
  // Constraint 0 is z >= 0, the others are z >= piece - level; rows of fixed weight have neither
  // constraint 0 nor the level.
  static constexpr std::size_t kMost = 3;
  using Triple = std::array<double, kMost>;

  struct Row {
    double cost = 1;
    double z = 0;
    Triple slack = {};
    Triple dual = {};
  };

  /// A row's part of a step.
  struct RowStep {
    double z = 0;
    Triple slack = {};  // between predictor and corrector: the predictor's slack times dual
    Triple dual = {};
  };

  struct Means {
    double sum = 0;  // of dual / slack
    double slope = 0;
    double level = 0;
  };

  struct Sum {
    double value = 0;
    void add(const Sum& other) { value += other.value; }
  };

  struct Totals {
    double products = 0;  // of slacks and duals
    double cost = 0;
    void add(const Totals& other);
  };

  /// How far slacks and duals may go, and the sum of their products on the way.
  struct Reach {
    double primal = std::numeric_limits<double>::infinity();
    double dual = std::numeric_limits<double>::infinity();
    double by_slack = 0;  // sum of change of slack * dual
    double by_dual = 0;
    double by_both = 0;
    void add(const Reach& other);
  };

  struct Lengths {
    double primal;
    double dual;
  };

  // The slope of constraint j of row r.
  [[nodiscard]] double slope(std::size_t r, std::size_t j) const {
    if (j == 0) return 0;
    return pieces_.empty() ? 1 : pieces_[r].slope[j - 1];
  }
  [[nodiscard]] double offset(std::size_t r, std::size_t j) const {
    return j == 0 || pieces_.empty() ? 0 : pieces_[r].offset[j - 1];
  }
  // 1 where the level is subtracted.
  [[nodiscard]] double has_level(std::size_t r, std::size_t j) const {
    return j > 0 && r < free_ ? 1.0 : 0.0;
  }
  [[nodiscard]] std::size_t first(std::size_t r) const { return r < free_ ? 0 : 1; }
  // The lower limit of z.
  [[nodiscard]] double floor_of(std::size_t r, std::size_t j, double level) const {
    return slope(r, j) * terms_.values()[r] + offset(r, j) - has_level(r, j) * level;
  }

  template <class Work>
  void each_row(const Work& work) const;
  template <class Total = Sum, class Work>
  [[nodiscard]] Total sum(const Work& work) const;

  // The part that no row's z stands for, at the point that the terms are at.
  [[nodiscard]] double beside(const Eigen::VectorXd& theta) const {
    return outside(theta) + (mean_ ? mean_->value() : 0.0);
  }
  void move_terms(const Eigen::VectorXd& theta);
  void begin(double gap);
  void centre(double aim);
  [[nodiscard]] static double room_of_two(double apart, double least);
  [[nodiscard]] double room_above(std::size_t r, const Triple& below, double least) const;
  [[nodiscard]] Row centred(std::size_t r, double aim, double level) const;
  [[nodiscard]] Means means_of(std::size_t r) const;
  void factorise();
  void stand_still(std::size_t r, bool corrects, double aim);
  void find_direction(bool corrects, double aim);
  [[nodiscard]] Reach complete_rows(bool corrects);
  [[nodiscard]] Lengths longest(const Reach& reach, double share) const;
  [[nodiscard]] Row moved(std::size_t r, Lengths lengths, double level) const;
  [[nodiscard]] Totals totals_after(Lengths lengths, double level) const;
  bool move(Lengths lengths);
  bool try_step();
  [[nodiscard]] double barrier(double aim, double level) const;
  bool descend(double aim);
  bool approach();

  const Problem& problem_;
  LinearTerm rest_;
  std::optional<MeanTerm> mean_;  // of a smooth loss; else its rows are among the others
  RowTerms terms_;
  double unit_;             // costs are divided by it
  double level_cost_;       // in that unit
  std::size_t free_;        // so many rows come first whose weight is free
  std::size_t end_;         // the constraints in use are first(r) .. end_ - 1
  double constraints_ = 0;  // their number, each counted by its row's cost
  Eigen::VectorXd theta_;
  double level_ = 0;
  double complementarity_ = 0;
  double cost_ = 0;     // of all z and the level
  double damping_ = 0;  // of the losses' curvature
  bool is_plain_ = false;
  bool is_on_path_;
  int descents_ = 0;  // of the barrier function, with the product at hand
  std::vector<Row> rows_;
  std::vector<Pieces> pieces_;  // none: every loss is its own value
  ScaledFactor factor_;
  // The step at hand.
  Eigen::VectorXd theta_step_;
  double level_step_ = 0;
  double decrement_ = 0;  // how fast a barrier function falls along the step
  std::vector<RowStep> row_steps_;
  // Numbers of each row on their way into a sum.
  std::vector<double> outer_;
  std::vector<double> mixed_;
  std::vector<double> duals_;
};

}  // namespace adacvar
