#include <adacvar/risk/classification.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/base/index.hpp>

#include "risk/row_weights.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace adacvar {

namespace {

constexpr std::size_t kMostClasses = 10'000;  // a matrix of 800 MB

std::size_t checked_classes(std::size_t classes) {
  if (classes < 1 || classes > kMostClasses) {
    throw OptionError(fmt::format("classes = {} is outside [1, {}]", classes, kMostClasses));
  }
  return classes;
}

void check_class(std::string_view name, std::size_t value, std::size_t classes) {
  if (value >= classes) {
    throw OptionError(fmt::format("{} = {} is outside [0, {}]", name, value, classes - 1));
  }
}

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::size_t classes)
    : classes_(checked_classes(classes)), counts_(classes * classes) {}

void ConfusionMatrix::add(std::size_t actual, std::size_t predicted, double weight) {
  const std::size_t cell = place(actual, predicted);
  check_row_weights({&weight, 1}, 1);
  counts_[cell] += weight;
  rows_ += weight;
}

double ConfusionMatrix::count(std::size_t actual, std::size_t predicted) const {
  return counts_[place(actual, predicted)];
}

ClassCount ConfusionMatrix::count(std::size_t class_index) const {
  check_class("class", class_index, classes_);
  ClassCount result;
  for (std::size_t other = 0; other < classes_; ++other) {
    result.actual += counts_[class_index * classes_ + other];
    result.predicted += counts_[other * classes_ + class_index];
  }
  result.correct = counts_[class_index * classes_ + class_index];
  return result;
}

double ConfusionMatrix::accuracy() const {
  check_not_empty();
  double correct = 0;
  for (std::size_t i = 0; i < classes_; ++i) correct += counts_[i * classes_ + i];
  return share(correct, rows_);
}

double ConfusionMatrix::precision(std::size_t class_index) const {
  const ClassCount rows = count(class_index);
  return share(rows.correct, rows.predicted);
}

double ConfusionMatrix::recall(std::size_t class_index) const {
  const ClassCount rows = count(class_index);
  return share(rows.correct, rows.actual);
}

double ConfusionMatrix::min_class_precision() const {
  check_not_empty();
  double smallest = 1;
  for (std::size_t i = 0; i < classes_; ++i) smallest = std::min(smallest, precision(i));
  return smallest;
}

std::size_t ConfusionMatrix::place(std::size_t actual, std::size_t predicted) const {
  check_class("actual", actual, classes_);
  check_class("predicted", predicted, classes_);
  return actual * classes_ + predicted;
}

void ConfusionMatrix::check_not_empty() const {
  if (rows_ == 0) throw DataError("the confusion matrix is empty: at least one row is needed");
}

std::optional<double> auc(std::span<const double> scores, std::span<const std::uint8_t> in_class,
                          std::span<const double> weights) {
  if (scores.size() != in_class.size()) {
    throw OptionError(
        fmt::format("auc: {} scores, {} marks of the class", scores.size(), in_class.size()));
  }
  check_row_weights(weights, scores.size());
  if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); })) {
    throw DataError("auc: a score is NaN");
  }
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) { return scores[i]; });
  double inside = 0;   // weight of the class's rows so far
  double outside = 0;  // weight of the other rows so far
  double pairs = 0;    // weight of the pairs in order; equal scores count one half
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied_inside = 0;
    double tied_outside = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      const double weight = weights.empty() ? 1.0 : weights[order[end]];
      (in_class[order[end]] != 0 ? tied_inside : tied_outside) += weight;
    }
    pairs += tied_inside * (outside + tied_outside / 2);
    inside += tied_inside;
    outside += tied_outside;
  }
  if (inside == 0 || outside == 0) return std::nullopt;
  return std::min(pairs / inside / outside, 1.0);  // rounding
}

std::optional<double> macro_auc(std::span<const double> scores, std::size_t classes,
                                std::span<const double> targets, std::span<const double> weights) {
  (void)checked_classes(classes);
  if (scores.size() != classes * targets.size()) {
    throw OptionError(fmt::format("auc: {} scores of {} rows and {} classes", scores.size(),
                                  targets.size(), classes));
  }
  return macro_auc([&](std::size_t row, std::size_t c) { return scores[row * classes + c]; },
                   classes, targets, weights);
}

std::optional<double> macro_auc(const std::function<double(std::size_t, std::size_t)>& score,
                                std::size_t classes, std::span<const double> targets,
                                std::span<const double> weights) {
  (void)checked_classes(classes);
  for (const double target : targets) {
    if (target >= 0 && target < static_cast<double>(classes)) continue;
    throw OptionError(fmt::format("target = {} is outside [0, {}]", target, classes - 1));
  }
  std::vector<double> own(targets.size());
  std::vector<std::uint8_t> in_class(targets.size());
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      own[i] = score(i, c);
      in_class[i] = static_cast<std::size_t>(targets[i]) == c ? 1 : 0;
    }
    if (const auto found = auc(own, in_class, weights)) {
      sum += *found;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace adacvar
