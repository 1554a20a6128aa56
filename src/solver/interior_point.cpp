#include "solver/interior_point.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

InteriorPoint::InteriorPoint(const Problem& problem, std::vector<Index> rows,
                             std::vector<double> costs, Kind kind, const Eigen::VectorXd& theta,
                             double gap)
    : problem_(problem),
      terms_(make_row_terms(problem, std::move(rows))),
      unit_(*std::ranges::max_element(costs)),
      level_cost_(1 / unit_),
      first_(kind == Kind::cvar ? 0 : 1),
      theta_(theta) {
  terms_->move_to(theta_);
  rows_.resize(costs.size());
  for (std::size_t r = 0; r < costs.size(); ++r) {
    rows_[r].pieces = terms_->pieces(r);
    rows_[r].end = 1 + rows_[r].pieces.count;
    rows_[r].cost = costs[r] / unit_;
  }
  begin(gap / unit_);
}

std::size_t InteriorPoint::constraints() const { return (rows_[0].end - first_) * rows_.size(); }

void InteriorPoint::begin(double gap) {
  std::vector<double> losses;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    double loss = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 1; j < rows_[r].end; ++j) {
      loss = std::max(loss, floor_of(rows_[r], j, terms_->values()[r]));
    }
    losses.push_back(loss);
  }
  const auto count = static_cast<double>(rows_.size());
  const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / count;
  if (first_ == 0) level_ = value_at_risk(losses, std::min(1.0, level_cost_ / count));
  const double total = std::accumulate(rows_.begin(), rows_.end(), 0.0,
                                       [](double sum, const Row& row) { return sum + row.cost; });
  if (gap == 0) gap = 0.5 * std::max(mean, 1e-300) * total;
  const double product = gap / static_cast<double>(constraints());
  for (std::size_t r = 0; r < rows_.size(); ++r) centre(rows_[r], terms_->values()[r], product);
}

// z with sum over the constraints of product / slack = cost: found between bounds, since the sum
// falls with z.
void InteriorPoint::centre(Row& row, double value, double product) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = first_; j < row.end; ++j) {
    highest = std::max(highest, floor_of(row, j, value));
  }
  const auto count = static_cast<double>(row.end - first_);
  double low = product / row.cost;  // the nearest constraint alone would ask for that much room
  double high = count * low;
  for (int step = 0; step < 60; ++step) {
    const double room = 0.5 * (low + high);
    double sum = 0;
    for (std::size_t j = first_; j < row.end; ++j) {
      sum += product / (highest + room - floor_of(row, j, value));
    }
    (sum > row.cost ? low : high) = room;
  }
  row.z = highest + high;
  for (std::size_t j = first_; j < row.end; ++j) {
    row.slack[j] = highest - floor_of(row, j, value) + high;
    row.dual[j] = product / row.slack[j];
  }
}

void InteriorPoint::read_law(RowLaw& law, std::vector<double>& slopes) const {
  law = {};
  slopes.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const double second = row.end == kMost ? row.dual[2] : 0.0;
    const double weight = row.dual[1] + second;
    if (!(weight > 0)) continue;
    law.rows.push_back(terms_->rows()[r]);
    law.weights.push_back(unit_ * weight);
    terms_->append_slopes(r, row.dual[1], second, slopes);
  }
}

bool InteriorPoint::step() {
  factorise();
  const double before = complementarity();
  const Direction predicted = direction(nullptr, 0);
  const double after = complementarity_after(predicted, longest(predicted, 1));
  const double ratio = std::clamp(after / before, 0.0, 1.0);
  const double aim = ratio * ratio * ratio * before / static_cast<double>(constraints());
  const Direction corrected = direction(&predicted, aim);
  const Lengths lengths = longest(corrected, 0.995);
  if (!corrected.theta.allFinite() || std::max(lengths.primal, lengths.dual) < 1e-9) return false;
  move(corrected, lengths);
  return true;
}

double InteriorPoint::complementarity() const {
  double sum = 0;
  for (const Row& row : rows_) {
    for (std::size_t j = first_; j < row.end; ++j) sum += row.slack[j] * row.dual[j];
  }
  return sum;
}

double InteriorPoint::complementarity_after(const Direction& by, Lengths lengths) const {
  double sum = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t j = first_; j < rows_[r].end; ++j) {
      sum += (rows_[r].slack[j] + lengths.primal * by.slack[r][j]) *
             (rows_[r].dual[j] + lengths.dual * by.dual[r][j]);
    }
  }
  return sum;
}

InteriorPoint::Means InteriorPoint::means_of(const Row& row) const {
  Means means;
  for (std::size_t j = first_; j < row.end; ++j) {
    const double weight = row.dual[j] / row.slack[j];
    means.sum += weight;
    means.slope += weight * slope(row, j);
    means.level += weight * has_level(j);
  }
  means.slope /= means.sum;
  means.level /= means.sum;
  return means;
}

// The matrix of theta and level when all else is eliminated.
void InteriorPoint::factorise() {
  std::vector<double> outer(rows_.size());
  std::vector<double> mixed(rows_.size());
  std::vector<double> duals(rows_.size());
  double levels = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const Means means = means_of(row);
    duals[r] = row.dual[1];
    for (std::size_t j = first_; j < row.end; ++j) {
      const double weight = row.dual[j] / row.slack[j];
      const double off = slope(row, j) - means.slope;
      const double apart = has_level(j) - means.level;
      outer[r] += weight * off * off;
      mixed[r] += weight * off * apart;
      levels += weight * apart * apart;
    }
  }
  const Eigen::Index size = problem_.size();
  Eigen::MatrixXd matrix(size + 1, size + 1);
  matrix.topLeftCorner(size, size) = terms_->curvature(outer, duals);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!problem_.is_intercept(i)) matrix(i, i) += problem_.ridge() / unit_;
  }
  const Eigen::VectorXd side = -terms_->lift(mixed);
  matrix.block(0, size, size, 1) = side;
  matrix.block(size, 0, 1, size) = side.transpose();
  matrix(size, size) = first_ == 0 ? levels : 1.0;
  matrix.diagonal().array() *= 1 + 1e-14;
  matrix.diagonal().array() +=
      1e-16 * matrix.diagonal().head(size).mean() + std::numeric_limits<double>::min();
  factor_.compute(matrix);
}

