#include "solver/mobility.hpp"

#include "solver/copy_row.hpp"
#include "solver/dependent_columns.hpp"
#include "solver/exact_rank.hpp"
#include "solver/gram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace adacvar {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Of a column's square: with less left of it, not even that is known well enough.
constexpr double kNothing = 1e-26;

/// The vectors a of the edges.
class EdgeRows {
 public:
  EdgeRows(const Problem& problem, const std::vector<Edge>& edges)
      : data_(problem.data()), edges_(edges), row_(data_.features + 1) {}

  void load(std::size_t e) {
    edge_ = edges_[e];
    row_.back() = 1;
    copy_row(data_, edge_.row, std::span(row_).first(data_.features));
  }

  [[nodiscard]] float entry(Eigen::Index parameter) const {
    const std::size_t output = static_cast<std::size_t>(parameter) / row_.size();
    const float x = row_[static_cast<std::size_t>(parameter) % row_.size()];
    if (output == edge_.plus) return x;
    return output == edge_.minus ? -x : 0.0F;
  }

 private:
  const Dataset& data_;
  const std::vector<Edge>& edges_;
  Edge edge_{};
  std::vector<float> row_;
};

/// Rows and mobilities of the edges between two classes.
struct Pair {
  std::vector<Index> rows;
  std::vector<double> weights;
};

Eigen::MatrixXd gram_of(const Problem& problem, const std::vector<Edge>& edges) {
  const std::size_t outputs = problem.outputs();
  std::vector<Pair> pairs(outputs * outputs);
  for (const Edge& edge : edges) {
    if (edge.mobility == 0) continue;
    const auto [low, high] = std::minmax(edge.plus, edge.minus);
    Pair& pair = pairs[low * outputs + high];
    pair.rows.push_back(edge.row);
    pair.weights.push_back(edge.mobility);
  }
  const auto width = static_cast<Eigen::Index>(problem.data().features + 1);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(problem.size(), problem.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (pairs[p].rows.empty()) continue;
    const Eigen::MatrixXd block =
        weighted_gram(problem.data(), pairs[p].rows, pairs[p].weights, problem.threads());
    const auto low = static_cast<Eigen::Index>(p / outputs) * width;
    const auto high = static_cast<Eigen::Index>(p % outputs) * width;
    result.block(low, low, width, width) += block;
    if (low == high) continue;
    result.block(high, high, width, width) += block;
    result.block(low, high, width, width) -= block;
    result.block(high, low, width, width) -= block;
  }
  return result;
}

Eigen::MatrixXd part_of(const Eigen::MatrixXd& matrix, const std::vector<Eigen::Index>& which) {
  const auto size = static_cast<Eigen::Index>(which.size());
  Eigen::MatrixXd part(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      part(i, j) = matrix(which[static_cast<std::size_t>(i)], which[static_cast<std::size_t>(j)]);
    }
  }
  return part;
}

Eigen::VectorXd unit_scale(const Eigen::MatrixXd& matrix) {
  return matrix.diagonal().unaryExpr(
      [](double entry) { return entry > 0 ? 1 / std::sqrt(entry) : 0.0; });
}

Eigen::MatrixXd scaled(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd scale = unit_scale(matrix);
  return scale.asDiagonal() * matrix * scale.asDiagonal();
}

// From above, by some steps of the inverse power method.
double least_eigenvalue(const Eigen::LLT<Eigen::MatrixXd>& factor, Eigen::Index size) {
  constexpr int kSteps = 10;
  Eigen::VectorXd direction(size);
  for (Eigen::Index i = 0; i < size; ++i) direction(i) = 1 + 0.3 * std::sin(static_cast<double>(i));
  double value = 1;
  for (int step = 0; step < kSteps; ++step) {
    direction.normalize();
    const Eigen::VectorXd next = factor.solve(direction);
    value = 1 / next.norm();
    direction = next;
  }
  return value;
}

}  // namespace

