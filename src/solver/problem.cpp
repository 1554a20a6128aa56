#include "solver/problem.hpp"

#include "learner/row_kernels.hpp"
#include "solver/gram.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::size_t blocks_of(std::size_t rows) { return (rows + kRowBlock - 1) / kRowBlock; }

}  // namespace

double curvature_of(const Loss& loss, double derivative) {
  switch (loss.kind()) {
    case LossKind::squared:
      return 2.0;
    case LossKind::huber:
      return std::abs(derivative) < loss.delta() ? 1.0 : 0.0;
    case LossKind::logistic:
      return std::abs(derivative) * (1.0 - std::abs(derivative));
    case LossKind::absolute:
    case LossKind::pinball:
    case LossKind::hinge:
    case LossKind::softmax:
      break;
  }
  return 0.0;
}

Problem::Problem(const Dataset& data, const Loss& loss, const RiskSettings& risk,
                 std::span<const double> units)
    : data_(data),
      loss_(loss),
      settings_(risk),
      outputs_(loss.outputs(data.class_names.size())),
      size_(static_cast<Eigen::Index>(outputs_ * (data.features + 1))),
      ridge_(Eigen::VectorXd::Zero(size_)) {
  check_rows();
  prepare_shares();
  if (data.task == Task::regression) prepare_targets();
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (std::size_t f = 0; f < data.features; ++f) {
      const double unit = units.empty() ? 1.0 : units[f];
      const double factor = risk.ridge_factors.empty() ? 1.0 : risk.ridge_factors[f];
      ridge_(static_cast<Eigen::Index>(o * (data.features + 1) + f)) =
          risk.ridge * factor / unit / unit;
    }
  }
  if (!has_ridge()) find_held();
}

Problem::Problem(const Problem& whole, const Dataset& part)
    : data_(part),
      loss_(whole.loss_),
      settings_(whole.settings_),
      outputs_(whole.outputs_),
      size_(whole.size_),
      ridge_(whole.ridge_),
      held_(whole.held_) {}

void Problem::check_rows() const {
  if (data_.rows == 0) throw DataError("the data is empty");
  if (static_cast<std::size_t>(size_) > kMostParameters) {
    throw OptionError(
        fmt::format("{} parameters are more than the {} that second-order methods take", size_,
                    kMostParameters));
  }
  if (!data_.offsets.empty() && data_.offsets.size() != data_.rows * outputs_) {
    throw DataError(fmt::format("{} offsets were given for {} rows and {} outputs",
                                data_.offsets.size(), data_.rows, outputs_));
  }
  if (data_.weights.empty()) return;
  if (data_.weights.size() != data_.rows) {
    throw DataError(
        fmt::format("{} row weights were given for {} rows", data_.weights.size(), data_.rows));
  }
  for (std::size_t i = 0; i < data_.rows; ++i) {
    if (data_.weights[i] > 0 && std::isfinite(data_.weights[i])) continue;
    throw DataError(fmt::format("row {} has the weight {}; weights are finite and greater than 0",
                                i, data_.weights[i]));
  }
}

// A tail within some roundings of a whole number of rows is whole, as it is for `cvar`.
void Problem::prepare_shares() {
  detail::AccurateSum sum;
  for (const double weight : data_.weights) sum.add(weight);
  const double total = data_.weights.empty() ? static_cast<double>(data_.rows) : sum.value();
  const double tail = settings_.risk.alpha * total;
  const double whole = std::round(tail);
  const bool is_whole = std::abs(tail - whole) <= 8 * kEpsilon * tail;
  share_ = 1 / total;
  tail_share_ = (is_whole ? whole : tail) / total;
}

void Problem::prepare_targets() {
  for (std::size_t i = 0; i < data_.rows; ++i) {
    const auto row = static_cast<Index>(i);
    mean_target_ += (target(row) - offset(row)) * share(row);
    largest_target_ =
        std::max({largest_target_, std::abs(data_.targets[i]), std::abs(offset(row))});
  }
}

