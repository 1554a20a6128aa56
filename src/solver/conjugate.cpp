#include "solver/conjugate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace adacvar {

namespace {

// Of a margin's loss: the slope is -p for class 1 and p for class 0.
double probability(double slope, double target) { return target > 0.5 ? -slope : slope; }

double within(double size, double most) { return size > most ? most / size : 1.0; }

Conjugate::Term quadratic(double slope, double part, double target) {
  return {-slope * (part + target), std::abs(slope) * (2 * std::abs(part) + std::abs(target))};
}

}  // namespace

bool Conjugate::is_of_margin() const {
  return loss_.kind() == LossKind::logistic || loss_.kind() == LossKind::hinge;
}

Conjugate::Term Conjugate::minus_value(double slope, double target) const {
  const double p = probability(slope, target);
  switch (loss_.kind()) {
    case LossKind::squared:
      return quadratic(slope, slope / 4, target);
    case LossKind::huber:
      return quadratic(slope, slope / 2, target);
    case LossKind::absolute:
    case LossKind::pinball:
      return quadratic(slope, 0, target);
    case LossKind::hinge:
      return {p, p};
    case LossKind::logistic:
      return entropy(std::array{p, 1 - p});
    case LossKind::softmax:
      break;
  }
  return {0, 0};
}

Conjugate::Term Conjugate::entropy(std::span<const double> probabilities) {
  Term term{0, 0};
  for (const double p : probabilities) {
    if (p <= 0) continue;
    term.value -= p * std::log(p);
    term.size += 1 - std::log(p);
  }
  return term;
}

double Conjugate::mobility(double slope, double target) const {
  switch (loss_.kind()) {
    case LossKind::huber: {
      const double share = slope / loss_.delta();
      return std::max(0.0, 1 - share * share);
    }
    case LossKind::absolute:
      return std::max(0.0, 1 - slope * slope);
    case LossKind::pinball:
      return std::max(0.0, (slope + loss_.tau()) * (1 - loss_.tau() - slope));
    case LossKind::logistic:
    case LossKind::hinge: {
      const double p = probability(slope, target);
      return std::max(0.0, p * (1 - p));
    }
    case LossKind::squared:
    case LossKind::softmax:
      break;
  }
  return 1.0;
}

double Conjugate::most_turn() const {
  return loss_.kind() == LossKind::huber ? 0.25 * std::min(1.0, loss_.delta()) : 0.25;
}

double Conjugate::clipped(double slope, double target, double least) const {
  return is_of_margin() && probability(slope, target) < least ? 0.0 : slope;
}

double Conjugate::allowed_factor(double slope, double target) const {
  switch (loss_.kind()) {
    case LossKind::huber:
      return within(std::abs(slope), loss_.delta());
    case LossKind::absolute:
      return within(std::abs(slope), 1.0);
    case LossKind::pinball:
      return slope > 0 ? within(slope, 1 - loss_.tau()) : within(-slope, loss_.tau());
    case LossKind::logistic:
    case LossKind::hinge:
      return within(probability(slope, target), 1.0);
    case LossKind::squared:
    case LossKind::softmax:
      break;
  }
  return 1.0;
}

// By p it is minus the score s that has the slope, by q the loss there.
Conjugate::Rates Conjugate::rates(double slope, double target) const {
  const double size = std::abs(slope) + 0.5;
  switch (loss_.kind()) {
    case LossKind::squared:
      return {size / 2 + std::abs(target), size * size / 4};
    case LossKind::huber: {
      const double most = std::min(loss_.delta(), size);
      return {most + std::abs(target), most * most / 2};
    }
    case LossKind::absolute:
    case LossKind::pinball:
      return {std::abs(target), 0};
    case LossKind::hinge:
      return {1, 0};
    case LossKind::logistic: {  // neither probability falls to less than half
      const double p = std::clamp(probability(slope, target), 0.0, 1.0);
      return {std::abs(std::log(p) - std::log1p(-p)) + std::numbers::ln2,
              std::numbers::ln2 - std::log1p(-p)};
    }
    case LossKind::softmax:
      break;
  }
  return {0, 0};
}

}  // namespace adacvar
