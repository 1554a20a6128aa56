#include <adacvar/sampler/kdpp.hpp>

#include <adacvar/base/error.hpp>

#include "base/portable_math.hpp"
#include "sampler/fourier_marginals.hpp"
#include "sampler/kdpp_support.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace adacvar {

namespace {

// At most this many coins are drawn one by one from a table of their sums.
constexpr std::size_t kRest = 64;

// Two rounds are needed on average; the limit prevents an endless loop.
constexpr int kMostRounds = 100'000;

// Items with |z| above this are certain up to rounding: e^-45 is below 2^-64.
constexpr double kCertain = 45.0;

// Sorts coins by variance, the fairest first, so that every fourth of them has a quarter of the
// variance. A counting sort: its order does not depend on the library.
template <class Coin>
void order_by_variance(std::vector<Coin>& coins, const std::vector<double>& z) {
  constexpr std::size_t kClasses = 92;
  const auto class_of = [](double value) {
    return static_cast<std::size_t>(std::min(kClasses - 1.0, 2.0 * std::abs(value)));
  };
  std::array<std::size_t, kClasses + 1> start{};
  for (const double value : z) ++start[class_of(value) + 1];
  for (std::size_t c = 0; c < kClasses; ++c) start[c + 1] += start[c];
  std::vector<Coin> sorted(coins.size());
  for (std::size_t i = 0; i < coins.size(); ++i) sorted[start[class_of(z[i])]++] = coins[i];
  coins = std::move(sorted);
}

// Repeatedly moves every fourth coin to the end: [flipped first][flipped next]...[rest]. Returns
// the end of each part.
template <class Coin>
std::vector<std::size_t> split_by_quarters(std::vector<Coin>& coins) {
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  while (coins.size() - begin > kRest) {
    std::vector<Coin> others;
    std::size_t kept = begin;
    for (std::size_t i = begin; i < coins.size(); ++i) {
      if ((i - begin) % 4 == 3) {
        others.push_back(coins[i]);
      } else {
        coins[kept++] = coins[i];
      }
    }
    std::ranges::copy(others, coins.begin() + static_cast<std::ptrdiff_t>(kept));
    ends.push_back(kept);
    begin = kept;
  }
  return ends;
}

}  // namespace

KSubsetSampler::KSubsetSampler(std::span<const double> log_weights, std::size_t k)
    : KSubsetSampler(log_weights, k, matched_tilt(log_weights, k)) {}

KSubsetSampler::KSubsetSampler(std::span<const double> log_weights, std::size_t k, double tilt)
    : k_(k) {
  check_kdpp(log_weights, k);
  set_up(log_weights, tilt);
}

void KSubsetSampler::set_up(std::span<const double> log_weights, double tilt) {
  std::vector<double> z;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    if (!std::isfinite(log_weights[i])) continue;
    const double value = log_weights[i] + tilt;
    if (value > kCertain) {
      certain_.push_back(static_cast<Index>(i));
    } else {
      z.push_back(value);
      coins_.push_back({static_cast<Index>(i), portable::sigmoid(value)});
    }
  }
  check_tilt(tilt);
  order_by_variance(coins_, z);
  std::size_t begin = 0;
  for (const std::size_t end : split_by_quarters(coins_)) {
    add_level(begin, end);
    begin = end;
  }
  rest_ = begin;
  tabulate_rest(begin);
}

// Far from the matched tilt k members are so rare that their probability is lost to rounding.
void KSubsetSampler::check_tilt(double tilt) const {
  auto mean = static_cast<double>(certain_.size());
  double variance = 0.0;
  for (const Coin& coin : coins_) {
    mean += coin.probability;
    variance += coin.probability * (1.0 - coin.probability);
  }
  if (!(std::abs(mean - static_cast<double>(k_)) <= 0.5 + 2.0 * std::sqrt(variance)) ||
      certain_.size() > k_) {
    throw OptionError(
        fmt::format("tilt = {} is too far from matched_tilt: it expects {:.4g} members, k = {}",
                    tilt, mean, k_));
  }
}