void Problem::find_held() {
  for (const std::uint32_t level : data_.reference_levels) {
    if (level < data_.features) continue;
    throw OptionError(fmt::format("reference level {} is not one of {} features, counted from 0",
                                  level, data_.features));
  }
  const std::vector<std::size_t> features = collinear_columns(data_, threads());
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (const std::size_t f : features) {
      held_.push_back(static_cast<Eigen::Index>(o * (data_.features + 1) + f));
    }
  }
}

TailRisk Problem::tail_risk(std::span<const double> losses) const {
  return data_.weights.empty() ? adacvar::tail_risk(losses, settings_.risk.alpha)
                               : adacvar::tail_risk(losses, data_.weights, settings_.risk.alpha);
}

double Problem::tail_level(std::span<const double> losses, double room) const {
  const double share = std::min(1.0, room * std::max(tail_share_, share_));
  return data_.weights.empty() ? value_at_risk(losses, share)
                               : value_at_risk(losses, data_.weights, share);
}

void Problem::hold(Eigen::VectorXd& parameters) const {
  for (const Eigen::Index i : held_) parameters(i) = 0;
}

void Problem::hold(Eigen::MatrixXd& hessian) const {
  for (const Eigen::Index i : held_) {
    hessian.row(i).setZero();
    hessian.col(i).setZero();
    hessian(i, i) = 1;
  }
}

LinearModel Problem::model(const Eigen::VectorXd& theta) const {
  LinearModel model(data_.features, outputs_);
  std::copy(theta.begin(), theta.end(), model.parameters().begin());
  return model;
}

Eigen::VectorXd Problem::constant() const {
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(size_);
  theta(size_ - 1) = mean_target_;
  return theta;
}

std::vector<double> Problem::constant_losses() const {
  std::vector<double> losses(data_.rows);
  for_each_block(blocks_of(data_.rows), threads(), [&](std::size_t b) {
    std::vector<double> scores(std::min(kRowBlock, data_.rows - b * kRowBlock) * outputs_,
                               mean_target_);
    for (std::size_t e = 0; e < scores.size(); ++e) {
      scores[e] += offset(static_cast<Index>(b * kRowBlock + e / outputs_), e % outputs_);
    }
    losses_from(scores, b * kRowBlock, losses);
  });
  return losses;
}

// Losses of the rows from `first` on; the scores become derivatives.
void Problem::losses_from(std::span<double> scores, std::size_t first,
                          std::span<double> losses) const {
  std::vector<double> targets(scores.size() / outputs_);
  for (std::size_t r = 0; r < targets.size(); ++r)
    targets[r] = target(static_cast<Index>(first + r));
  loss_.evaluate(scores, targets, losses.subspan(first, targets.size()), scores);
}

double Problem::rounding(double constant_loss) const {
  constexpr double kShare = 1e-12;
  if (data_.task != Task::regression) return kShare * constant_loss;
  const double digits =
      16 * (std::numeric_limits<double>::epsilon() * largest_target_ + data_.target_error);
  std::array<double, 2> scores{-digits, digits};
  std::array<double, 2> losses{};
  loss_.evaluate(scores, std::array{0.0, 0.0}, losses, scores);
  return kShare * constant_loss + std::max(losses[0], losses[1]);
}

Problem Problem::with_risk(const Risk& risk, double factor) const {
  Problem other = *this;
  other.settings_.risk = risk;
  other.settings_.ridge *= factor;
  other.ridge_ *= factor;
  other.prepare_shares();
  return other;
}

const MeanReference* Problem::mean_reference(const Eigen::VectorXd& theta) const {
  const auto nearest = std::ranges::min_element(
      *mean_references_, {},
      [&](const MeanReference& known) { return (theta - known.theta).norm(); });
  return nearest == mean_references_->end() ? nullptr : &*nearest;
}

void Problem::keep(MeanReference reference) const {
  constexpr Eigen::Index kMostEntries = 4'000'000;
  const Eigen::Index most = std::clamp<Eigen::Index>(kMostEntries / (size_ * size_), 1, 16);
  if (std::ssize(*mean_references_) >= most) mean_references_->erase(mean_references_->begin());
  mean_references_->push_back(std::move(reference));
}

