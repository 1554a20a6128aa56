#include "solver/mean_term.hpp"

#include <adacvar/risk/cvar.hpp>

#include <numeric>
#include <utility>

namespace adacvar {

MeanTerm::MeanTerm(const Problem& problem)
    : problem_(problem),
      gamma_(problem.settings().risk.gamma),
      rows_(problem.rows()),
      shares_(problem.rows()) {
  std::iota(rows_.begin(), rows_.end(), Index{0});
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] = problem.share(rows_[i]);
}

void MeanTerm::move_to(const Eigen::VectorXd& theta) {
  theta_ = theta;
  const MeanReference* const known = problem_.mean_reference(theta);
  if (problem_.loss().kind() != LossKind::squared || known == nullptr) {
    problem_.evaluate(theta_, rows_, losses_, derivatives_);
    add_up();
    return;
  }
  const Eigen::VectorXd step = theta - known->theta;
  const Eigen::VectorXd change = known->hessian * step;
  mean_ = known->mean + known->gradient.dot(step) + 0.5 * change.dot(step);
  gradient_ = known->gradient + change;
}

void MeanTerm::take(const Eigen::VectorXd& theta, std::vector<double> losses,
                    std::vector<double> derivatives) {
  theta_ = theta;
  losses_ = std::move(losses);
  derivatives_ = std::move(derivatives);
  add_up();
}

void MeanTerm::add_up() {
  struct Sum {
    detail::AccurateSum sum;
    void add(const Sum& other) { sum.add(other.sum); }
  };
  mean_ = sum_rows<Sum>(rows_.size(), problem_.threads(), [&](std::size_t i, Sum& part) {
            part.sum.add_product(shares_[i], losses_[i]);
          }).sum.value();
  gradient_ = problem_.gradient(rows_, shares_, derivatives_);
}

// Whether the Hessian explains nine tenths of how the gradient has changed since it was computed.
bool MeanTerm::is_near(const MeanReference& known) const {
  if (problem_.loss().kind() == LossKind::squared) return true;
  const Eigen::VectorXd change = known.hessian * (theta_ - known.theta);
  return (gradient_ - known.gradient - change).norm() <= 0.1 * change.norm();
}

Eigen::MatrixXd MeanTerm::hessian() {
  const MeanReference* const known = problem_.mean_reference(theta_);
  if (known != nullptr && is_near(*known)) return gamma_ * known->hessian;
  Eigen::MatrixXd hessian = problem_.hessian(rows_, shares_, {}, derivatives_);
  problem_.keep({theta_, mean_, gradient_, hessian});
  return gamma_ * hessian;
}

void MeanTerm::append(RowWeights& q, std::vector<double>& derivatives) const {
  std::vector<double> losses;
  std::vector<double> own;
  problem_.evaluate(theta_, rows_, losses, own);
  q.rows.insert(q.rows.end(), rows_.begin(), rows_.end());
  for (const double share : shares_) q.weights.push_back(gamma_ * share);
  q.fixed += rows_.size();
  derivatives.insert(derivatives.end(), own.begin(), own.end());
}

}  // namespace adacvar
