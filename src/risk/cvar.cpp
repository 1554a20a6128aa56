#include <adacvar/risk/cvar.hpp>

#include <adacvar/base/options.hpp>

#include "base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace adacvar {

namespace {

using detail::AccurateSum;
using detail::Bracket;
using detail::Ranked;

// alpha carries the rounding of its decimal digits, or of 1 - beta (4 units at beta = 0.95),
// and the product one more; 8 covers them and moves CVaR by no more than a few roundings.
constexpr double kWhole = 8 * std::numeric_limits<double>::epsilon();

// Below this, one nth_element on a copy in the first-level cache is quicker than sampling.
constexpr std::size_t kSampleFrom = 2048;

// Independent accumulators: they hide the latency of an addition and fill wide registers.
// Their number is fixed, so that the order of additions does not depend on the machine.
constexpr std::size_t kLanes = 8;

// Terms are made a block at a time, apart from their summation: compilers turn each of the
// two loops into vector code, but not always the two in one (GCC 12 at -O3: 3 times slower).
constexpr std::size_t kBlock = 64;

void check_not_empty(std::span<const double> losses) {
  if (losses.empty()) throw DataError("losses is empty: at least one loss is needed");
}

void check_finite(std::span<const double> losses) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (std::isfinite(losses[i])) continue;
    throw DataError(fmt::format("losses[{}] = {} is not finite", i, printable(losses[i])));
  }
}

/// Pseudo-random bits for sampling and pivoting, so that patterns in the data do no harm. Results
/// do not depend on them.
std::uint64_t scramble(std::uint64_t i) noexcept {
  i *= 0x9e3779b97f4a7c15U;
  i ^= i >> 32U;
  i *= 0xd6e8feb86659fd93U;
  return i ^ (i >> 32U);
}

/// Returns the sum of term(loss), or nothing when a term is not finite or a lane overflows; the sum
/// shows that, so checking the data needs no extra pass.
template <class Term>
std::optional<AccurateSum> sum_in_lanes(std::span<const double> losses, Term term) {
  std::array<double, kLanes> values{};
  std::array<double, kLanes> errors{};
  std::array<double, kBlock> terms;
  const std::size_t in_blocks = losses.size() - losses.size() % kBlock;
  for (std::size_t first = 0; first < in_blocks; first += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) terms[i] = term(losses[first + i]);
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double sum = values[lane] + terms[i + lane];
        const double added = sum - values[lane];
        errors[lane] += (values[lane] - (sum - added)) + (terms[i + lane] - added);
        values[lane] = sum;
      }
    }
  }
  AccurateSum total;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!std::isfinite(values[lane]) || !std::isfinite(errors[lane])) return std::nullopt;
    total.add(values[lane]);
    total.add(errors[lane]);
  }
  for (const double loss : losses.subspan(in_blocks)) {
    if (!std::isfinite(term(loss))) return std::nullopt;
    total.add(term(loss));
  }
  return total;
}

template <class Term>
AccurateSum checked_sum_of(std::span<const double> losses, Term term) {
  if (const auto sum = sum_in_lanes(losses, term)) return *sum;
  check_finite(losses);
  AccurateSum sum;
  for (const double loss : losses) sum.add(term(loss));
  return sum;
}

std::size_t count_above(std::span<const double> losses, double border) {
  return static_cast<std::size_t>(
      std::count_if(losses.begin(), losses.end(), [=](double loss) { return loss > border; }));
}

Ranked select_in_copy(std::vector<double> copy, std::size_t rank) {
  const auto nth = copy.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(copy.begin(), nth, copy.end(), std::greater<>());
  // Adding 0 turns -0 into 0: where both tie, the sign must not depend on the order of the copy.
  return {*nth + 0.0, count_above({copy.data(), rank}, *nth)};
}