const std::vector<double>& Problem::row_norms() const {
  if (!row_norms_->empty()) return *row_norms_;
  row_norms_->resize(data_.rows);
  for_each_row(data_.rows, threads(), [this](std::size_t row) {
    const bool sparse = data_.is_sparse();
    const std::size_t first = sparse ? data_.start[row] : row * data_.features;
    const std::size_t last = sparse ? data_.start[row + 1] : first + data_.features;
    double squares = 1;
    for (std::size_t e = first; e < last; ++e) {
      const auto x = static_cast<double>(sparse ? data_.entry(e) : data_.dense[e]);
      squares += x * x;
    }
    (*row_norms_)[row] = std::sqrt(squares);
  });
  return *row_norms_;
}

void Problem::linear_scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
                            std::vector<double>& scores) const {
  const std::size_t width = data_.features + 1;
  scores.resize(rows.size() * outputs_);
  for_each_block(blocks_of(rows.size()), threads(), [&](std::size_t b) {
    const std::size_t begin = b * kRowBlock;
    const auto block = rows.subspan(begin, std::min(kRowBlock, rows.size() - begin));
    for (std::size_t o = 0; o < outputs_; ++o) {
      const double* weights = theta.data() + o * width;
      score_rows(data_, block, weights, weights[data_.features],
                 scores.data() + begin * outputs_ + o, outputs_);
    }
  });
}

void Problem::scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
                     std::vector<double>& scores) const {
  linear_scores(theta, rows, scores);
  add_offsets(data_, rows, outputs_, scores);
}

void Problem::evaluate(const Eigen::VectorXd& theta, std::span<const Index> rows,
                       std::vector<double>& losses, std::vector<double>& derivatives) const {
  const LinearModel model = this->model(theta);
  losses.resize(rows.size());
  derivatives.resize(rows.size() * outputs_);
  for_each_block(blocks_of(rows.size()), threads(), [&](std::size_t b) {
    const std::size_t begin = b * kRowBlock;
    const std::size_t count = std::min(kRowBlock, rows.size() - begin);
    const std::span<const Index> block = rows.subspan(begin, count);
    std::vector<double> targets(count);
    for (std::size_t r = 0; r < count; ++r) targets[r] = target(block[r]);
    const auto scores = std::span(derivatives).subspan(begin * outputs_, count * outputs_);
    model.scores(data_, block, scores);
    loss_.evaluate(scores, targets, std::span(losses).subspan(begin, count), scores);
  });
}

std::vector<double> Problem::losses(const Eigen::VectorXd& theta) const {
  const LinearModel model = this->model(theta);
  std::vector<double> losses(data_.rows);
  for_each_block(blocks_of(data_.rows), threads(), [&](std::size_t b) {
    std::vector<Index> rows(std::min(kRowBlock, data_.rows - b * kRowBlock));
    std::iota(rows.begin(), rows.end(), static_cast<Index>(b * kRowBlock));
    std::vector<double> scores(rows.size() * outputs_);
    model.scores(data_, rows, scores);
    losses_from(scores, b * kRowBlock, losses);
  });
  return losses;
}

void Problem::remove_common_part(Eigen::VectorXd& step) const {
  if (outputs_ == 1) return;
  const auto classes = static_cast<Eigen::Index>(outputs_);
  Eigen::Map<Eigen::MatrixXd> by_class(step.data(), size_ / classes, classes);
  by_class.colwise() -= by_class.rowwise().mean().eval();
}

double Problem::penalty(const Eigen::VectorXd& theta) const {
  return 0.5 * ridge_.dot(theta.cwiseAbs2());
}

