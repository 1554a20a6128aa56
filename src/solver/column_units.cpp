#include "solver/column_units.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace adacvar {

namespace {

// Any units will do as long as they are exact, so some rows tell enough.
constexpr std::size_t kRowsLookedAt = 4096;
// A column this near to size 1 stays as it is.
constexpr int kNear = 6;
// One whose mean exceeds its deviation by this much gets a centre.
constexpr double kFar = 32;
// The square of the targets' unit, a squared loss's, is a number.
constexpr int kMostTargetExponent = 500;

/// Sums of a column, about its first entry.
struct Moments {
  std::size_t count = 0;
  double first = 0;
  double sum = 0;
  double squares = 0;

  void add(double x) {
    if (count++ == 0) first = x;
    const double off = x - first;
    sum += off;
    squares += off * off;
  }
  [[nodiscard]] double mean() const {
    return count == 0 ? 0.0 : first + sum / static_cast<double>(count);
  }
  [[nodiscard]] double deviation() const {
    if (count == 0) return 0;
    const double n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares - sum * sum / n) / n);
  }
};

/// How a column is transformed.
struct Plan {
  double centre = 0;
  int exponent = 0;  // of the unit
  double size = 0;   // of the entries, without a centre
  bool exact = true;

  // Without what was not exact.
  void give_way() {
    exponent = centre != 0 ? exponent_of(size) : 0;
    centre = 0;
    exact = true;
  }
  [[nodiscard]] bool changes() const { return centre != 0 || exponent != 0; }

  static int exponent_of(double size) {
    if (!(size > 0)) return 0;
    const int exponent = std::ilogb(size);
    return std::abs(exponent) > kNear ? exponent : 0;
  }
};

/// Calls work(feature, entry) for the entries of every `stride`-th row.
template <class Data, class Work>
void each_entry(Data& data, std::size_t stride, const Work& work) {
  for (std::size_t i = 0; i < data.rows; i += stride) {
    if (data.is_sparse()) {
      for (std::size_t e = data.start[i]; e < data.start[i + 1]; ++e) {
        float one = 1;  // a column of ones has its units already
        work(std::size_t{data.column[e]}, data.value.empty() ? one : data.value[e]);
      }
    } else {
      for (std::size_t f = 0; f < data.features; ++f) work(f, data.dense[i * data.features + f]);
    }
  }
}

Plan plan_of(const Moments& moments, bool may_centre) {
  const double mean = moments.mean();
  const double deviation = moments.deviation();
  Plan plan;
  plan.size = std::hypot(mean, deviation);
  if (may_centre && std::abs(mean) > kFar * deviation) {
    // On a grid as coarse as the column allows: differences then need few digits.
    const double grid = deviation > 0 ? std::ldexp(1.0, std::ilogb(deviation)) : 0.0;
    const double centre = grid > 0 ? grid * std::round(mean / grid) : mean;
    plan.centre = static_cast<double>(static_cast<float>(centre));
    plan.exponent = Plan::exponent_of(deviation);
  } else {
    plan.exponent = Plan::exponent_of(plan.size);
  }
  return plan;
}

std::vector<Plan> plans_for(const Dataset& data) {
  std::vector<Moments> moments(data.features);
  each_entry(data, std::max<std::size_t>(1, data.rows / kRowsLookedAt),
             [&](std::size_t f, float x) { moments[f].add(static_cast<double>(x)); });
  std::vector<Plan> plans;
  plans.reserve(data.features);
  for (const Moments& column : moments) plans.push_back(plan_of(column, !data.is_sparse()));
  return plans;
}

float in_units(float x, const Plan& plan) {
  return static_cast<float>(std::ldexp(static_cast<double>(x) - plan.centre, -plan.exponent));
}

// Whether rounding took nothing: of the difference, by Knuth's test, and of the quotient.
bool is_exact(float x, const Plan& plan) {
  const auto whole = static_cast<double>(x);
  const double difference = whole - plan.centre;
  const double taken = difference - whole;
  const double error = (whole - (difference - taken)) - (plan.centre + taken);
  return error == 0 &&
         std::ldexp(static_cast<double>(in_units(x, plan)), plan.exponent) == difference;
}

bool any_changes(const std::vector<Plan>& plans) {
  return std::ranges::any_of(plans, [](const Plan& plan) { return plan.changes(); });
}

// At most two columns' ways are given up, one after the other.
void keep_exact_ones(const Dataset& data, std::vector<Plan>& plans) {
  while (any_changes(plans)) {
    each_entry(data, 1, [&](std::size_t f, float x) {
      plans[f].exact = plans[f].exact && is_exact(x, plans[f]);
    });
    if (std::ranges::all_of(plans, &Plan::exact)) return;
    for (Plan& plan : plans) {
      if (!plan.exact) plan.give_way();
    }
  }
}

