#include "solver/interior_point.hpp"

#include "solver/row_blocks.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>

namespace adacvar {

InteriorPoint::InteriorPoint(const Problem& problem, std::vector<Index> rows,
                             std::vector<double> costs, Kind kind, const Eigen::VectorXd& theta,
                             double gap)
    : problem_(problem),
      terms_(make_row_terms(problem, std::move(rows))),
      unit_(*std::ranges::max_element(costs)),
      level_cost_(1 / unit_),
      first_(kind == Kind::cvar ? 0 : 1),
      end_(1 + terms_->piece_count()),
      theta_(theta),
      rows_(costs.size()),
      row_steps_(costs.size()),
      outer_(costs.size()),
      mixed_(costs.size()),
      duals_(costs.size()) {
  terms_->move_to(theta_);
  each_row([&](std::size_t r) {
    rows_[r].pieces = terms_->pieces(r);
    rows_[r].cost = costs[r] / unit_;
  });
  begin(gap / unit_);
}

template <class Work>
void InteriorPoint::each_row(const Work& work) const {
  for_each_row(rows_.size(), problem_.threads(), work);
}

template <class Total, class Work>
Total InteriorPoint::sum(const Work& work) const {
  return sum_rows<Total>(rows_.size(), problem_.threads(), work);
}

double InteriorPoint::constraints() const {
  return static_cast<double>((end_ - first_) * rows_.size());
}

void InteriorPoint::begin(double gap) {
  std::vector<double> losses(rows_.size());
  each_row([&](std::size_t r) { losses[r] = terms_->loss(r); });
  const auto count = static_cast<double>(rows_.size());
  if (first_ == 0) level_ = value_at_risk(losses, std::min(1.0, level_cost_ / count));
  if (gap == 0) {
    const double cost = sum([&](std::size_t r, Sum& s) { s.value += rows_[r].cost; }).value;
    const double loss = sum([&](std::size_t r, Sum& s) { s.value += losses[r]; }).value;
    gap = 0.5 * std::max(loss / count, 1e-300) * cost;
  }
  const double product = gap / constraints();
  each_row([&](std::size_t r) { centre(rows_[r], terms_->values()[r], product); });
  complementarity_ = gap;
}

// z with sum over the constraints of product / slack = cost. The sum is convex in z and falls, so
// Newton's method from too little room never overshoots.
void InteriorPoint::centre(Row& row, double value, double product) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = first_; j < end_; ++j) {
    highest = std::max(highest, floor_of(row, j, value, level_));
  }
  double room = product / row.cost;  // the nearest constraint alone would ask for that much
  for (int pass = 0; pass < 50; ++pass) {
    double excess = -row.cost;
    double slope = 0;
    for (std::size_t j = first_; j < end_; ++j) {
      const double slack = highest - floor_of(row, j, value, level_) + room;
      excess += product / slack;
      slope += product / slack / slack;
    }
    const double more = excess / slope;
    if (!(more > 1e-15 * room)) break;
    room += more;
  }
  row.z = highest + room;
  for (std::size_t j = first_; j < end_; ++j) {
    row.slack[j] = highest - floor_of(row, j, value, level_) + room;
    row.dual[j] = product / row.slack[j];
  }
}

double InteriorPoint::value() const {
  const double cost =
      sum([&](std::size_t r, Sum& s) { s.value += rows_[r].cost * rows_[r].z; }).value;
  const double level = first_ == 0 ? level_cost_ * level_ : 0.0;
  return unit_ * (cost + level) + problem_.penalty(theta_);
}

void InteriorPoint::read_law(RowLaw& law, std::vector<double>& slopes) const {
  law = {};
  slopes.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const double second = end_ == kMost ? row.dual[2] : 0.0;
    const double weight = row.dual[1] + second;
    if (!(weight > 0)) continue;
    law.rows.push_back(terms_->rows()[r]);
    law.weights.push_back(unit_ * weight);
    terms_->append_slopes(r, row.dual[1], second, slopes);
  }
}

