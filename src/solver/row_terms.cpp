#include "solver/row_terms.hpp"

#include "solver/gram.hpp"
#include "solver/solver_outcome.hpp"

#include <algorithm>

namespace adacvar {

namespace {

class LinearPieces : public RowTerms {
 public:
  LinearPieces(const Problem& problem, std::vector<Index> rows)
      : RowTerms(problem, std::move(rows)), ones_(rows_.size(), 1.0) {}

  [[nodiscard]] Pieces pieces(std::size_t r) const override {
    const Loss& loss = problem_.loss();
    const double target = problem_.target(rows_[r]);
    if (loss.kind() == LossKind::hinge) {
      return {{target > 0.5 ? -1.0 : 1.0, 0.0}, {1.0, 0.0}, 2};
    }
    const bool pinball = loss.kind() == LossKind::pinball;
    const double above = pinball ? 1 - loss.tau() : 1.0;
    const double below = pinball ? loss.tau() : 1.0;
    return {{above, -below}, {-above * target, below * target}, 2};
  }

  void move_to(const Eigen::VectorXd& theta) override { values_ = problem_.scores(theta, rows_); }

  [[nodiscard]] std::vector<double> changes(const Eigen::VectorXd& step) const override {
    return problem_.scores(step, rows_);
  }

  [[nodiscard]] Eigen::VectorXd lift(std::span<const double> weights) const override {
    return problem_.gradient(rows_, ones_, weights);
  }

  [[nodiscard]] Eigen::MatrixXd curvature(std::span<const double> outer,
                                          std::span<const double> /*duals*/) const override {
    return weighted_gram(problem_.data(), rows_, outer, problem_.threads());
  }

  void append_slopes(std::size_t r, double first, double second,
                     std::vector<double>& slopes) const override {
    const Pieces pieces = this->pieces(r);
    slopes.push_back((pieces.slope[0] * first + pieces.slope[1] * second) / (first + second));
  }

 private:
  std::vector<double> ones_;
};

class SmoothLosses : public RowTerms {
 public:
  SmoothLosses(const Problem& problem, std::vector<Index> rows)
      : RowTerms(problem, std::move(rows)) {}

  [[nodiscard]] Pieces pieces(std::size_t /*r*/) const override { return {}; }

  void move_to(const Eigen::VectorXd& theta) override {
    const std::vector<double> scores = problem_.scores(theta, rows_);
    problem_.evaluate(rows_, scores, values_, slopes_);
  }

  [[nodiscard]] std::vector<double> changes(const Eigen::VectorXd& step) const override {
    const std::vector<double> moves = problem_.scores(step, rows_);
    const std::size_t outputs = problem_.outputs();
    std::vector<double> changes(rows_.size());
    for (std::size_t e = 0; e < moves.size(); ++e) changes[e / outputs] += slopes_[e] * moves[e];
    return changes;
  }

  [[nodiscard]] Eigen::VectorXd lift(std::span<const double> weights) const override {
    return problem_.gradient(rows_, weights, slopes_);
  }

  // Rows that hardly count are left out: far from the tail both of their weights vanish.
  [[nodiscard]] Eigen::MatrixXd curvature(std::span<const double> outer,
                                          std::span<const double> duals) const override {
    const double most_outer = *std::ranges::max_element(outer);
    const double most_dual = *std::ranges::max_element(duals);
    std::vector<Index> rows;
    std::vector<double> some_outer;
    std::vector<double> some_duals;
    std::vector<double> slopes;
    const std::size_t outputs = problem_.outputs();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (outer[r] < 1e-9 * most_outer && duals[r] < 1e-9 * most_dual) continue;
      rows.push_back(rows_[r]);
      some_outer.push_back(outer[r]);
      some_duals.push_back(duals[r]);
      const auto part = std::span(slopes_).subspan(r * outputs, outputs);
      slopes.insert(slopes.end(), part.begin(), part.end());
    }
    return problem_.hessian(rows, some_duals, some_outer, slopes);
  }

  void append_slopes(std::size_t r, double /*first*/, double /*second*/,
                     std::vector<double>& slopes) const override {
    const std::size_t outputs = problem_.outputs();
    const auto part = std::span(slopes_).subspan(r * outputs, outputs);
    slopes.insert(slopes.end(), part.begin(), part.end());
  }

 private:
  std::vector<double> slopes_;
};

}  // namespace

bool is_smooth(const Loss& loss) {
  return loss.kind() != LossKind::absolute && loss.kind() != LossKind::pinball &&
         loss.kind() != LossKind::hinge;
}

std::unique_ptr<RowTerms> make_row_terms(const Problem& problem, std::vector<Index> rows) {
  if (is_smooth(problem.loss())) return std::make_unique<SmoothLosses>(problem, std::move(rows));
  return std::make_unique<LinearPieces>(problem, std::move(rows));
}

}  // namespace adacvar
