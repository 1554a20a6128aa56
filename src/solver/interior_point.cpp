#include "solver/interior_point.hpp"

#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace adacvar {

namespace {

// Share of a row's cap below which the row does not count.
constexpr double kLeastWeight = 1e-15;

// To begin with, for losses whose curvature may vanish.
constexpr double kDamping = 1e-6;

// So many rows never reach the path together.
constexpr std::size_t kMany = 4096;

// Without those of the mean if it is a term of its own.
std::vector<Index> rows_in(const Problem& problem, const RowWeights& costs) {
  std::vector<Index> rows = costs.rows;
  const bool has_tail = costs.fixed < rows.size();
  if (is_smooth(problem.loss()) && has_tail) rows.resize(rows.size() - costs.fixed);
  return rows;
}

}  // namespace

InteriorPoint::InteriorPoint(const Problem& problem, const RowWeights& costs,
                             const Eigen::VectorXd& theta, double gap, LinearTerm rest)
    : problem_(problem),
      rest_(std::move(rest)),
      terms_(problem, rows_in(problem, costs)),
      unit_(*std::ranges::max_element(std::span(costs.weights).first(terms_.rows().size()))),
      level_cost_((1 - problem.settings().risk.gamma) / unit_),
      free_(costs.rows.size() - costs.fixed),
      end_(1 + terms_.piece_count()),
      theta_(theta),
      damping_(problem.loss().kind() == LossKind::squared ? 0.0 : kDamping),
      is_on_path_(!is_smooth(problem.loss()) || (gap == 0 && terms_.rows().size() < kMany)),
      rows_(terms_.rows().size()),
      row_steps_(rows_.size()),
      outer_(rows_.size()),
      mixed_(rows_.size()),
      duals_(rows_.size()) {
  if (rows_.size() < costs.rows.size()) mean_.emplace(problem);
  move_terms(theta_);
  if (terms_.piece_count() > 1) pieces_.resize(rows_.size());
  each_row([&](std::size_t r) {
    if (!pieces_.empty()) pieces_[r] = terms_.pieces(r);
    rows_[r].cost = costs.weights[r] / unit_;
  });
  constraints_ = sum([&](std::size_t r, Sum& total) {
                   total.value += rows_[r].cost * static_cast<double>(end_ - first(r));
                 }).value;
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

void InteriorPoint::move_terms(const Eigen::VectorXd& theta) {
  terms_.move_to(theta);
  if (mean_) mean_->move_to(theta);
}

void InteriorPoint::begin(double gap) {
  std::vector<double> losses(rows_.size());
  std::vector<double> costs(rows_.size());
  each_row([&](std::size_t r) {
    losses[r] = terms_.loss(r);
    costs[r] = rows_[r].cost;
  });
  if (free_ > 0) {
    const auto free_costs = std::span(costs).first(free_);
    const double all = std::accumulate(free_costs.begin(), free_costs.end(), 0.0);
    level_ =
        value_at_risk(std::span(losses).first(free_), free_costs, std::min(1.0, level_cost_ / all));
  }
  if (gap == 0) {
    gap = 2 * sum([&](std::size_t r, Sum& s) { s.value += costs[r] * losses[r]; }).value;
    gap = std::max(gap, 1e-300 * constraints_);
  }
  centre(gap / constraints_);
}

void InteriorPoint::centre(double aim) {
  each_row([&](std::size_t r) { rows_[r] = centred(r, aim, level_); });
  const Totals totals = totals_after({0, 0}, level_);
  complementarity_ = totals.products;
  cost_ = totals.cost;
}

// The room that two constraints leave, one of them `apart` below the other: the root of a square.
double InteriorPoint::room_of_two(double apart, double least) {
  const double far = apart / least;
  const double root = far < 1e8 ? std::sqrt(far * far + 4) : far;
  return far > 2 ? 2 * apart / (far - 2 + root) : 0.5 * least * (2 - far + root);
}

// The room with which the duals, least * cost / slack, add up to the cost; `least` is what one of
// them alone would ask for. The sum is convex and falls, so Newton's method from too little room
// never overshoots.
double InteriorPoint::room_above(std::size_t r, const Triple& below, double least) const {
  const std::size_t first = this->first(r);
  if (end_ - first == 1) return least;
  if (end_ - first == 2) return room_of_two(std::max(below[first], below[first + 1]), least);
  double room = least;
  for (int pass = 0; pass < 50; ++pass) {
    double excess = -1;
    double slope = 0;
    for (std::size_t j = first; j < end_; ++j) {
      const double share = least / (below[j] + room);
      excess += share;
      slope += share / (below[j] + room);
    }
    const double more = excess / slope;
    if (!(more > 1e-15 * room)) break;
    room += more;
  }
  return room;
}

InteriorPoint::Row InteriorPoint::centred(std::size_t r, double aim, double level) const {
  Row row = rows_[r];
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = first(r); j < end_; ++j) {
    highest = std::max(highest, floor_of(r, j, level));
  }
  for (std::size_t j = first(r); j < end_; ++j) row.slack[j] = highest - floor_of(r, j, level);
  const double room = room_above(r, row.slack, aim);
  row.z = highest + room;
  for (std::size_t j = first(r); j < end_; ++j) {
    row.slack[j] += room;
    row.dual[j] = aim * row.cost / row.slack[j];
  }
  return row;
}