Eigen::VectorXd Problem::gradient(std::span<const Index> rows, std::span<const double> weights,
                                  std::span<const double> derivatives) const {
  const std::size_t blocks = blocks_of(rows.size());
  std::vector<Eigen::VectorXd> sums(blocks);
  const std::size_t width = data_.features + 1;
  for_each_block(blocks, threads(), [&](std::size_t b) {
    const std::size_t begin = b * kRowBlock;
    const std::size_t count = std::min(kRowBlock, rows.size() - begin);
    std::vector<double> weighted(count * outputs_);
    for (std::size_t e = 0; e < weighted.size(); ++e) {
      weighted[e] = weights[begin + e / outputs_] * derivatives[begin * outputs_ + e];
    }
    sums[b] = Eigen::VectorXd::Zero(size_);
    for (std::size_t o = 0; o < outputs_; ++o) {
      add_rows(data_, rows.subspan(begin, count), weighted.data() + o, outputs_,
               sums[b].data() + o * width);
    }
  });
  Eigen::VectorXd total = Eigen::VectorXd::Zero(size_);
  for (const Eigen::VectorXd& sum : sums) total += sum;
  return total;
}

double Problem::curvature(Index row, std::span<const double> derivatives, std::size_t c,
                          std::size_t e) const noexcept {
  if (outputs_ == 1) return curvature_of(loss_, derivatives[0]);
  // The derivative is the class's probability, less 1 for the row's own class.
  const auto own = static_cast<std::size_t>(target(row));
  const double p = derivatives[c] + (own == c ? 1.0 : 0.0);
  const double q = derivatives[e] + (own == e ? 1.0 : 0.0);
  return (c == e ? p : 0.0) - p * q;
}

Eigen::MatrixXd Problem::hessian(std::span<const Index> rows, std::span<const double> weights,
                                 std::span<const double> outer, std::span<const double> derivatives,
                                 double damping) const {
  const auto width = static_cast<Eigen::Index>(data_.features + 1);
  Eigen::MatrixXd result(size_, size_);
  std::vector<double> entry(rows.size());
  for (std::size_t c = 0; c < outputs_; ++c) {
    for (std::size_t e = c; e < outputs_; ++e) {
      const double added = c == e ? damping * loss_.curvature() : 0.0;
      for_each_block(blocks_of(rows.size()), threads(), [&](std::size_t b) {
        for (std::size_t r = b * kRowBlock; r < std::min((b + 1) * kRowBlock, rows.size()); ++r) {
          const auto own = derivatives.subspan(r * outputs_, outputs_);
          entry[r] = weights[r] * (curvature(rows[r], own, c, e) + added);
          if (!outer.empty()) entry[r] += outer[r] * own[c] * own[e];
        }
      });
      const Eigen::MatrixXd block = weighted_gram(data_, rows, entry, threads());
      const Eigen::Index at = static_cast<Eigen::Index>(c) * width;
      const Eigen::Index to = static_cast<Eigen::Index>(e) * width;
      result.block(at, to, width, width) = block;
      result.block(to, at, width, width) = block;
    }
  }
  return result;
}

Dataset rows_of(const Dataset& data, std::span<const Index> rows) {
  Dataset part;
  part.rows = rows.size();
  part.features = data.features;
  part.task = data.task;
  part.target_error = data.target_error;
  part.class_names = data.class_names;
  part.reference_levels = data.reference_levels;
  part.levels = data.levels;
  if (data.is_sparse()) part.start.push_back(0);
  const std::size_t outputs = data.offsets.size() / std::max<std::size_t>(1, data.rows);
  for (const Index row : rows) {
    part.targets.push_back(data.targets[row]);
    if (!data.weights.empty()) part.weights.push_back(data.weights[row]);
    for (std::size_t o = 0; o < outputs; ++o)
      part.offsets.push_back(data.offsets[row * outputs + o]);
    if (data.is_sparse()) {
      for (std::size_t e = data.start[row]; e < data.start[row + std::size_t{1}]; ++e) {
        part.column.push_back(data.column[e]);
        if (!data.value.empty()) part.value.push_back(data.value[e]);
      }
      part.start.push_back(part.column.size());
    } else {
      const auto entries = std::span(data.dense).subspan(row * data.features, data.features);
      part.dense.insert(part.dense.end(), entries.begin(), entries.end());
    }
  }
  return part;
}

}  // namespace adacvar
