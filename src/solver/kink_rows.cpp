#include "solver/kink_rows.hpp"

#include "solver/row_terms.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>

namespace adacvar {

bool KinkRows::are_worth_while(const Problem& problem, const RowWeights& q) {
  constexpr std::size_t kMany = 50'000;
  return !is_smooth(problem.loss()) && q.rows.size() >= kMany &&
         near_count(problem, q) < 0.4 * static_cast<double>(q.rows.size());
}

double KinkRows::near_count(const Problem& problem, const RowWeights& q) {
  return 8 * std::sqrt(static_cast<double>(problem.size()) * static_cast<double>(q.rows.size()));
}

KinkRows::KinkRows(const Problem& problem, const RowWeights& q, const Eigen::VectorXd& theta)
    : q_(q), is_near_(q.rows.size()) {
  std::vector<double> distances;
  problem.evaluate(theta, q.rows, distances, derivatives_);
  problem.scores(theta, q.rows, distances);
  for (std::size_t r = 0; r < distances.size(); ++r) {
    distances[r] = -std::abs(distances[r] - kink(problem, q.rows[r]));
  }
  const double share = near_count(problem, q) / static_cast<double>(distances.size());
  const double farthest = value_at_risk(distances, std::min(1.0, share));
  for (std::size_t r = 0; r < distances.size(); ++r) is_near_[r] = distances[r] >= farthest;
}

bool KinkRows::take_passed(const std::vector<double>& derivatives) {
  constexpr int kMostRounds = 5;  // all rows are in then
  const bool all_near = std::ranges::all_of(is_near_, [](bool near) { return near; });
  bool any = false;
  for (std::size_t r = 0; r < derivatives.size(); ++r) {
    if (is_near_[r] || derivatives[r] == derivatives_[r]) continue;
    is_near_[r] = any = true;
  }
  derivatives_ = derivatives;
  if (!any || ++rounds_ >= kMostRounds) is_near_.assign(is_near_.size(), true);
  return !all_near;
}

RowWeights KinkRows::near() const {
  RowWeights near;
  for (std::size_t r = 0; r < is_near_.size(); ++r) {
    if (!is_near_[r]) continue;
    near.rows.push_back(q_.rows[r]);
    near.weights.push_back(q_.weights[r]);
  }
  near.fixed = near.rows.size();
  return near;
}

LinearRows KinkRows::far() const {
  LinearRows far;
  for (std::size_t r = 0; r < is_near_.size(); ++r) {
    if (is_near_[r]) continue;
    far.q.rows.push_back(q_.rows[r]);
    far.q.weights.push_back(q_.weights[r]);
    far.derivatives.push_back(derivatives_[r]);
  }
  far.q.fixed = far.q.rows.size();
  return far;
}

}  // namespace adacvar