void KSubsetSampler::add_level(std::size_t begin, std::size_t end) {
  const std::span<const Coin> others = std::span(coins_).subspan(end);
  double mean = 0.0;
  double variance = 0.0;
  std::vector<double> z;
  z.reserve(others.size());
  for (const Coin& coin : others) {
    mean += coin.probability;
    variance += coin.probability * (1.0 - coin.probability);
    z.push_back(portable::log(std::max(coin.probability, 1e-300)) -
                portable::log(std::max(1.0 - coin.probability, 1e-300)));
  }
  FourierMarginals fourier;
  fourier.begin(others.size(), variance, 18.0);
  fourier.include(z);
  // All possible numbers, or those within M/2 of the mean if M nodes are fewer.
  const bool all = fourier.modulus() > others.size();
  const double half = 0.5 * static_cast<double>(fourier.modulus() - 1);
  Level level{begin, end, all ? 0 : static_cast<std::uint64_t>(std::max(0.0, mean - half)), {}};
  const auto last =
      all ? others.size()
          : std::min<std::uint64_t>(others.size(), static_cast<std::uint64_t>(mean + half));
  for (std::uint64_t m = level.first; m <= last; ++m)
    level.chances.push_back(fourier.probability(m));
  const double largest = *std::ranges::max_element(level.chances);
  for (double& chance : level.chances) chance /= largest;
  levels_.push_back(std::move(level));
}

void KSubsetSampler::tabulate_rest(std::size_t begin) {
  const std::size_t count = coins_.size() - begin;
  const std::size_t width = count + 1;
  table_.assign((count + 1) * width, 0.0);
  table_[count * width] = 1.0;
  for (std::size_t row = count; row-- > 0;) {
    const double p = coins_[begin + row].probability;
    for (std::size_t m = 0; m <= count - row; ++m) {
      const double* below = &table_[(row + 1) * width];
      table_[row * width + m] = (1.0 - p) * below[m] + (m > 0 ? p * below[m - 1] : 0.0);
    }
  }
}

void KSubsetSampler::draw(Rng& rng, std::span<Index> subset) const {
  if (subset.size() != k_) {
    throw OptionError(fmt::format("subset has {} places, k = {}", subset.size(), k_));
  }
  std::vector<Index> members(certain_);
  members.reserve(k_);
  std::size_t wanted = k_ - certain_.size();
  for (const Level& level : levels_) wanted = draw_level(rng, level, wanted, members);
  draw_rest(rng, wanted, members);
  std::ranges::sort(members);
  std::ranges::copy(members, subset.begin());
}

std::size_t KSubsetSampler::draw_level(Rng& rng, const Level& level, std::size_t wanted,
                                       std::vector<Index>& members) const {
  const std::size_t before = members.size();
  for (int round = 0; round < kMostRounds; ++round) {
    for (std::size_t i = level.begin; i < level.end; ++i) {
      if (rng.uniform() < coins_[i].probability) members.push_back(coins_[i].item);
    }
    const std::size_t found = members.size() - before;
    const std::uint64_t left = wanted - std::min(wanted, found);
    const bool possible =
        found <= wanted && left >= level.first && left - level.first < level.chances.size();
    if (possible && rng.uniform() < level.chances[left - level.first]) return left;
    members.resize(before);
  }
  throw NumericalError("internal error: drawing a k-subset did not succeed; please report it");
}

void KSubsetSampler::draw_rest(Rng& rng, std::size_t wanted, std::vector<Index>& members) const {
  const std::size_t count = coins_.size() - rest_;
  const std::size_t width = count + 1;
  for (std::size_t row = 0; row < count && wanted > 0; ++row) {
    const Coin& coin = coins_[rest_ + row];
    const double with = coin.probability * table_[(row + 1) * width + wanted - 1];
    if (wanted == count - row || rng.uniform() * table_[row * width + wanted] < with) {
      members.push_back(coin.item);
      --wanted;
    }
  }
}

}  // namespace adacvar
