#pragma once

#include "solver/row_terms.hpp"
#include "solver/solver_outcome.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <array>
#include <memory>
#include <vector>

namespace adacvar {

/// min sum cost_r z_r + level + ridge/2 |weights|^2 over theta, level and z, where z_r >= 0 and
/// z_r >= loss_r - level; or, for a law that is given, min sum cost_r z_r + ridge/2 |weights|^2
/// where z_r >= loss_r. A primal-dual interior-point method with Mehrotra's predictor and corrector
/// [M92]. The rows are eliminated one by one, so that a step is one weighted Gram matrix.
///
/// Every point is feasible: where a curved loss exceeds its linear model, z gives way.
class InteriorPoint {
 public:
  enum class Kind : std::uint8_t { cvar, weighted };

  /// Starts at `theta` with slacks and duals whose products are `gap` / number of constraints.
  /// `gap` 0: as large as the losses. Costs are positive.
  InteriorPoint(const Problem& problem, std::vector<Index> rows, std::vector<double> costs,
                Kind kind, const Eigen::VectorXd& theta, double gap);

  [[nodiscard]] const Eigen::VectorXd& theta() const noexcept { return theta_; }

  /// Sum of slack times dual: what separates both sides once the duals balance.
  [[nodiscard]] double gap() const { return unit_ * complementarity(); }

  /// The law q that the duals stand for, and the slopes of the losses.
  void read_law(RowLaw& law, std::vector<double>& slopes) const;

  /// False when rounding leaves no way on.
  bool step();

 private:
  // Constraint 0 is z >= 0, the others are z >= piece - level; kind weighted has no constraint 0.
  static constexpr std::size_t kMost = 3;
  using Triple = std::array<double, kMost>;

  struct Row {
    Pieces pieces;
    std::size_t end = kMost;  // of the constraints in use
    double cost = 1;
    double z = 0;
    Triple slack = {};
    Triple dual = {};
  };

  /// The change of a row that a right-hand side asks for while theta and level stand still.
  struct Still {
    Triple dual = {};
    double z = 0;
  };

  struct Means {
    double sum = 0;  // of dual / slack
    double slope = 0;
    double level = 0;
  };

  struct Direction {
    Eigen::VectorXd theta;
    double level = 0;
    std::vector<double> z;
    std::vector<Triple> slack;
    std::vector<Triple> dual;
  };

  struct Lengths {
    double primal;
    double dual;
  };

  [[nodiscard]] static double slope(const Row& row, std::size_t j) {
    return j == 0 ? 0.0 : row.pieces.slope[j - 1];
  }
  [[nodiscard]] static double offset(const Row& row, std::size_t j) {
    return j == 0 ? 0.0 : row.pieces.offset[j - 1];
  }
  // 1 where the level is subtracted.
  [[nodiscard]] double has_level(std::size_t j) const { return j > 0 && first_ == 0 ? 1.0 : 0.0; }
  // What z must not fall below.
  [[nodiscard]] double floor_of(const Row& row, std::size_t j, double value) const {
    return slope(row, j) * value + offset(row, j) - has_level(j) * level_;
  }

  void begin(double gap);
  void centre(Row& row, double value, double product) const;
  [[nodiscard]] double complementarity() const;
  [[nodiscard]] double complementarity_after(const Direction& by, Lengths lengths) const;
  [[nodiscard]] std::size_t constraints() const;
  [[nodiscard]] Means means_of(const Row& row) const;
  void factorise();
  [[nodiscard]] Still still_of(std::size_t r, const Direction* predicted, double aim) const;
  [[nodiscard]] Direction direction(const Direction* predicted, double aim) const;
  void complete(const std::vector<Still>& still, Direction& result) const;
  [[nodiscard]] Lengths longest(const Direction& by, double share) const;
  void move(const Direction& by, Lengths lengths);

  const Problem& problem_;
  std::unique_ptr<RowTerms> terms_;
  double unit_;        // costs are divided by it
  double level_cost_;  // in that unit
  std::size_t first_;  // the first constraint in use
  Eigen::VectorXd theta_;
  double level_ = 0;
  std::vector<Row> rows_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

}  // namespace adacvar
