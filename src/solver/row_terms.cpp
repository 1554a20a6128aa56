#include "solver/row_terms.hpp"

#include "solver/gram.hpp"

#include <algorithm>

namespace adacvar {

namespace {

// Few rows are all there is in some direction, however little they count.
void drop_negligible(std::span<double> outer, std::span<double> duals) {
  constexpr double kLeast = 1e-9;
  constexpr std::size_t kMany = 4096;
  if (outer.size() < kMany) return;
  const double least_outer = kLeast * *std::ranges::max_element(outer);
  const double least_dual = kLeast * *std::ranges::max_element(duals);
  for (std::size_t r = 0; r < outer.size(); ++r) {
    if (outer[r] < least_outer && duals[r] < least_dual) outer[r] = duals[r] = 0;
  }
}

class LinearPieces : public RowTerms {
 public:
  LinearPieces(const Problem& problem, std::vector<Index> rows)
      : RowTerms(problem, std::move(rows)), ones_(rows_.size(), 1.0) {}

  [[nodiscard]] std::size_t piece_count() const override { return 2; }

  [[nodiscard]] Pieces pieces(std::size_t r) const override {
    const Loss& loss = problem_.loss();
    const double target = problem_.target(rows_[r]);
    if (loss.kind() == LossKind::hinge) return {{target > 0.5 ? -1.0 : 1.0, 0.0}, {1.0, 0.0}};
    const bool pinball = loss.kind() == LossKind::pinball;
    const double above = pinball ? 1 - loss.tau() : 1.0;
    const double below = pinball ? loss.tau() : 1.0;
    return {{above, -below}, {-above * target, below * target}};
  }

  void move_to(const Eigen::VectorXd& theta) override { problem_.scores(theta, rows_, values_); }

  [[nodiscard]] const std::vector<double>& changes(const Eigen::VectorXd& step) override {
    problem_.scores(step, rows_, changes_);
    return changes_;
  }

  [[nodiscard]] Eigen::VectorXd lift(std::span<const double> weights) const override {
    return problem_.gradient(rows_, ones_, weights);
  }

  [[nodiscard]] Eigen::MatrixXd curvature(std::span<double> outer, std::span<double> /*duals*/,
                                          double /*damping*/) const override {
    drop_negligible(outer, outer);
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

  [[nodiscard]] std::size_t piece_count() const override { return 1; }
  [[nodiscard]] Pieces pieces(std::size_t /*r*/) const override { return {}; }

  void move_to(const Eigen::VectorXd& theta) override {
    problem_.evaluate(theta, rows_, values_, slopes_);
  }

  [[nodiscard]] const std::vector<double>& changes(const Eigen::VectorXd& step) override {
    problem_.scores(step, rows_, moves_);
    changes_.resize(rows_.size());
    const std::size_t outputs = problem_.outputs();
    for_each_row(rows_.size(), problem_.threads(), [&](std::size_t r) {
      double change = 0;
      for (std::size_t e = r * outputs; e < (r + 1) * outputs; ++e)
        change += slopes_[e] * moves_[e];
      changes_[r] = change;
    });
    return changes_;
  }

  [[nodiscard]] Eigen::VectorXd lift(std::span<const double> weights) const override {
    return problem_.gradient(rows_, weights, slopes_);
  }

  [[nodiscard]] Eigen::MatrixXd curvature(std::span<double> outer, std::span<double> duals,
                                          double damping) const override {
    drop_negligible(outer, duals);
    return problem_.hessian(rows_, duals, outer, slopes_, damping);
  }

  void append_slopes(std::size_t r, double /*first*/, double /*second*/,
                     std::vector<double>& slopes) const override {
    const std::size_t outputs = problem_.outputs();
    const auto part = std::span(slopes_).subspan(r * outputs, outputs);
    slopes.insert(slopes.end(), part.begin(), part.end());
  }

 private:
  std::vector<double> slopes_;
  std::vector<double> moves_;
};

}  // namespace

bool is_smooth(const Loss& loss) {
  return loss.kind() != LossKind::absolute && loss.kind() != LossKind::pinball &&
         loss.kind() != LossKind::hinge;
}

double RowTerms::loss(std::size_t r) const {
  const Pieces pieces = this->pieces(r);
  const double first = pieces.slope[0] * values_[r] + pieces.offset[0];
  if (piece_count() == 1) return first;
  return std::max(first, pieces.slope[1] * values_[r] + pieces.offset[1]);
}

std::unique_ptr<RowTerms> make_row_terms(const Problem& problem, std::vector<Index> rows) {
  if (is_smooth(problem.loss())) return std::make_unique<SmoothLosses>(problem, std::move(rows));
  return std::make_unique<LinearPieces>(problem, std::move(rows));
}

}  // namespace adacvar