Mobility::Mobility(const Problem& problem, std::vector<Edge> edges, std::vector<Eigen::Index> bound,
                   Care care)
    : problem_(problem), edges_(std::move(edges)), gram_(gram_of(problem, edges_)) {
  // The intercepts first: columns may be constant.
  const auto width = static_cast<Eigen::Index>(problem.data().features + 1);
  std::ranges::stable_partition(bound, [&](Eigen::Index i) { return i % width == width - 1; });
  kept_ = bound;
  matrix_ = part_of(gram_, kept_);
  prove(care.well);
  // Many columns that are each just far enough from the others may not be from all together.
  for (double least = care.least; least_ == 0 && least < 0.1; least *= 1000) {
    if (!separate(bound, least)) break;
    prove(0);
  }
  factor_.compute(matrix_);
}

// Whether a column was found for each that is not implied.
bool Mobility::separate(const std::vector<Eigen::Index>& bound, double least) {
  const std::vector<Eigen::Index> places = passed_over(scaled(part_of(gram_, bound)), least);
  std::vector<Eigen::Index> passed;
  kept_.clear();
  remainders_.clear();
  remainder_error_ = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const bool is_passed = std::ranges::binary_search(places, static_cast<Eigen::Index>(i));
    (is_passed ? passed : kept_).push_back(bound[i]);
  }
  matrix_ = part_of(gram_, kept_);
  std::vector<Eigen::Index> order = kept_;
  order.insert(order.end(), passed.begin(), passed.end());
  EdgeRows rows(problem_, edges_);
  const std::vector<bool> is_implied =
      exactly_dependent(edges_.size(), order.size(), [&](std::size_t e, std::span<float> entries) {
        rows.load(e);
        for (std::size_t c = 0; c < order.size(); ++c) entries[c] = rows.entry(order[c]);
      });
  for (std::size_t c = kept_.size(); c < order.size(); ++c) {
    if (!is_implied[c] && !add_remainder(order[c])) return false;
  }
  return true;
}

// The values of a combination over the edges, its products with the basis and what rounding may
// have done to them.
Mobility::Measured Mobility::measure(Remainder& combination) const {
  using Long = long double;
  constexpr auto kLongEpsilon = static_cast<double>(std::numeric_limits<Long>::epsilon());
  std::vector<Eigen::Index> used;
  for (Eigen::Index i = 0; i < combination.factors.size(); ++i) {
    if (combination.factors(i) != 0) used.push_back(i);
  }
  const double chain = kLongEpsilon * static_cast<double>(used.size() + 2);
  Measured found{Eigen::VectorXd::Zero(matrix_.rows())};
  EdgeRows rows(problem_, edges_);
  combination.values.assign(edges_.size(), 0.0);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (edges_[e].mobility == 0) continue;
    rows.load(e);
    Long sum = 0;
    double size = 0;
    for (const Eigen::Index i : used) {
      const Long term =
          static_cast<Long>(combination.factors(i)) * static_cast<Long>(rows.entry(i));
      sum += term;
      size += std::abs(static_cast<double>(term));
    }
    const auto value = static_cast<double>(sum);
    combination.values[e] = value;
    const double weighted = edges_[e].mobility * value;
    const double error = chain * size + kEpsilon * std::abs(value);
    found.square += weighted * value;
    found.error += edges_[e].mobility * error * error;
    Eigen::Index k = 0;
    for (const Eigen::Index i : kept_) found.products(k++) += weighted * rows.entry(i);
    for (const Remainder& other : remainders_) found.products(k++) += weighted * other.values[e];
  }
  return found;
}

// What is left of a column when the basis is taken away. Each time leaves a share of some 1e-10 of
// what was there, as the matrix may be badly conditioned, down to the rounding of the factors.
bool Mobility::add_remainder(Eigen::Index column) {
  constexpr int kTimes = 3;
  const Eigen::MatrixXd basis = this->basis();
  ScaledFactor factor;
  factor.compute(matrix_);
  Remainder next{column, Eigen::VectorXd::Unit(problem_.size(), column), {}};
  Measured found = measure(next);
  for (int time = 0; time < kTimes; ++time) {
    next.factors -= basis * factor.solve(found.products);
    found = measure(next);
  }
  if (!(found.square > kNothing * gram_(column, column))) return false;
  // By a power of two, which rounds nothing.
  const double unit = std::ldexp(1.0, -std::ilogb(std::sqrt(found.square)));
  next.factors *= unit;
  for (double& value : next.values) value *= unit;
  remainder_error_ = std::max(remainder_error_, std::sqrt(found.error / found.square));
  const Eigen::Index size = matrix_.rows();
  matrix_.conservativeResize(size + 1, size + 1);
  matrix_.col(size).head(size) = unit * found.products;
  matrix_.row(size).head(size) = unit * found.products.transpose();
  matrix_(size, size) = unit * unit * found.square;
  remainders_.push_back(std::move(next));
  return true;
}

