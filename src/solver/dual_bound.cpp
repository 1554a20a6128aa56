#include "solver/dual_bound.hpp"

#include "solver/dual_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace adacvar {

namespace {

double weighted_loss_of_zero(const Problem& problem, const RowLaw& law) {
  std::vector<double> losses;
  std::vector<double> slopes;
  problem.evaluate(Eigen::VectorXd::Zero(problem.size()), law.rows, losses, slopes);
  return std::inner_product(losses.begin(), losses.end(), law.weights.begin(), 0.0);
}

/// Tries points with more and more room, in haste first: the best of their bounds.
class BoundSearch {
 public:
  BoundSearch(const Problem& problem, double alpha, const RowLaw& law,
              const std::vector<double>& slopes, const Eigen::VectorXd& theta, Models models)
      : start_(problem, theta, models, 1 / std::max(1.0, detail::tail_count(alpha, problem.rows())),
               law, slopes),
        // No loss is negative: 0 is a bound. Less is what underflow leaves of 0.
        nothing_(1e-30 * weighted_loss_of_zero(problem, law)) {}

  DualBound run() {
    if (!sweep(kHaste) && best_.value == 0) sweep(kPatience);
    return std::move(best_);
  }

 private:
  // What clipped slopes may leave for the others to balance.
  static constexpr double kHaste = 1e-6;
  static constexpr double kMostRoom = 1e-2;
  static constexpr double kPatience = std::numeric_limits<double>::infinity();

  // False when points were given up.
  bool sweep(double limit) {
    bool is_complete = true;
    for (const double share : {0.0, 1e-12, 1e-9, 1e-6, 1e-4, kMostRoom}) {
      DualPoint point = start_;
      point.give_room(share);
      const double hoped = point.value();
      if (!point.balance(share < kMostRoom ? limit : kPatience)) {
        is_complete = false;
        continue;
      }
      point.shrink_into_domain();
      const auto found = point.value_above(std::max(best_.value, nothing_));
      keep_better(found, point);
      // One that lost much on the way leaves hope for others.
      if (found && found->cost <= 1e-10 * found->bound && found->bound >= 0.5 * hoped) break;
    }
    return is_complete;
  }

  void keep_better(const std::optional<DualPoint::Value>& found, DualPoint& point) {
    const bool is_better = found && std::isfinite(found->bound) && found->bound > best_.value;
    if (is_better) best_.value = found->bound;
    if (!is_better && !best_.law.rows.empty()) return;
    best_.law = point.take_law();
    best_.slopes = point.take_slopes();
  }

  DualPoint start_;
  double nothing_;
  DualBound best_;
};

}  // namespace

DualBound dual_bound(const Problem& problem, double alpha, const RowLaw& law,
                     const std::vector<double>& slopes, const Eigen::VectorXd& theta,
                     Models models) {
  if (law.rows.empty()) return {};
  return BoundSearch(problem, alpha, law, slopes, theta, models).run();
}

}  // namespace adacvar
