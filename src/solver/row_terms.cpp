#include "solver/row_terms.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

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

bool is_copied(const Problem& problem, const std::vector<Index>& rows) {
  constexpr std::size_t kMany = 20'000;
  return rows.size() >= kMany && 2 * rows.size() < problem.rows();
}

}  // namespace

bool is_smooth(const Loss& loss) {
  return loss.kind() != LossKind::absolute && loss.kind() != LossKind::pinball &&
         loss.kind() != LossKind::hinge;
}

double kink(const Problem& problem, Index row) {
  const double target = problem.target(row);
  if (problem.loss().kind() != LossKind::hinge) return target;
  return target > 0.5 ? 1.0 : -1.0;
}

RowTerms::RowTerms(const Problem& problem, std::vector<Index> rows)
    : rows_(std::move(rows)),
      problem_(is_copied(problem, rows_)
                   ? copied_problem_.emplace(problem, copied_ = rows_of(problem.data(), rows_))
                   : problem),
      places_(rows_),
      is_smooth_(is_smooth(problem.loss())),
      derivatives_(rows_.size() * problem.outputs(), 1.0),
      changes_(rows_.size()) {
  if (copied_problem_) std::iota(places_.begin(), places_.end(), Index{0});
}

Pieces RowTerms::pieces(std::size_t r) const {
  if (is_smooth_) return {};
  const Loss& loss = problem_.loss();
  const double target = problem_.target(places_[r]);
  if (loss.kind() == LossKind::hinge) return {{target > 0.5 ? -1.0 : 1.0, 0.0}, {1.0, 0.0}};
  const bool pinball = loss.kind() == LossKind::pinball;
  const double above = pinball ? 1 - loss.tau() : 1.0;
  const double below = pinball ? loss.tau() : 1.0;
  return {{above, -below}, {-above * target, below * target}};
}

double RowTerms::loss(std::size_t r) const {
  if (is_smooth_) return values_[r];
  const Pieces pieces = this->pieces(r);
  return std::max(pieces.slope[0] * values_[r] + pieces.offset[0],
                  pieces.slope[1] * values_[r] + pieces.offset[1]);
}

void RowTerms::move_to(const Eigen::VectorXd& theta) {
  if (is_smooth_) {
    problem_.evaluate(theta, places_, values_, derivatives_);
  } else {
    problem_.scores(theta, places_, values_);
  }
}

const std::vector<double>& RowTerms::changes(const Eigen::VectorXd& step) {
  problem_.linear_scores(step, places_, moves_);
  const std::size_t outputs = problem_.outputs();
  for_each_row(rows_.size(), problem_.threads(), [&](std::size_t r) {
    double change = 0;
    for (std::size_t e = r * outputs; e < (r + 1) * outputs; ++e)
      change += derivatives_[e] * moves_[e];
    changes_[r] = change;
  });
  return changes_;
}

Eigen::VectorXd RowTerms::lift(std::span<const double> weights) const {
  return problem_.gradient(places_, weights, derivatives_);
}

Eigen::MatrixXd RowTerms::curvature(std::span<double> outer, std::span<double> duals,
                                    double damping) const {
  drop_negligible(outer, is_smooth_ ? duals : outer);
  return problem_.hessian(places_, duals, outer, derivatives_, damping);
}

void RowTerms::append_derivatives(std::size_t r, double first, double second,
                                  std::vector<double>& derivatives) const {
  if (is_smooth_) {
    const std::size_t outputs = problem_.outputs();
    const auto part = std::span(derivatives_).subspan(r * outputs, outputs);
    derivatives.insert(derivatives.end(), part.begin(), part.end());
    return;
  }
  const Pieces pieces = this->pieces(r);
  derivatives.push_back((pieces.slope[0] * first + pieces.slope[1] * second) / (first + second));
}

}  // namespace adacvar
