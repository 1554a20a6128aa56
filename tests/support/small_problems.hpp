#pragma once

#include <adacvar/base/rng.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/cvar.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace adacvar::support {

inline constexpr std::array kAllLosses{LossKind::squared, LossKind::absolute, LossKind::huber,
                                       LossKind::pinball, LossKind::logistic, LossKind::softmax,
                                       LossKind::hinge};

/// Approximately standard normal: the sum of twelve uniform numbers.
inline double normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

struct Shape {
  std::size_t rows = 10;
  std::size_t features = 2;
  std::size_t classes = 2;  ///< for classification
  double noise = 1;
};

/// Standard normal features; targets that follow them, with noise.
inline Dataset random_data(Task task, const Shape& shape, Rng& rng) {
  Dataset data;
  data.rows = shape.rows;
  data.features = shape.features;
  data.task = task;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    double score = shape.noise * normal(rng);
    for (std::size_t f = 0; f < shape.features; ++f) {
      data.dense.push_back(static_cast<float>(normal(rng)));
      score += static_cast<double>(data.dense.back()) / static_cast<double>(f + 1);
    }
    if (task == Task::regression) {
      data.targets.push_back(score);
    } else {
      const double level = std::floor((score + 2) / 4 * static_cast<double>(shape.classes));
      data.targets.push_back(
          std::min(std::max(level, 0.0), static_cast<double>(shape.classes - 1)));
    }
  }
  if (task != Task::regression) {
    for (std::size_t c = 0; c < shape.classes; ++c) data.class_names.push_back(std::to_string(c));
  }
  return data;
}

/// The same data in sparse form; with `thin`, entries are removed with probability 1/3, also from
/// `data`.
inline Dataset as_sparse(Dataset& data, bool thin, Rng& rng) {
  Dataset sparse = data;
  sparse.dense.clear();
  sparse.start.push_back(0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (std::size_t f = 0; f < data.features; ++f) {
      float& value = data.dense[i * data.features + f];
      if (thin && rng.below(3) == 0) value = 0;
      if (value == 0) continue;
      sparse.column.push_back(static_cast<std::uint32_t>(f));
      sparse.value.push_back(value);
    }
    sparse.start.push_back(sparse.column.size());
  }
  return sparse;
}

/// CVaR of the model's losses + ridge/2 |weights|^2, by the library's plain functions.
inline double objective(const LinearModel& model, const Dataset& data, const Loss& loss,
                        double alpha, double ridge) {
  double squares = 0;
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    for (const double w : model.weights(o)) squares += w * w;
  }
  return cvar(losses_of(model, data, loss), alpha) + 0.5 * ridge * squares;
}

inline Task task_of(LossKind kind) {
  switch (kind) {
    case LossKind::logistic:
    case LossKind::hinge:
      return Task::binary;
    case LossKind::softmax:
      return Task::multiclass;
    case LossKind::squared:
    case LossKind::absolute:
    case LossKind::huber:
    case LossKind::pinball:
      break;
  }
  return Task::regression;
}

}  // namespace adacvar::support