/// Returns a bracket that very probably contains the loss of that rank, from a sample of n^(2/3)
/// losses, one from each block of rows [FR75].
Bracket sample_bracket(std::span<const double> losses, std::size_t rank) {
  const auto n = static_cast<double>(losses.size());
  const auto sample_size = static_cast<std::size_t>(std::cbrt(n * n));
  const std::size_t stretch = losses.size() / sample_size;
  std::vector<double> sample(sample_size);
  for (std::size_t i = 0; i < sample_size; ++i) {
    sample[i] = losses[i * stretch + scramble(i) % stretch];
  }

  // Four standard deviations of the sample's rank to both sides.
  const double share = static_cast<double>(rank) / n;
  const auto size = static_cast<double>(sample_size);
  const double margin = 4 * std::sqrt(size * share * (1 - share)) + 1;
  const double high_rank = std::floor(size * share - margin);
  const double low_rank = std::ceil(size * share + margin);

  Bracket bracket{-std::numeric_limits<double>::infinity(),
                  std::numeric_limits<double>::infinity()};
  auto end = sample.end();
  if (low_rank < size) {
    end = sample.begin() + static_cast<std::ptrdiff_t>(low_rank);
    std::nth_element(sample.begin(), end, sample.end(), std::greater<>());
    bracket.low = *end;
  }
  if (high_rank >= 0) {
    const auto nth = sample.begin() + static_cast<std::ptrdiff_t>(high_rank);
    std::nth_element(sample.begin(), nth, end, std::greater<>());
    bracket.high = *nth;
  }
  return bracket;
}

/// Losses strictly inside the bracket, in their order, and the number of losses not below its upper
/// end.
struct Bracketed {
  std::vector<double> inside;
  std::size_t not_below_high = 0;
};

Bracketed collect(std::span<const double> losses, const Bracket& bracket) {
  Bracketed result;
  // Without a branch on the data, a block at a time.
  std::array<double, 512> kept;
  while (!losses.empty()) {
    const auto stretch = losses.first(std::min(losses.size(), kept.size()));
    losses = losses.subspan(stretch.size());
    std::size_t count = 0;
    std::size_t not_below_high = 0;
    for (const double loss : stretch) {
      kept[count] = loss;
      count += static_cast<std::size_t>((loss > bracket.low) & (loss < bracket.high));
      not_below_high += static_cast<std::size_t>(loss >= bracket.high);
    }
    result.inside.insert(result.inside.end(), kept.begin(),
                         kept.begin() + static_cast<std::ptrdiff_t>(count));
    result.not_below_high += not_below_high;
  }
  return result;
}

std::size_t tail_rank(double count, std::size_t n) noexcept {
  return std::min(static_cast<std::size_t>(count), n - 1);
}

struct WeightedLoss {
  double loss;
  double weight;
};

AccurateSum weight_of(std::span<const WeightedLoss> rows) {
  AccurateSum sum;
  for (const WeightedLoss& row : rows) sum.add(row.weight);
  return sum;
}

double median_of_three(std::span<const WeightedLoss> rows, std::uint64_t seed) {
  const auto pick = [&](std::uint64_t i) { return rows[scramble(seed + i) % rows.size()].loss; };
  const double a = pick(0);
  const double b = pick(1);
  return std::max(std::min(a, b), std::min(std::max(a, b), pick(2)));
}

/// Returns the smallest loss with at most `mass` above it, by weighted quickselect.
double select_by_weight(std::vector<WeightedLoss> rows, double mass) {
  const double most = mass * (1 + kWhole);
  AccurateSum above;  // weight of the rows already known to lie above the border
  std::span<WeightedLoss> left = rows;
  for (std::uint64_t seed = 0;; seed += 3) {
    const double pivot = median_of_three(left, seed);
    const auto equal =
        std::ranges::partition(left, [=](const auto& row) { return row.loss > pivot; }).begin();
    const auto less =
        std::partition(equal, left.end(), [=](const auto& row) { return row.loss == pivot; });
    AccurateSum above_pivot = above;
    above_pivot.add(weight_of({left.begin(), equal}));
    if (above_pivot.value() > most) {
      left = {left.begin(), equal};
      continue;
    }
    above = above_pivot;
    above.add(weight_of({equal, less}));
    if (above.value() > most || less == left.end()) return pivot + 0.0;  // see select_in_copy
    left = {less, left.end()};
  }
}