void InteriorPoint::read_dual(RowWeights& q, std::vector<double>& derivatives) const {
  q = {};
  derivatives.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const double second = end_ == kMost ? row.dual[2] : 0.0;
    const double weight = r < free_ ? row.dual[1] + second : row.cost;
    if (!(weight > kLeastWeight)) continue;
    q.rows.push_back(terms_.rows()[r]);
    q.weights.push_back(unit_ * weight);
    if (r >= free_) ++q.fixed;
    terms_.append_derivatives(r, row.dual[1], second, derivatives);
  }
  if (mean_) mean_->append(q, derivatives);
}

// A step that fails is tried again from the centre, where Newton's method descends. And where
// curvature vanishes, as a Huber loss's does far out, it leaps: more damping brings it back.
bool InteriorPoint::step() {
  constexpr double kMostDamping = 1e6;
  if (!is_on_path_ && approach()) return true;
  is_on_path_ = true;
  if (try_step()) return true;
  begin(complementarity_);
  is_plain_ = true;
  if (try_step()) return true;
  if (problem_.loss().kind() == LossKind::squared || !is_smooth(problem_.loss())) return false;
  while (damping_ < kMostDamping) {
    damping_ = std::max(1e-3, 100 * damping_);
    if (try_step()) return true;
  }
  return false;
}

// The corrector knows of products, not of the losses' curvature: where the last step lost ground,
// the next is a plain one.
bool InteriorPoint::try_step() {
  factorise();
  const double mean = complementarity_ / constraints_;
  if (is_plain_) {
    find_direction(false, 0.6 * mean);
  } else {
    find_direction(false, 0);
    const Reach reach = complete_rows(false);
    const Lengths whole = longest(reach, 1);
    const double after = complementarity_ + whole.primal * reach.by_slack +
                         whole.dual * reach.by_dual + whole.primal * whole.dual * reach.by_both;
    const double ratio = std::clamp(after / complementarity_, 0.0, 1.0);
    find_direction(true, ratio * ratio * ratio * mean);
  }
  const Lengths lengths = longest(complete_rows(true), 0.995);
  if (!theta_step_.allFinite() || std::max(lengths.primal, lengths.dual) < 1e-9) return false;
  return move(lengths);
}

InteriorPoint::Means InteriorPoint::means_of(std::size_t r) const {
  const Row& row = rows_[r];
  Means means;
  for (std::size_t j = first(r); j < end_; ++j) {
    const double weight = row.dual[j] / row.slack[j];
    means.sum += weight;
    means.slope += weight * slope(r, j);
    means.level += weight * has_level(r, j);
  }
  means.slope /= means.sum;
  means.level /= means.sum;
  return means;
}

