#include "solver/problem.hpp"

#include "base/parallel.hpp"
#include "learner/row_kernels.hpp"
#include "solver/accurate_rows.hpp"
#include "solver/dependent_columns.hpp"
#include "solver/gram.hpp"
#include "solver/parameter_limit.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kBlock = 4096;

std::size_t blocks_of(std::size_t rows) { return (rows + kBlock - 1) / kBlock; }

}  // namespace

Problem::Problem(const Dataset& data, const Loss& loss, double ridge, unsigned threads,
                 std::span<const double> units)
    : data_(data),
      loss_(loss),
      threads_(threads),
      outputs_(loss.outputs(data.class_names.size())),
      size_(static_cast<Eigen::Index>(outputs_ * (data.features + 1))),
      has_ridge_(ridge > 0) {
  if (data.rows == 0) throw DataError("the data is empty");
  if (static_cast<std::size_t>(size_) > kMostParameters) {
    throw OptionError(
        fmt::format("{} parameters are more than the {} that second-order methods take", size_,
                    kMostParameters));
  }
  if (data.task == Task::regression) {
    for (std::size_t i = 0; i < data.rows; ++i) {
      mean_target_ += (target(static_cast<Index>(i)) - mean_target_) / static_cast<double>(i + 1);
      largest_target_ = std::max(largest_target_, std::abs(data.targets[i]));
    }
    largest_target_ = (largest_target_ + std::abs(data.target_mean)) / data.target_sd;
  }
  ridge_ = Eigen::VectorXd::Zero(size_);
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (std::size_t f = 0; f < data.features; ++f) {
      const double unit = units.empty() ? 1.0 : units[f];
      ridge_(static_cast<Eigen::Index>(o * (data.features + 1) + f)) = ridge / unit / unit;
    }
  }
  if (!has_ridge_) dependent_ = dependent_columns(data, threads);
  if (dependent_.empty()) return;
  const std::vector<bool> exactly = exactly_dependent_columns(data);
  is_held_.resize(static_cast<std::size_t>(size_));
  is_idle_.resize(static_cast<std::size_t>(size_));
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (const std::uint32_t f : dependent_) {
      is_held_[o * (data.features + 1) + f] = true;
      is_idle_[o * (data.features + 1) + f] = exactly[f];
    }
  }
}

void Problem::hold(Eigen::VectorXd& parameters) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    if (is_held(i)) parameters(i) = 0;
  }
}

void Problem::hold(Eigen::MatrixXd& hessian) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    if (!is_held(i)) continue;
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
  for_each_block(blocks_of(data_.rows), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, data_.rows - begin);
    std::vector<double> targets(count);
    for (std::size_t r = 0; r < count; ++r) targets[r] = target(static_cast<Index>(begin + r));
    std::vector<double> scores(count * outputs_, mean_target_);
    loss_.evaluate(scores, targets, std::span(losses).subspan(begin, count), scores);
  });
  return losses;
}

double Problem::rounding(double constant_loss) const {
  constexpr double kShare = 1e-12;
  if (data_.task != Task::regression) return kShare * constant_loss;
  const double digits = 16 * std::numeric_limits<double>::epsilon() * largest_target_;
  std::array<double, 2> scores{-digits, digits};
  std::array<double, 2> losses{};
  loss_.evaluate(scores, std::array{0.0, 0.0}, losses, scores);
  return kShare * constant_loss + std::max(losses[0], losses[1]);
}

void Problem::scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
                     std::vector<double>& scores) const {
  const LinearModel model = this->model(theta);
  scores.resize(rows.size() * outputs_);
  for_each_block(blocks_of(rows.size()), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, rows.size() - begin);
    model.scores(data_, rows.subspan(begin, count),
                 std::span(scores).subspan(begin * outputs_, count * outputs_));
  });
}

void Problem::evaluate(const Eigen::VectorXd& theta, std::span<const Index> rows,
                       std::vector<double>& losses, std::vector<double>& slopes) const {
  const LinearModel model = this->model(theta);
  losses.resize(rows.size());
  slopes.resize(rows.size() * outputs_);
  for_each_block(blocks_of(rows.size()), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, rows.size() - begin);
    const std::span<const Index> block = rows.subspan(begin, count);
    std::vector<double> targets(count);
    for (std::size_t r = 0; r < count; ++r) targets[r] = target(block[r]);
    const auto scores = std::span(slopes).subspan(begin * outputs_, count * outputs_);
    model.scores(data_, block, scores);
    loss_.evaluate(scores, targets, std::span(losses).subspan(begin, count), scores);
  });
}