bool InteriorPoint::step() {
  factorise();
  find_direction(false, 0);
  const Reach reach = complete_rows(false);
  const Lengths whole = longest(reach, 1);
  const double after = complementarity_ + whole.primal * reach.by_slack +
                       whole.dual * reach.by_dual + whole.primal * whole.dual * reach.by_both;
  const double ratio = std::clamp(after / complementarity_, 0.0, 1.0);
  find_direction(true, ratio * ratio * ratio * complementarity_ / constraints());
  const Lengths lengths = longest(complete_rows(true), 0.995);
  if (!theta_step_.allFinite() || std::max(lengths.primal, lengths.dual) < 1e-9) return false;
  return move(lengths);
}

InteriorPoint::Means InteriorPoint::means_of(const Row& row) const {
  Means means;
  for (std::size_t j = first_; j < end_; ++j) {
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
  const double levels = sum([&](std::size_t r, Sum& total) {
                          const Row& row = rows_[r];
                          const Means means = means_of(row);
                          outer_[r] = mixed_[r] = 0;
                          duals_[r] = row.dual[1];
                          for (std::size_t j = first_; j < end_; ++j) {
                            const double weight = row.dual[j] / row.slack[j];
                            const double off = slope(row, j) - means.slope;
                            const double apart = has_level(j) - means.level;
                            outer_[r] += weight * off * off;
                            mixed_[r] += weight * off * apart;
                            total.value += weight * apart * apart;
                          }
                        }).value;
  const Eigen::Index size = problem_.size();
  Eigen::MatrixXd matrix(size + 1, size + 1);
  matrix.topLeftCorner(size, size) = terms_->curvature(outer_, duals_);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!problem_.is_intercept(i)) matrix(i, i) += problem_.ridge() / unit_;
  }
  const Eigen::VectorXd side = -terms_->lift(mixed_);
  matrix.block(0, size, size, 1) = side;
  matrix.block(size, 0, 1, size) = side.transpose();
  matrix(size, size) = first_ == 0 ? levels : 1.0;
  matrix.diagonal().array() *= 1 + 1e-14;
  matrix.diagonal().array() +=
      1e-16 * matrix.diagonal().head(size).mean() + std::numeric_limits<double>::min();
  factor_.compute(matrix);
}

// What a row does while theta and level stand still, from its equations: duals add up to the cost,
// slacks follow z, products meet their aim.
void InteriorPoint::stand_still(std::size_t r, bool corrects, double aim) {
  const Row& row = rows_[r];
  RowStep& step = row_steps_[r];
  double weights = 0;
  double total = 0;
  double missing = row.cost;
  for (std::size_t j = first_; j < end_; ++j) {
    const double second = corrects ? step.slack[j] : 0.0;
    step.dual[j] = (aim - second) / row.slack[j] - row.dual[j];
    weights += row.dual[j] / row.slack[j];
    total += step.dual[j];
    missing -= row.dual[j];
  }
  step.z = (total - missing) / weights;
  for (std::size_t j = first_; j < end_; ++j) {
    step.dual[j] -= row.dual[j] / row.slack[j] * step.z;
  }
}

// Of theta and level; row_steps_ then hold what the rows do without them.
void InteriorPoint::find_direction(bool corrects, double aim) {
  std::vector<double>& pulls = mixed_;
  const double level_sum = sum([&](std::size_t r, Sum& total) {
                             stand_still(r, corrects, aim);
                             pulls[r] = 0;
                             for (std::size_t j = first_; j < end_; ++j) {
                               const double dual = rows_[r].dual[j] + row_steps_[r].dual[j];
                               pulls[r] += slope(rows_[r], j) * dual;
                               total.value += has_level(j) * dual;
                             }
                           }).value;
  const Eigen::Index size = problem_.size();
  Eigen::VectorXd right(size + 1);
  right.head(size) = -terms_->lift(pulls);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!problem_.is_intercept(i)) right(i) -= problem_.ridge() / unit_ * theta_(i);
  }
  right(size) = first_ == 0 ? level_sum - level_cost_ : 0.0;
  const Eigen::VectorXd solved = factor_.solve(right);
  theta_step_ = solved.head(size);
  level_step_ = solved(size);
}