// The matrix of theta and level when all else is eliminated.
void InteriorPoint::factorise() {
  const double levels = sum([&](std::size_t r, Sum& total) {
                          const Row& row = rows_[r];
                          const Means means = means_of(r);
                          outer_[r] = mixed_[r] = 0;
                          duals_[r] = row.dual[1];
                          for (std::size_t j = first(r); j < end_; ++j) {
                            const double weight = row.dual[j] / row.slack[j];
                            const double off = slope(r, j) - means.slope;
                            const double apart = has_level(r, j) - means.level;
                            outer_[r] += weight * off * off;
                            mixed_[r] += weight * off * apart;
                            total.value += weight * apart * apart;
                          }
                        }).value;
  const Eigen::Index size = problem_.size();
  Eigen::MatrixXd matrix(size + 1, size + 1);
  matrix.topLeftCorner(size, size) = terms_.curvature(outer_, duals_, damping_);
  matrix.diagonal().head(size) += problem_.ridge() / unit_;
  if (mean_) matrix.topLeftCorner(size, size) += mean_->hessian() / unit_;
  const Eigen::VectorXd side = -terms_.lift(mixed_);
  matrix.block(0, size, size, 1) = side;
  matrix.block(size, 0, 1, size) = side.transpose();
  matrix(size, size) = free_ > 0 ? levels : 1.0;
  problem_.hold(matrix);
  factor_.compute(std::move(matrix));
}

// The step of a row while theta and level stand still, from its equations: duals add up to the
// cost, slacks follow z, products meet their aim.
void InteriorPoint::stand_still(std::size_t r, bool corrects, double aim) {
  const Row& row = rows_[r];
  RowStep& step = row_steps_[r];
  double weights = 0;
  double total = 0;
  double missing = row.cost;
  for (std::size_t j = first(r); j < end_; ++j) {
    const double second = corrects ? step.slack[j] : 0.0;
    step.dual[j] = (aim * row.cost - second) / row.slack[j] - row.dual[j];
    weights += row.dual[j] / row.slack[j];
    total += step.dual[j];
    missing -= row.dual[j];
  }
  step.z = (total - missing) / weights;
  for (std::size_t j = first(r); j < end_; ++j) {
    step.dual[j] -= row.dual[j] / row.slack[j] * step.z;
  }
}