void check_weights(std::span<const double> losses, std::span<const double> weights) {
  if (weights.size() != losses.size()) {
    throw OptionError(
        fmt::format("weights has {} values, losses has {}", weights.size(), losses.size()));
  }
  bool any = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0 && std::isfinite(weights[i]))) {
      throw DataError(
          fmt::format("weights[{}] = {} is outside [0, inf)", i, printable(weights[i])));
    }
    any = any || weights[i] > 0;
  }
  if (!any) throw DataError("weights sum to 0: at least one weight above 0 is needed");
}

/// Multiplies by a power of two that may exceed the range of double: the product rounds at most
/// once, unless it is subnormal.
class PowerOfTwo {
 public:
  // Two factors reach every exponent from -2044 to 2046. Beyond that all products overflow.
  explicit PowerOfTwo(int exponent)
      : first_(std::ldexp(1.0, std::min(exponent, 2046) / 2)),
        second_(std::ldexp(1.0, std::min(exponent, 2046) - std::min(exponent, 2046) / 2)) {}

  [[nodiscard]] double times(double value) const noexcept { return value * first_ * second_; }

 private:
  double first_;
  double second_;
};

/// weight * 2^exponent * loss.
struct Term {
  double weight;
  int exponent;
  double loss;
};

/// Returns sum of terms / (mass * 2^exponent). Products and sums are scaled by the largest product,
/// so they stay in the range of double.
double mean_of(std::span<const Term> terms, double mass, int exponent) {
  int largest = std::numeric_limits<int>::min();
  for (const Term& term : terms) {
    if (term.weight == 0 || term.loss == 0) continue;
    largest = std::max(largest, term.exponent + std::ilogb(term.weight) + std::ilogb(term.loss));
  }
  if (largest == std::numeric_limits<int>::min()) return 0;
  AccurateSum sum;
  for (const Term& term : terms) {
    if (term.weight == 0 || term.loss == 0) continue;
    int weight_exponent = 0;
    int loss_exponent = 0;
    const double weight = std::frexp(term.weight, &weight_exponent);
    const double loss = std::frexp(term.loss, &loss_exponent);
    const double product = weight * loss;
    const int shift = term.exponent + weight_exponent + loss_exponent - largest;
    sum.add(std::ldexp(product, shift));
    sum.add(std::ldexp(std::fma(weight, loss, -product), shift));
  }
  return std::ldexp(sum.divided_by(mass), largest - exponent);
}

/// A weighted sample and its tail. Weights are scaled by powers of two, so that no sum overflows or
/// underflows for any range of weights: for the total the largest weight is near 1, for the tail
/// its mass is, and a much heavier row counts as kHeavy.
class WeightedTail {
 public:
  WeightedTail(std::span<const double> losses, std::span<const double> weights, double alpha)
      : losses_(losses), weights_(weights), alpha_(alpha) {
    detail::check_alpha(alpha);
    check_not_empty(losses);
    check_weights(losses, weights);
    check_finite(losses);
    all_exponent_ = -std::ilogb(std::ranges::max(weights));
    total_ = weight_where(PowerOfTwo(all_exponent_), [](double) { return true; });
    int alpha_exponent = 0;
    mass_ = std::frexp(alpha, &alpha_exponent) * total_;
    tail_exponent_ = all_exponent_ - alpha_exponent;
    tail_unit_ = PowerOfTwo(tail_exponent_);
    border_ = select_by_weight(positive_rows(), mass_);
    above_ = weight_where(tail_unit_, [this](double loss) { return loss > border_; });
    if (std::abs(mass_ - above_) <= kWhole * mass_) mass_ = above_;
  }

  [[nodiscard]] double border() const noexcept { return border_; }

