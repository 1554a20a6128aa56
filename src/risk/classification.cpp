#include <adacvar/risk/classification.hpp>

#include <adacvar/base/error.hpp>

#include "risk/row_weights.hpp"

#include <fmt/core.h>

#include <algorithm>
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

}  // namespace adacvar