// The step of theta and level; row_steps_ then hold the steps of the rows without them.
void InteriorPoint::find_direction(bool corrects, double aim) {
  std::vector<double>& pulls = mixed_;
  const double level_sum = sum([&](std::size_t r, Sum& total) {
                             stand_still(r, corrects, aim);
                             pulls[r] = 0;
                             for (std::size_t j = first(r); j < end_; ++j) {
                               const double dual = rows_[r].dual[j] + row_steps_[r].dual[j];
                               pulls[r] += slope(r, j) * dual;
                               total.value += has_level(r, j) * dual;
                             }
                           }).value;
  const Eigen::Index size = problem_.size();
  Eigen::VectorXd right(size + 1);
  Eigen::VectorXd gradient = terms_.lift(pulls) + problem_.ridge().cwiseProduct(theta_) / unit_;
  if (rest_.gradient.size() > 0) gradient += rest_.gradient / unit_;
  if (mean_) gradient += mean_->gradient() / unit_;
  problem_.hold(gradient);
  right.head(size) = -gradient;
  right(size) = free_ > 0 ? level_sum - level_cost_ : 0.0;
  const Eigen::VectorXd solved = factor_.solve(right);
  decrement_ = right.dot(solved);
  theta_step_ = solved.head(size);
  problem_.remove_common_part(theta_step_);
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
  const std::vector<double>& changes = terms_.changes(theta_step_);
  return sum<Reach>([&](std::size_t r, Reach& reach) {
    const Row& row = rows_[r];
    RowStep& step = row_steps_[r];
    const Means means = means_of(r);
    const double mean = means.slope * changes[r] - means.level * level_step_;
    step.z += mean;
    for (std::size_t j = first(r); j < end_; ++j) {
      const double change = slope(r, j) * changes[r] - has_level(r, j) * level_step_;
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

// Losses that are not linear couple both lengths.
InteriorPoint::Lengths InteriorPoint::longest(const Reach& reach, double share) const {
  const double primal = std::min(1.0, share * reach.primal);
  const double dual = std::min(1.0, share * reach.dual);
  if (!problem_.has_ridge() && !is_smooth(problem_.loss())) return {primal, dual};
  return {std::min(primal, dual), std::min(primal, dual)};
}

// A curved loss ends above its linear model: z rises so that every slack keeps at least half of
// what the model promised it.
InteriorPoint::Row InteriorPoint::moved(std::size_t r, Lengths lengths, double level) const {
  Row row = rows_[r];
  const RowStep& step = row_steps_[r];
  row.z += lengths.primal * step.z;
  for (std::size_t j = first(r); j < end_; ++j) {
    row.slack[j] = 0.5 * (row.slack[j] + lengths.primal * step.slack[j]);
    row.dual[j] += lengths.dual * step.dual[j];
    row.z = std::max(row.z, floor_of(r, j, level) + row.slack[j]);
  }
  for (std::size_t j = first(r); j < end_; ++j) {
    // Where both nearly cancel, the promise is the safer one.
    row.slack[j] = std::max(row.slack[j], row.z - floor_of(r, j, level));
  }
  return row;
}

void InteriorPoint::Totals::add(const Totals& other) {
  products += other.products;
  cost += other.cost;
}

InteriorPoint::Totals InteriorPoint::totals_after(Lengths lengths, double level) const {
  Totals totals = sum<Totals>([&](std::size_t r, Totals& total) {
    const Row row = moved(r, lengths, level);
    total.cost += row.cost * row.z;
    for (std::size_t j = first(r); j < end_; ++j) total.products += row.slack[j] * row.dual[j];
  });
  if (free_ > 0) totals.cost += level_cost_ * level;
  return totals;
}

// When the products or the cost grow all the same, the step was too long.
bool InteriorPoint::move(Lengths lengths) {
  constexpr int kMostHalvings = 8;
  const double before = value();
  for (int halving = 0; halving < kMostHalvings; ++halving) {
    const Eigen::VectorXd theta = theta_ + lengths.primal * theta_step_;
    const double level = level_ + lengths.primal * level_step_;
    move_terms(theta);
    const Totals after = totals_after(lengths, level);
    const double value = unit_ * after.cost + beside(theta);
    if (value + unit_ * after.products <= before + 1.3 * gap()) {
      each_row([&](std::size_t r) { rows_[r] = moved(r, lengths, level); });
      theta_ = theta;
      level_ = level;
      is_plain_ = after.products > complementarity_;
      complementarity_ = after.products;
      cost_ = after.cost;
      damping_ = halving == 0 ? 0.1 * damping_ : 10 * damping_;
      if (damping_ < 1e-12) damping_ = 0;
      return true;
    }
    lengths.primal *= 0.5;
    lengths.dual *= 0.5;
  }
  move_terms(theta_);
  return false;
}

// The barrier function at theta and level when every row is centred.
double InteriorPoint::barrier(double aim, double level) const {
  const double rows = sum([&](std::size_t r, Sum& total) {
                        const Row row = centred(r, aim, level);
                        double slacks = 1;
                        for (std::size_t j = first(r); j < end_; ++j) slacks *= row.slack[j];
                        total.value += row.cost * (row.z - aim * std::log(slacks));
                      }).value;
  return rows + (free_ > 0 ? level_cost_ * level : 0.0);
}

// One step of Newton's method on the barrier function. False if it did not fall.
bool InteriorPoint::descend(double aim) {
  constexpr int kMostHalvings = 12;
  factorise();
  find_direction(false, aim);
  const double before = barrier(aim, level_) + beside(theta_) / unit_;
  double length = 1;
  for (int halving = 0; halving < kMostHalvings; ++halving, length *= 0.5) {
    const Eigen::VectorXd theta = theta_ + length * theta_step_;
    const double level = level_ + length * level_step_;
    move_terms(theta);
    const double fall = before - barrier(aim, level) - beside(theta) / unit_;
    if (fall > 0.1 * length * decrement_) {
      theta_ = theta;
      level_ = level;
      return true;
    }
  }
  move_terms(theta_);
  return false;
}

// As long as the barrier function falls by much of the gap the product stays; a smaller one is
// next when the step shows that its minimum is near.
bool InteriorPoint::approach() {
  constexpr double kNear = 0.005;  // relative gap from which the path is followed
  constexpr double kLess = 0.05;
  constexpr int kMostDescents = 30;  // with one product
  const double aim = complementarity_ / constraints_;
  if (++descents_ > kMostDescents || !descend(aim)) return false;
  const double off = decrement_ / complementarity_;
  const bool is_near = gap() <= kNear * value();
  is_on_path_ = is_near && off < 0.2;
  const bool asks_less = !is_near && off < 1;
  if (asks_less) descents_ = 0;
  centre(asks_less ? kLess * aim : aim);
  return true;
}

}  // namespace adacvar