// From the row's equations: duals add up to the cost, slacks follow z, products meet their aim.
InteriorPoint::Still InteriorPoint::still_of(std::size_t r, const Direction* predicted,
                                             double aim) const {
  const Row& row = rows_[r];
  Triple pull = {};
  double weights = 0;
  double total = 0;
  double missing = row.cost;
  for (std::size_t j = first_; j < row.end; ++j) {
    const double second = predicted != nullptr ? predicted->slack[r][j] * predicted->dual[r][j] : 0;
    pull[j] = (aim - second) / row.slack[j] - row.dual[j];
    weights += row.dual[j] / row.slack[j];
    total += pull[j];
    missing -= row.dual[j];
  }
  Still still;
  still.z = (total - missing) / weights;
  for (std::size_t j = first_; j < row.end; ++j) {
    still.dual[j] = pull[j] - row.dual[j] / row.slack[j] * still.z;
  }
  return still;
}

InteriorPoint::Direction InteriorPoint::direction(const Direction* predicted, double aim) const {
  const Eigen::Index size = problem_.size();
  std::vector<Still> still(rows_.size());
  std::vector<double> pulls(rows_.size());
  double level_sum = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    still[r] = still_of(r, predicted, aim);
    for (std::size_t j = first_; j < rows_[r].end; ++j) {
      const double dual = rows_[r].dual[j] + still[r].dual[j];
      pulls[r] += slope(rows_[r], j) * dual;
      level_sum += has_level(j) * dual;
    }
  }
  Eigen::VectorXd right(size + 1);
  right.head(size) = -terms_->lift(pulls);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!problem_.is_intercept(i)) right(i) -= problem_.ridge() / unit_ * theta_(i);
  }
  right(size) = first_ == 0 ? level_sum - level_cost_ : 0.0;
  const Eigen::VectorXd solved = factor_.solve(right);
  Direction result;
  result.theta = solved.head(size);
  result.level = solved(size);
  complete(still, result);
  return result;
}

// The rows' part of a step, from that of theta and level.
void InteriorPoint::complete(const std::vector<Still>& still, Direction& result) const {
  const std::vector<double> changes = terms_->changes(result.theta);
  result.z.resize(rows_.size());
  result.slack.resize(rows_.size());
  result.dual.resize(rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const Means means = means_of(row);
    const double mean = means.slope * changes[r] - means.level * result.level;
    result.z[r] = still[r].z + mean;
    for (std::size_t j = first_; j < row.end; ++j) {
      const double change = slope(row, j) * changes[r] - has_level(j) * result.level;
      result.slack[r][j] = result.z[r] - change;
      result.dual[r][j] = still[r].dual[j] + row.dual[j] / row.slack[j] * (change - mean);
    }
  }
}

// How far slacks and duals may go. What is not linear couples both.
InteriorPoint::Lengths InteriorPoint::longest(const Direction& by, double share) const {
  double primal = 1 / share;
  double dual = 1 / share;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t j = first_; j < rows_[r].end; ++j) {
      if (by.slack[r][j] < 0) primal = std::min(primal, -rows_[r].slack[j] / by.slack[r][j]);
      if (by.dual[r][j] < 0) dual = std::min(dual, -rows_[r].dual[j] / by.dual[r][j]);
    }
  }
  primal = std::min(1.0, share * primal);
  dual = std::min(1.0, share * dual);
  if (problem_.ridge() > 0 || is_smooth(problem_.loss())) primal = dual = std::min(primal, dual);
  return {primal, dual};
}

// A curved loss ends above its linear model: z rises so that every slack keeps at least half of
// what the model promised it. When that makes the gap grow, the step was too long.
void InteriorPoint::move(const Direction& by, Lengths lengths) {
  const double before = complementarity();
  const std::vector<Row> rows = rows_;
  const Eigen::VectorXd theta = theta_;
  const double level = level_;
  for (int halving = 0; halving < 30; ++halving, lengths.primal *= 0.5, lengths.dual *= 0.5) {
    theta_ = theta + lengths.primal * by.theta;
    level_ = level + lengths.primal * by.level;
    terms_->move_to(theta_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      row.z = rows[r].z + lengths.primal * by.z[r];
      for (std::size_t j = first_; j < row.end; ++j) {
        const double promised = rows[r].slack[j] + lengths.primal * by.slack[r][j];
        row.z = std::max(row.z, floor_of(row, j, terms_->values()[r]) + 0.5 * promised);
        row.dual[j] = rows[r].dual[j] + lengths.dual * by.dual[r][j];
      }
      for (std::size_t j = first_; j < row.end; ++j) {
        // Of a linear piece the model is exact, and safer from cancellation.
        const double promised = rows[r].slack[j] + lengths.primal * by.slack[r][j];
        const double true_slack = row.z - floor_of(row, j, terms_->values()[r]);
        row.slack[j] = std::max(true_slack, 0.5 * promised);
      }
    }
    if (complementarity() <= 2 * before) return;
  }
}

}  // namespace adacvar