/// The plan for the targets. Those of a Huber loss have no larger unit than its delta, for
/// its derivatives are of that size.
Plan plan_for_targets(const Dataset& data, const Loss& loss) {
  Plan plan;
  if (data.task != Task::regression) return plan;
  Moments moments;
  for (const double target : data.targets) moments.add(target);
  const double mean = moments.mean();
  const double deviation = moments.deviation();
  const bool is_far = std::abs(mean) > kFar * deviation;
  if (is_far) plan.centre = mean;
  int exponent = Plan::exponent_of(is_far ? deviation : std::hypot(mean, deviation));
  if (loss.kind() == LossKind::huber && exponent > 0) {
    exponent = std::clamp(std::ilogb(loss.delta()), 0, exponent);
  }
  plan.exponent = std::clamp(exponent, -kMostTargetExponent, kMostTargetExponent);
  return plan;
}

// `unit` is a power of two: only overflow and underflow round.
double product_rounded_down(double bound, double unit) {
  const double product = bound * unit;
  if (std::isinf(product)) return std::numeric_limits<double>::max();
  return product / unit > bound ? std::nextafter(product, 0.0) : product;
}

}  // namespace

ColumnUnits::ColumnUnits(const Dataset& data, const Loss& loss)
    : original_(data), original_loss_(loss), units_(data.features, 1.0), centres_(data.features) {
  const Plan targets = plan_for_targets(data, loss);
  std::vector<Plan> plans = plans_for(data);
  keep_exact_ones(data, plans);
  if (!any_changes(plans) && !targets.changes()) return;
  for (std::size_t f = 0; f < data.features; ++f) {
    units_[f] = std::ldexp(1.0, plans[f].exponent);
    centres_[f] = plans[f].centre;
  }
  changed_ = data;
  each_entry(*changed_, 1, [&](std::size_t f, float& x) { x = in_units(x, plans[f]); });
  shift_ = targets.centre;
  target_unit_ = std::ldexp(1.0, targets.exponent);
  if (!targets.changes()) return;
  for (double& offset : changed_->offsets) offset /= target_unit_;
  double largest = 0;
  for (double& target : changed_->targets) {
    largest = std::max(largest, std::abs(target));
    target = (target - shift_) / target_unit_;
  }
  changed_->target_error =
      (data.target_error + std::numeric_limits<double>::epsilon() * largest) / target_unit_;
}

Loss ColumnUnits::loss() const {
  return Loss(original_loss_.kind(), original_loss_.delta() / target_unit_, original_loss_.tau());
}

// The weights are target_unit_ times those inside.
double ColumnUnits::to_units(double ridge) const {
  return ridge * (target_unit_ / original_loss_.unit(target_unit_)) * target_unit_;
}

Certificate ColumnUnits::from_units(const Certificate& certificate) const {
  const double unit = original_loss_.unit(target_unit_);
  return {.lower = product_rounded_down(certificate.lower, unit),
          .upper = certificate.upper * unit,
          .rounding = certificate.rounding * unit,
          .radius = certificate.radius};
}

// score = weight * unit * (x - centre) / unit + (intercept + weight * centre), of which the one
// inside is the part beyond the shift, in units of the target
Eigen::VectorXd ColumnUnits::to_units(Eigen::VectorXd theta) const {
  const std::size_t width = units_.size() + 1;
  for (auto output = theta.begin(); output != theta.end();
       output += static_cast<std::ptrdiff_t>(width)) {
    const std::span<double> own(&*output, width);
    own[width - 1] -= shift_;
    for (std::size_t f = 0; f + 1 < width; ++f) {
      own[width - 1] += own[f] * centres_[f];
      own[f] *= units_[f] / target_unit_;
    }
    own[width - 1] /= target_unit_;
  }
  return theta;
}

Eigen::VectorXd ColumnUnits::from_units(Eigen::VectorXd theta) const {
  const std::size_t width = units_.size() + 1;
  for (auto output = theta.begin(); output != theta.end();
       output += static_cast<std::ptrdiff_t>(width)) {
    const std::span<double> own(&*output, width);
    own[width - 1] *= target_unit_;
    for (std::size_t f = 0; f + 1 < width; ++f) {
      own[f] *= target_unit_ / units_[f];
      own[width - 1] -= own[f] * centres_[f];
    }
    own[width - 1] += shift_;
  }
  return theta;
}

}  // namespace adacvar
