#include "risk/sharded_risk.hpp"

#include <adacvar/base/error.hpp>

#include "base/collectives.hpp"
#include "base/exact_sum.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace adacvar {

namespace {

// As in tail_risk: a tail within so many roundings of a whole number of rows is that number.
constexpr double kWhole = 8 * std::numeric_limits<double>::epsilon();

// Facts about the rows of a rank, or of all of them.
struct Survey {
  std::int64_t rows = 0;
  std::int64_t weights = 0;
  std::int64_t infinite_losses = 0;  // and NaN
  std::int64_t bad_weights = 0;
  double largest_loss = 0.0;  // without its sign
  double largest_weight = 0.0;
  double least_weight = std::numeric_limits<double>::infinity();  // above 0
};

Survey survey(std::span<const double> losses, std::span<const double> weights) {
  Survey result{.rows = static_cast<std::int64_t>(losses.size()),
                .weights = static_cast<std::int64_t>(weights.size())};
  for (const double loss : losses) {
    if (std::isfinite(loss)) {
      result.largest_loss = std::max(result.largest_loss, std::abs(loss));
    } else {
      ++result.infinite_losses;
    }
  }
  for (const double weight : weights) {
    if (!(weight >= 0 && std::isfinite(weight))) {
      ++result.bad_weights;
    } else if (weight > 0) {
      result.largest_weight = std::max(result.largest_weight, weight);
      result.least_weight = std::min(result.least_weight, weight);
    }
  }
  return result;
}

Survey survey_all(Communicator& ranks, std::span<const double> losses,
                  std::span<const double> weights) {
  Survey result;
  for (const Survey& one : gather_one(ranks, survey(losses, weights))) {
    result.rows += one.rows;
    result.weights += one.weights;
    result.infinite_losses += one.infinite_losses;
    result.bad_weights += one.bad_weights;
    result.largest_loss = std::max(result.largest_loss, one.largest_loss);
    result.largest_weight = std::max(result.largest_weight, one.largest_weight);
    result.least_weight = std::min(result.least_weight, one.least_weight);
  }
  return result;
}

void check(const Survey& all) {
  if (all.rows == 0) throw DataError("losses is empty: at least one loss is needed");
  if (all.weights == 0) return;
  if (all.weights != all.rows) {
    throw OptionError(
        fmt::format("weights has {} values, losses has {}, on all ranks", all.weights, all.rows));
  }
  if (all.bad_weights > 0) {
    throw DataError(fmt::format("{} of the weights are outside [0, inf)", all.bad_weights));
  }
  if (all.largest_weight == 0) {
    throw DataError("weights sum to 0: at least one weight above 0 is needed");
  }
  if (std::ilogb(all.largest_weight) - std::ilogb(all.least_weight) > 996) {
    throw DataError(fmt::format(
        "weights range from {} to {}: the largest may be at most 1e300 times the smallest above 0",
        all.least_weight, all.largest_weight));
  }
}

// An integer that is ordered as the numbers are, with -0 = 0.
std::uint64_t key_of(double value) noexcept {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double value_of(std::uint64_t key) noexcept {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

// A power of two that brings values to a largest one below 1, so that sums do not overflow and the
// errors of products do not underflow. Multiplying by it rounds what has no part in the sums.
class Unit {
 public:
  explicit Unit(double largest) : exponent_(largest > 0 ? std::ilogb(largest) + 1 : 0) {}

  [[nodiscard]] double from(double value) const { return std::ldexp(value, -exponent_); }
  [[nodiscard]] double to(double value) const { return std::ldexp(value, exponent_); }

 private:
  int exponent_;
};

double sum_over_ranks(Communicator& ranks, ExactSum own) {
  sum(ranks, std::span(&own, 1));
  return own.value();
}

struct Row {
  std::uint64_t key;
  double weight;
};

// Keeps the rows whose key has this digit.
void keep_digit(std::vector<Row>& rows, unsigned shift, std::uint64_t mask, std::uint64_t digit) {
  std::erase_if(rows, [=](const Row& row) { return ((row.key >> shift) & mask) != digit; });
}

struct Border {
  double loss;
  double above;  // number or weight of the losses above it
};

// The loss of that rank from the top, 0: the largest.
Border select_rank(Communicator& ranks, std::span<const double> losses, std::int64_t rank) {
  constexpr unsigned kBits = 11;
  constexpr std::uint64_t kMask = (1U << kBits) - 1;
  std::vector<std::uint64_t> keys(losses.size());
  std::ranges::transform(losses, keys.begin(), key_of);
  std::uint64_t border = 0;
  std::int64_t above = 0;
  for (unsigned left = 64; left > 0;) {
    const unsigned shift = left > kBits ? left - kBits : 0;
    std::array<std::int64_t, kMask + 1> counts{};
    for (const std::uint64_t key : keys) ++counts[(key >> shift) & kMask];
    ranks.sum(counts);
    std::uint64_t digit = kMask;
    for (; above + counts[digit] <= rank; --digit) above += counts[digit];
    std::erase_if(keys, [=](std::uint64_t key) { return ((key >> shift) & kMask) != digit; });
    border |= digit << shift;
    left = shift;
  }
  return {value_of(border), static_cast<double>(above)};
}

// The smallest loss with at most `most` weight above it.
Border select_weight(Communicator& ranks, std::vector<Row> rows, double most) {
  constexpr unsigned kBits = 8;
  constexpr std::uint64_t kMask = (1U << kBits) - 1;
  std::uint64_t border = 0;
  ExactSum above;
  for (unsigned shift = 64; shift > 0;) {
    shift -= kBits;
    std::vector<ExactSum> sums(kMask + 1);
    for (const Row& row : rows) sums[(row.key >> shift) & kMask].add(row.weight);
    sum(ranks, sums);
    std::uint64_t digit = 0;
    ExactSum above_digit = above;
    ExactSum next = above;
    for (std::uint64_t d = kMask + 1; d-- > 0;) {
      if (sums[d].value() == 0) continue;
      if (next.value() > most) break;
      digit = d;
      above_digit = next;
      next.add(sums[d]);
    }
    above = above_digit;
    keep_digit(rows, shift, kMask, digit);
    border |= digit << shift;
  }
  return {value_of(border), above.value()};
}

TailRisk plain_risk(Communicator& ranks, std::span<const double> losses, const Survey& all,
                    double alpha) {
  const std::int64_t rows = all.rows;
  const Unit unit(all.largest_loss);
  const double count = detail::tail_count(alpha, static_cast<std::size_t>(rows));
  ExactSum own;
  for (const double loss : losses) own.add(unit.from(loss));
  const double mean = unit.to(sum_over_ranks(ranks, own) / static_cast<double>(rows));
  const std::int64_t rank = std::min(static_cast<std::int64_t>(count), rows - 1);
  const Border border = select_rank(ranks, losses, rank);
  if (count >= static_cast<double>(rows)) return {mean, border.loss, mean};
  if (border.above == 0) return {mean, border.loss, border.loss};
  ExactSum tail;
  for (const double loss : losses) {
    if (loss > border.loss) tail.add(unit.from(loss));
  }
  if (ranks.rank() == 0) tail.add_product(count - border.above, unit.from(border.loss));
  return {mean, border.loss, unit.to(sum_over_ranks(ranks, tail) / count)};
}

// See WeightedTail in cvar.cpp.
TailRisk weighted_risk(Communicator& ranks, std::span<const double> losses,
                       std::span<const double> weights, const Survey& all, double alpha) {
  const Unit unit(all.largest_loss);
  const Unit weight_unit(all.largest_weight);
  std::vector<Row> rows;
  ExactSum own_weight;
  ExactSum own;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (weights[i] == 0) continue;
    rows.push_back({key_of(losses[i]), weight_unit.from(weights[i])});
    own_weight.add(rows.back().weight);
    own.add_product(rows.back().weight, unit.from(losses[i]));
  }
  const double total = sum_over_ranks(ranks, own_weight);
  const double mean = unit.to(sum_over_ranks(ranks, own) / total);
  double mass = alpha * total;
  const Border border = select_weight(ranks, std::move(rows), mass * (1 + kWhole));
  if (std::abs(mass - border.above) <= kWhole * mass) mass = border.above;
  if (alpha == 1) return {mean, border.loss, mean};
  if (border.above == 0) return {mean, border.loss, border.loss};
  ExactSum tail;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i] > border.loss) {
      tail.add_product(weight_unit.from(weights[i]), unit.from(losses[i]));
    }
  }
  if (ranks.rank() == 0) tail.add_product(mass - border.above, unit.from(border.loss));
  return {mean, border.loss, unit.to(sum_over_ranks(ranks, tail) / mass)};
}

TailRisk risk_of(Communicator& ranks, std::span<const double> losses,
                 std::span<const double> weights, const Survey& all, double alpha) {
  return all.weights == 0 ? plain_risk(ranks, losses, all, alpha)
                          : weighted_risk(ranks, losses, weights, all, alpha);
}

}  // namespace

TailRisk tail_risk(Communicator& ranks, std::span<const double> losses,
                   std::span<const double> weights, double alpha) {
  detail::check_alpha(alpha);
  const Survey all = survey_all(ranks, losses, weights);
  check(all);
  if (all.infinite_losses > 0) {
    throw DataError(fmt::format("{} of the losses are not finite", all.infinite_losses));
  }
  return risk_of(ranks, losses, weights, all, alpha);
}

std::optional<TailRisk> tail_risk_if_finite(Communicator& ranks, std::span<const double> losses,
                                            std::span<const double> weights, double alpha) {
  detail::check_alpha(alpha);
  const Survey all = survey_all(ranks, losses, weights);
  check(all);
  if (all.infinite_losses > 0) return std::nullopt;
  return risk_of(ranks, losses, weights, all, alpha);
}

}  // namespace adacvar