void InteriorPoint::Reach::add(const Reach& other) {
  primal = std::min(primal, other.primal);
  dual = std::min(dual, other.dual);
  by_slack += other.by_slack;
  by_dual += other.by_dual;
  by_both += other.by_both;
}

// The rows' part of the step, from that of theta and level.
InteriorPoint::Reach InteriorPoint::complete_rows(bool corrects) {
  const std::vector<double>& changes = terms_->changes(theta_step_);
  return sum<Reach>([&](std::size_t r, Reach& reach) {
    const Row& row = rows_[r];
    RowStep& step = row_steps_[r];
    const Means means = means_of(row);
    const double mean = means.slope * changes[r] - means.level * level_step_;
    step.z += mean;
    for (std::size_t j = first_; j < end_; ++j) {
      const double change = slope(row, j) * changes[r] - has_level(j) * level_step_;
      const double slack = step.z - change;
      step.dual[j] += row.dual[j] / row.slack[j] * (change - mean);
      if (slack < 0) reach.primal = std::min(reach.primal, -row.slack[j] / slack);
      if (step.dual[j] < 0) reach.dual = std::min(reach.dual, -row.dual[j] / step.dual[j]);
      reach.by_slack += slack * row.dual[j];
      reach.by_dual += row.slack[j] * step.dual[j];
      reach.by_both += slack * step.dual[j];
      step.slack[j] = corrects ? slack : slack * step.dual[j];
    }
  });
}

// What is not linear couples both lengths.
InteriorPoint::Lengths InteriorPoint::longest(const Reach& reach, double share) const {
  const double primal = std::min(1.0, share * reach.primal);
  const double dual = std::min(1.0, share * reach.dual);
  if (problem_.ridge() == 0 && !is_smooth(problem_.loss())) return {primal, dual};
  return {std::min(primal, dual), std::min(primal, dual)};
}

// A curved loss ends above its linear model: z rises so that every slack keeps at least half of
// what the model promised it.
InteriorPoint::Row InteriorPoint::moved(std::size_t r, Lengths lengths, double level) const {
  Row row = rows_[r];
  const RowStep& step = row_steps_[r];
  const double value = terms_->values()[r];
  row.z += lengths.primal * step.z;
  for (std::size_t j = first_; j < end_; ++j) {
    row.slack[j] = 0.5 * (row.slack[j] + lengths.primal * step.slack[j]);
    row.dual[j] += lengths.dual * step.dual[j];
    row.z = std::max(row.z, floor_of(row, j, value, level) + row.slack[j]);
  }
  for (std::size_t j = first_; j < end_; ++j) {
    // Where both nearly cancel, the promise is the safer one.
    row.slack[j] = std::max(row.slack[j], row.z - floor_of(row, j, value, level));
  }
  return row;
}

// When the gap grows all the same, the step was too long.
bool InteriorPoint::move(Lengths lengths) {
  for (int halving = 0; halving < 30; ++halving, lengths.primal *= 0.5, lengths.dual *= 0.5) {
    const Eigen::VectorXd theta = theta_ + lengths.primal * theta_step_;
    const double level = level_ + lengths.primal * level_step_;
    terms_->move_to(theta);
    const double after = sum([&](std::size_t r, Sum& total) {
                           const Row row = moved(r, lengths, level);
                           for (std::size_t j = first_; j < end_; ++j) {
                             total.value += row.slack[j] * row.dual[j];
                           }
                         }).value;
    if (!(after <= 2 * complementarity_)) continue;
    each_row([&](std::size_t r) { rows_[r] = moved(r, lengths, level); });
    theta_ = theta;
    level_ = level;
    complementarity_ = after;
    return true;
  }
  terms_->move_to(theta_);
  return false;
}

}  // namespace adacvar