  [[nodiscard]] double mean() const {
    return mean_of(terms_where([](double) { return true; }), total_, -all_exponent_);
  }

  [[nodiscard]] double cvar() const {
    if (alpha_ == 1) return mean();
    std::vector<Term> terms = terms_where([this](double loss) { return loss > border_; });
    if (terms.empty()) return border_;
    terms.push_back({mass_ - above_, -tail_exponent_, border_});
    return mean_of(terms, mass_, -tail_exponent_);
  }

  [[nodiscard]] std::vector<double> worst_case_weights() const {
    std::vector<double> q(losses_.size(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (losses_[i] > border_) q[i] = weight(tail_unit_, i) / mass_;
    }
    if (mass_ > above_) share_among_ties((mass_ - above_) / mass_, q);
    return q;
  }

 private:
  // More than any mass: of 2^63 rows at most, none above 2.
  static constexpr double kHeavy = 0x1.0p+70;

  [[nodiscard]] double weight(const PowerOfTwo& unit, std::size_t i) const {
    return std::min(unit.times(weights_[i]), kHeavy);
  }

  // Rows of negligible weight are kept.
  [[nodiscard]] std::vector<WeightedLoss> positive_rows() const {
    std::vector<WeightedLoss> rows;
    rows.reserve(losses_.size());
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      if (weights_[i] > 0) rows.push_back({losses_[i], weight(tail_unit_, i)});
    }
    return rows;
  }

  // With a separate scale: tied rows may be heavier than kHeavy.
  void share_among_ties(double share, std::vector<double>& q) const {
    double largest = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (losses_[i] == border_) largest = std::max(largest, weights_[i]);
    }
    const PowerOfTwo unit(-std::ilogb(largest));
    const double ties = weight_where(unit, [this](double loss) { return loss == border_; });
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (losses_[i] == border_) q[i] = weight(unit, i) / ties * share;
    }
  }

  template <class Keep>
  [[nodiscard]] double weight_where(const PowerOfTwo& unit, Keep keep) const {
    AccurateSum sum;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      if (keep(losses_[i])) sum.add(weight(unit, i));
    }
    return sum.value();
  }

  template <class Keep>
  [[nodiscard]] std::vector<Term> terms_where(Keep keep) const {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      if (keep(losses_[i]) && weights_[i] > 0) terms.push_back({weights_[i], 0, losses_[i]});
    }
    return terms;
  }

  std::span<const double> losses_;
  std::span<const double> weights_;
  double alpha_;
  int all_exponent_ = 0;   // the largest weight * 2^all_exponent_ is near 1,
  int tail_exponent_ = 0;  // the tail's mass * 2^tail_exponent_
  PowerOfTwo tail_unit_{0};
  double total_ = 0;  // sum of all weights, times 2^all_exponent_
  double mass_ = 0;   // weight of the tail, times 2^tail_exponent_, as above_ is
  double border_ = 0;
  double above_ = 0;
};

}  // namespace

