#include "solver/problem.hpp"

#include "base/parallel.hpp"
#include "learner/row_kernels.hpp"
#include "solver/gram.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kMostParameters = 5000;

std::size_t blocks_of(std::size_t rows) { return (rows + kBlock - 1) / kBlock; }

}  // namespace

Problem::Problem(const Dataset& data, const Loss& loss, double ridge, unsigned threads)
    : data_(data),
      loss_(loss),
      ridge_(ridge),
      threads_(threads),
      outputs_(loss.outputs(data.class_names.size())),
      size_(static_cast<Eigen::Index>(outputs_ * (data.features + 1))) {
  if (data.rows == 0) throw DataError("the data is empty");
  if (static_cast<std::size_t>(size_) > kMostParameters) {
    throw OptionError(
        fmt::format("{} parameters are more than the {} that second-order methods take", size_,
                    kMostParameters));
  }
  targets_.reserve(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) targets_.push_back(target(static_cast<Index>(i)));
}

LinearModel Problem::model(const Eigen::VectorXd& theta) const {
  LinearModel model(data_.features, outputs_);
  std::copy(theta.begin(), theta.end(), model.parameters().begin());
  return model;
}

std::vector<double> Problem::scores(const Eigen::VectorXd& theta) const {
  std::vector<Index> rows(data_.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  return scores(theta, rows);
}

std::vector<double> Problem::scores(const Eigen::VectorXd& theta,
                                    std::span<const Index> rows) const {
  const LinearModel model = this->model(theta);
  std::vector<double> scores(rows.size() * outputs_);
  for_each_block(blocks_of(rows.size()), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, rows.size() - begin);
    model.scores(data_, rows.subspan(begin, count),
                 std::span(scores).subspan(begin * outputs_, count * outputs_));
  });
  return scores;
}

void Problem::evaluate(std::span<const double> scores, std::vector<double>& losses,
                       std::vector<double>& slopes) const {
  evaluate_with(targets_, scores, losses, slopes);
}

void Problem::evaluate(std::span<const Index> rows, std::span<const double> scores,
                       std::vector<double>& losses, std::vector<double>& slopes) const {
  std::vector<double> targets(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) targets[r] = targets_[rows[r]];
  evaluate_with(targets, scores, losses, slopes);
}

void Problem::evaluate_with(std::span<const double> targets, std::span<const double> scores,
                            std::vector<double>& losses, std::vector<double>& slopes) const {
  losses.resize(targets.size());
  slopes.resize(targets.size() * outputs_);
  for_each_block(blocks_of(targets.size()), threads_, [&](std::size_t b) {
    const std::size_t begin = b * kBlock;
    const std::size_t count = std::min(kBlock, targets.size() - begin);
    loss_.evaluate(scores.subspan(begin * outputs_, count * outputs_),
                   targets.subspan(begin, count), std::span(losses).subspan(begin, count),
                   std::span(slopes).subspan(begin * outputs_, count * outputs_));
  });
}

double Problem::penalty(const Eigen::VectorXd& theta) const {
  double squares = 0;
  for (Eigen::Index i = 0; i < size_; ++i) {
    if (!is_intercept(i)) squares += theta(i) * theta(i);
  }
  return 0.5 * ridge_ * squares;
}

void Problem::add_penalty_gradient(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    if (!is_intercept(i)) gradient(i) += ridge_ * theta(i);
  }
}

void Problem::add_penalty_curvature(Eigen::MatrixXd& hessian) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    if (!is_intercept(i)) hessian(i, i) += ridge_;
  }
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

Eigen::MatrixXd Problem::hessian(std::span<const Index> rows, std::span<const double> weights,
                                 std::span<const double> outer,
                                 std::span<const double> slopes) const {
  const auto width = static_cast<Eigen::Index>(data_.features + 1);
  Eigen::MatrixXd result(size_, size_);
  std::vector<double> entry(rows.size());
  const auto out = [&](std::size_t r) { return outer.empty() ? 0.0 : outer[r]; };
  for (std::size_t c = 0; c < outputs_; ++c) {
    for (std::size_t e = c; e < outputs_; ++e) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double one = slopes[r * outputs_ + c];
        const double other = slopes[r * outputs_ + e];
        double curve = 0;
        if (outputs_ == 1) {
          curve = curvature(one);
        } else {
          // The slope is the class's probability, less 1 for the row's own class.
          const auto own = static_cast<std::size_t>(targets_[rows[r]]);
          const double p = one + (own == c ? 1.0 : 0.0);
          const double q = other + (own == e ? 1.0 : 0.0);
          curve = (c == e ? p : 0.0) - p * q;
        }
        entry[r] = weights[r] * curve + out(r) * one * other;
      }
      const Eigen::MatrixXd block = weighted_gram(data_, rows, entry, threads_);
      result.block(static_cast<Eigen::Index>(c) * width, static_cast<Eigen::Index>(e) * width,
                   width, width) = block;
      result.block(static_cast<Eigen::Index>(e) * width, static_cast<Eigen::Index>(c) * width,
                   width, width) = block;
    }
  }
  return result;
}

}  // namespace adacvar