// Cholesky's method on the matrix less a multiple of the unit matrix: where it succeeds, the least
// eigenvalue is above that multiple, but for its rounding and that of the matrix [R06].
void Mobility::prove(double least) {
  const Eigen::Index size = matrix_.rows();
  if (size == 0) {
    least_ = 1;
    return;
  }
  Eigen::MatrixXd shifted = scaled(matrix_);
  Eigen::LLT<Eigen::MatrixXd> factor(shifted);
  if (factor.info() != Eigen::Success) return;
  const double estimate = least_eigenvalue(factor, size);
  const auto order = static_cast<double>(size);
  const double entry = gram_error() + 4 * remainder_error_ + 4 * kEpsilon;
  const double error = order * entry + 1.2 * order * (order + 1) * kEpsilon;
  double shift = 0;
  for (const double share : {0.5, 0.1, 0.01}) {
    const double next = share * estimate;
    if (!(next > std::max(2 * error, least))) return;
    shifted.diagonal().array() -= next - shift;
    shift = next;
    factor.compute(shifted);
    if (factor.info() != Eigen::Success) continue;
    least_ = next - error;
    return;
  }
}

// Of an entry of M beside its diagonal: sums of a block, of a part's blocks, of the parts and of
// pairs of classes; one sum for sparse rows.
double Mobility::gram_error() const {
  const auto count = static_cast<double>(edges_.size());
  const double chain =
      problem_.data().is_sparse() || !remainders_.empty() ? count : 64 + count / 64;
  return (chain + 20 + static_cast<double>(problem_.outputs())) * kEpsilon;
}

Eigen::MatrixXd Mobility::basis() const {
  const auto kept = static_cast<Eigen::Index>(kept_.size());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(problem_.size(), matrix_.rows());
  for (Eigen::Index k = 0; k < kept; ++k) result(kept_[static_cast<std::size_t>(k)], k) = 1;
  for (std::size_t r = 0; r < remainders_.size(); ++r) {
    result.col(kept + static_cast<Eigen::Index>(r)) = remainders_[r].factors;
  }
  return result;
}

Eigen::VectorXd Mobility::in_basis(const Eigen::VectorXd& rho) const {
  Eigen::VectorXd result(matrix_.rows());
  Eigen::Index k = 0;
  for (const Eigen::Index i : kept_) result(k++) = rho(i);
  for (const Remainder& remainder : remainders_) result(k++) = remainder.factors.dot(rho);
  return result;
}

Eigen::VectorXd Mobility::step(const Eigen::VectorXd& rho) const {
  const Eigen::VectorXd own = factor_.solve(in_basis(rho));
  Eigen::VectorXd result = Eigen::VectorXd::Zero(problem_.size());
  Eigen::Index k = 0;
  for (const Eigen::Index i : kept_) result(i) = own(k++);
  for (const Remainder& remainder : remainders_) result += own(k++) * remainder.factors;
  return result;
}

bool Mobility::balances(Eigen::Index parameter) const {
  return std::ranges::find(kept_, parameter) != kept_.end() ||
         std::ranges::find(remainders_, parameter, &Remainder::column) != remainders_.end();
}

double Mobility::norm(const Eigen::VectorXd& rho) const {
  return unit_scale(matrix_).cwiseProduct(in_basis(rho)).norm();
}

std::optional<double> Mobility::most(const Eigen::VectorXd& rho,
                                     const Eigen::VectorXd& errors) const {
  if (least_ == 0) return std::nullopt;
  Eigen::VectorXd own = in_basis(rho).cwiseAbs();
  Eigen::Index k = 0;
  for (const Eigen::Index i : kept_) own(k++) += errors(i);
  const double chain = kEpsilon * static_cast<double>(rho.size() + 2);
  for (const Remainder& remainder : remainders_) {
    own(k++) += remainder.factors.cwiseAbs().dot(errors + chain * rho.cwiseAbs());
  }
  return (1 + 1e-9) * unit_scale(matrix_).cwiseProduct(own).norm() / std::sqrt(least_);
}

}  // namespace adacvar