namespace detail {

double AccurateSum::divided_by(double divisor) const noexcept {
  const double quotient = value_ / divisor;
  const double left = std::fma(-quotient, divisor, value_) + error_;
  return (quotient + left / divisor) / scale_;
}

double tail_count(double alpha, std::size_t n) noexcept {
  const double count = alpha * static_cast<double>(n);
  const double whole = std::round(count);
  return std::abs(count - whole) <= kWhole * count ? whole : count;
}

Ranked select_from_top(std::span<const double> losses, std::size_t rank) {
  if (losses.size() < kSampleFrom) {
    return select_in_copy({losses.begin(), losses.end()}, rank);
  }
  return select_in_bracket(losses, rank, sample_bracket(losses, rank));
}

Ranked select_in_bracket(std::span<const double> losses, std::size_t rank, const Bracket& bracket) {
  Bracketed found = collect(losses, bracket);
  const std::size_t above_low = found.not_below_high + found.inside.size();
  if (rank < found.not_below_high) {
    const std::size_t above = count_above(losses, bracket.high);
    if (above <= rank) return {bracket.high + 0.0, above};
  } else if (rank < above_low) {
    const Ranked inside = select_in_copy(std::move(found.inside), rank - found.not_below_high);
    return {inside.loss, inside.above + found.not_below_high};
  } else if (bracket.low < bracket.high) {  // otherwise the ties are counted already
    const auto ties = std::count(losses.begin(), losses.end(), bracket.low);
    if (rank < above_low + static_cast<std::size_t>(ties)) return {bracket.low + 0.0, above_low};
  }
  return select_in_copy({losses.begin(), losses.end()}, rank);  // the loss lies outside the bracket
}

AccurateSum checked_sum(std::span<const double> losses) {
  return checked_sum_of(losses, [](double loss) { return loss; });
}

TailRisk tail_risk_of(std::span<const double> worst, const AccurateSum& sum, std::size_t n,
                      double alpha) {
  const double count = tail_count(alpha, n);
  const double mean = sum.divided_by(static_cast<double>(n));
  const Ranked border = select_from_top(worst, tail_rank(count, n));
  if (count >= static_cast<double>(n)) return {mean, border.loss, mean};
  if (border.above == 0) return {mean, border.loss, border.loss};
  AccurateSum tail = checked_sum_of(
      worst, [level = border.loss](double loss) { return loss > level ? loss : 0.0; });
  tail.add_product(count - static_cast<double>(border.above), border.loss);
  return {mean, border.loss, tail.divided_by(count)};
}

void check_alpha(double alpha) {
  check_range("alpha", alpha, {.low = 0, .high = 1, .low_ok = false});
}

}  // namespace detail

TailRisk tail_risk(std::span<const double> losses, double alpha) {
  detail::check_alpha(alpha);
  check_not_empty(losses);
  return detail::tail_risk_of(losses, detail::checked_sum(losses), losses.size(), alpha);
}

TailRisk tail_risk(std::span<const double> losses, std::span<const double> weights, double alpha) {
  if (weights.empty()) return tail_risk(losses, alpha);
  const WeightedTail tail(losses, weights, alpha);
  return {tail.mean(), tail.border(), tail.cvar()};
}

double value_at_risk(std::span<const double> losses, double alpha) {
  detail::check_alpha(alpha);
  check_not_empty(losses);
  check_finite(losses);
  const double count = detail::tail_count(alpha, losses.size());
  return detail::select_from_top(losses, tail_rank(count, losses.size())).loss;
}

double value_at_risk(std::span<const double> losses, std::span<const double> weights,
                     double alpha) {
  if (weights.empty()) return value_at_risk(losses, alpha);
  return WeightedTail(losses, weights, alpha).border();
}

double cvar(std::span<const double> losses, double alpha) { return tail_risk(losses, alpha).cvar; }

double cvar(std::span<const double> losses, std::span<const double> weights, double alpha) {
  if (weights.empty()) return cvar(losses, alpha);
  return WeightedTail(losses, weights, alpha).cvar();
}

std::vector<double> worst_case_weights(std::span<const double> losses, double alpha) {
  detail::check_alpha(alpha);
  check_not_empty(losses);
  check_finite(losses);
  const double count = detail::tail_count(alpha, losses.size());
  const Ranked border = detail::select_from_top(losses, tail_rank(count, losses.size()));
  const auto ties = std::count(losses.begin(), losses.end(), border.loss);
  const double left = count - static_cast<double>(border.above);
  const double tie_share = left / count / static_cast<double>(ties);
  std::vector<double> q(losses.size(), 0.0);
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (losses[i] > border.loss) q[i] = 1 / count;
    if (losses[i] == border.loss) q[i] = tie_share;
  }
  return q;
}

std::vector<double> worst_case_weights(std::span<const double> losses,
                                       std::span<const double> weights, double alpha) {
  if (weights.empty()) return worst_case_weights(losses, alpha);
  return WeightedTail(losses, weights, alpha).worst_case_weights();
}

}  // namespace adacvar