std::vector<double> Problem::losses(const Eigen::VectorXd& theta) const {
  const LinearModel model = this->model(theta);
  std::vector<double> losses(data_.rows);
  for_each_block(blocks_of(data_.rows), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, data_.rows - begin);
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<Index>(begin));
    std::vector<double> targets(count);
    for (std::size_t r = 0; r < count; ++r) targets[r] = target(rows[r]);
    std::vector<double> scores(count * outputs_);
    model.scores(data_, rows, scores);
    loss_.evaluate(scores, targets, std::span(losses).subspan(begin, count), scores);
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
                                  std::span<const double> slopes) const {
  const std::size_t blocks = blocks_of(rows.size());
  std::vector<Eigen::VectorXd> sums(blocks);
  const std::size_t width = data_.features + 1;
  for_each_block(blocks, threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, rows.size() - begin);
    std::vector<double> weighted(count * outputs_);
    for (std::size_t e = 0; e < weighted.size(); ++e) {
      weighted[e] = weights[begin + e / outputs_] * slopes[begin * outputs_ + e];
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

Eigen::VectorXd Problem::accurate_gradient(std::span<const Index> rows,
                                           std::span<const double> products) const {
  const std::size_t blocks = blocks_of(rows.size());
  const std::size_t width = data_.features + 1;
  std::vector<AccurateRows> sums(blocks);
  for_each_block(blocks, threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t end = std::min(begin + kBlock, rows.size());
    sums[b] = AccurateRows(outputs_ * width);
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        sums[b].add(data_, rows[r], products[r * outputs_ + o], o * width);
      }
    }
  });
  AccurateRows total(outputs_ * width);
  for (const AccurateRows& sum : sums) total.add(sum);
  return total.value();
}

std::size_t Problem::chain_of(std::size_t rows) noexcept {
  return 2 * std::min(rows, kBlock) + blocks_of(rows);
}

double Problem::largest_entry(std::span<const Index> rows) const {
  std::vector<float> largest(blocks_of(rows.size()), 1.0F);
  for_each_block(largest.size(), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    for (const Index row : rows.subspan(begin, std::min(kBlock, rows.size() - begin))) {
      const bool sparse = data_.is_sparse();
      const std::size_t first = sparse ? data_.start[row] : row * data_.features;
      const std::size_t last = sparse ? data_.start[row + std::size_t{1}] : first + data_.features;
      const std::vector<float>& entries = sparse ? data_.value : data_.dense;
      for (std::size_t e = first; e < last; ++e) {
        largest[b] = std::max(largest[b], std::abs(entries[e]));
      }
    }
  });
  return rows.empty() ? 1.0 : static_cast<double>(*std::ranges::max_element(largest));
}

double Problem::curvature(double slope) const noexcept {
  switch (loss_.kind()) {
    case LossKind::squared:
      return 2.0;
    case LossKind::huber:
      return std::abs(slope) < loss_.delta() ? 1.0 : 0.0;
    case LossKind::logistic:
      return std::abs(slope) * (1.0 - std::abs(slope));
    case LossKind::absolute:
    case LossKind::pinball:
    case LossKind::hinge:
    case LossKind::softmax:
      break;
  }
  return 0.0;
}

double Problem::curvature(Index row, std::span<const double> slopes, std::size_t c,
                          std::size_t e) const noexcept {
  if (outputs_ == 1) return curvature(slopes[0]);
  // The slope is the class's probability, less 1 for the row's own class.
  const auto own = static_cast<std::size_t>(target(row));
  const double p = slopes[c] + (own == c ? 1.0 : 0.0);
  const double q = slopes[e] + (own == e ? 1.0 : 0.0);
  return (c == e ? p : 0.0) - p * q;
}

Eigen::MatrixXd Problem::hessian(std::span<const Index> rows, std::span<const double> weights,
                                 std::span<const double> outer, std::span<const double> slopes,
                                 double damping) const {
  const auto width = static_cast<Eigen::Index>(data_.features + 1);
  Eigen::MatrixXd result(size_, size_);
  std::vector<double> entry(rows.size());
  for (std::size_t c = 0; c < outputs_; ++c) {
    for (std::size_t e = c; e < outputs_; ++e) {
      const double added = c == e ? damping * loss_.curvature() : 0.0;
      for_each_block(blocks_of(rows.size()), threads_, [&](std::size_t b) {
        for (std::size_t r = b * kBlock; r < std::min((b + 1) * kBlock, rows.size()); ++r) {
          const auto own = slopes.subspan(r * outputs_, outputs_);
          entry[r] = weights[r] * (curvature(rows[r], own, c, e) + added);
          if (!outer.empty()) entry[r] += outer[r] * own[c] * own[e];
        }
      });
      const Eigen::MatrixXd block = weighted_gram(data_, rows, entry, threads_);
      const Eigen::Index at = static_cast<Eigen::Index>(c) * width;
      const Eigen::Index to = static_cast<Eigen::Index>(e) * width;
      result.block(at, to, width, width) = block;
      result.block(to, at, width, width) = block;
    }
  }
  return result;
}

}  // namespace adacvar
