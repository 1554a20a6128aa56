#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include "support/chi_square.hpp"
#include "support/expect_words.hpp"
#include "support/kdpp_twin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using Counts = std::vector<std::uint64_t>;
using Subset = std::vector<Index>;
using Values = std::vector<double>;
using support::follows_distribution;
using support::is_uniform;

constexpr double kInf = std::numeric_limits<double>::infinity();

Values normal_weights(std::size_t n, double sd, std::uint64_t seed = 1) {
  Rng rng(seed, n);
  Values x(n);
  for (double& value : x) {
    const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
    value = sd * radius * std::cos(2 * std::numbers::pi * rng.uniform());
  }
  return x;
}

/// Returns every subset of size k with its probability, from the products of the weights.
std::map<Subset, double> distribution_by_enumeration(const Values& x, std::size_t k) {
  std::map<Subset, double> distribution;
  Subset subset;
  double largest = -kInf;
  const std::function<void(Index, double)> extend = [&](Index from, double log_weight) {
    if (subset.size() == k) {
      distribution[subset] = log_weight;
      largest = std::max(largest, log_weight);
      return;
    }
    for (Index i = from; i < x.size(); ++i) {
      subset.push_back(i);
      extend(i + 1, log_weight + x[i]);
      subset.pop_back();
    }
  };
  extend(0, 0.0);
  double total = 0;
  for (auto& entry : distribution) total += entry.second = std::exp(entry.second - largest);
  for (auto& entry : distribution) entry.second /= total;
  return distribution;
}

/// Returns Pr(m of these coins succeed), m = 0, ..., count.
Values distribution_of_sum(const Values& probabilities) {
  Values distribution{1};
  for (const double p : probabilities) {
    distribution.push_back(0);
    for (std::size_t m = distribution.size(); m-- > 0;) {
      distribution[m] = (1 - p) * distribution[m] + (m > 0 ? p * distribution[m - 1] : 0);
    }
  }
  return distribution;
}

/// Returns Pr(m members in the group), m = 0, ..., k, from the coins of both sides at any tilt,
/// given k in total.
Values distribution_of_members_in_group(const Values& x, std::size_t k,
                                        const std::function<bool(std::size_t)>& in_group) {
  const auto tilt = static_cast<double>(twin::matched_tilt(x, k));
  Values group;
  Values others;
  for (std::size_t i = 0; i < x.size(); ++i) {
    (in_group(i) ? group : others).push_back(1 / (1 + std::exp(-(x[i] + tilt))));
  }
  const Values inside = distribution_of_sum(group);
  const Values outside = distribution_of_sum(others);
  Values distribution(k + 1);
  for (std::size_t m = 0; m <= k; ++m) {
    if (m < inside.size() && k - m < outside.size()) distribution[m] = inside[m] * outside[k - m];
  }
  const double total = std::accumulate(distribution.begin(), distribution.end(), 0.0);
  for (double& p : distribution) p /= total;
  return distribution;
}

/// Draws `count` subsets, checks the form of each and passes it to `use`.
void draw_subsets(const KSubsetSampler& sampler, std::size_t n, std::size_t count, Rng& rng,
                  const std::function<void(const Subset&)>& use) {
  Subset subset(sampler.subset_size());
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::fill(subset, ~Index{0});
    sampler.draw(rng, subset);
    ASSERT_LT(subset.back(), n);
    // Increasing, hence distinct.
    ASSERT_EQ(std::ranges::adjacent_find(subset, std::ranges::greater_equal{}), subset.end());
    use(subset);
  }
}

/// Compares the counts of every subset to the distribution.
testing::AssertionResult subsets_follow(const std::map<Subset, double>& distribution,
                                        const KSubsetSampler& sampler, std::size_t n,
                                        std::size_t draws, std::uint64_t seed) {
  std::map<Subset, std::size_t> place;
  Values probabilities;
  for (const auto& [subset, probability] : distribution) {
    place[subset] = probabilities.size();
    probabilities.push_back(probability);
  }
  Counts counts(probabilities.size());
  Rng rng(seed);
  draw_subsets(sampler, n, draws, rng, [&](const Subset& subset) { ++counts[place.at(subset)]; });
  return follows_distribution(counts, probabilities);
}

struct Case {
  const char* name;
  Values x;
  std::size_t k;
};

TEST(KSubsetSampler, subset_draws_follow_the_exact_distribution) {
  const double big = 1e4;
  const std::vector<Case> cases{
      {"equal weights", Values(6, 5.0), 3},
      {"1, 2, 3", {0, std::log(2), std::log(3)}, 2},
      {"one of ten", normal_weights(10, 1), 1},
      {"two of twelve", normal_weights(12, 1), 2},
      {"four of nine", normal_weights(9, 1.5), 4},
      {"all but one of nine", normal_weights(9, 1), 8},
      {"far apart", normal_weights(8, 4), 3},
      {"some without weight", {0, -kInf, 1, -kInf, 0.5, -1, 2}, 3},
      {"some certain", {60, 0, 1, 70, 0.5, -1, 65}, 5},
      {"some hopeless", {-60, 0, 1, -70, 0.5, -1, -65}, 2},
      {"two scales", {big, big + 1, 0, 1, 2, -1, -big}, 4},
      {"any origin", {big, big + 1, big + 0.5, big - 1, big + 2, big}, 3},
  };
  for (const Case& c : cases) {
    const KSubsetSampler sampler(c.x, c.k);
    EXPECT_TRUE(
        subsets_follow(distribution_by_enumeration(c.x, c.k), sampler, c.x.size(), 300'000, 2))
        << c.name;
  }
}

// Above 64 items coins are flipped for three quarters of them: one level to 256, two to 1024, ...
TEST(KSubsetSampler, pairs_of_many_follow_the_exact_distribution) {
  for (const std::size_t n : {65U, 100U, 300U}) {
    for (const double sd : {0.0, 2.0}) {
      const Values x = normal_weights(n, sd);
      const KSubsetSampler sampler(x, 2);
      const std::size_t draws = std::max<std::size_t>(200'000, 6 * n * n);
      EXPECT_TRUE(subsets_follow(distribution_by_enumeration(x, 2), sampler, n, draws, 3))
          << "N = " << n << ", sd " << sd;
    }
  }
}

TEST(KSubsetSampler, one_of_many_follows_the_exact_distribution) {
  for (const std::size_t n : {66U, 300U, 1500U}) {
    const Values x = normal_weights(n, 1);
    const KSubsetSampler sampler(x, 1);
    EXPECT_TRUE(subsets_follow(distribution_by_enumeration(x, 1), sampler, n, 100'000, 4))
        << "N = " << n;
  }
}

TEST(KSubsetSampler, pairs_left_out_of_many_follow_the_exact_distribution) {
  // The complement is a 2-DPP of the weights 1 / w.
  const std::size_t n = 120;
  const Values x = normal_weights(n, 1);
  Values inverse = x;
  for (double& value : inverse) value = -value;
  const std::map<Subset, double> distribution = distribution_by_enumeration(inverse, 2);
  std::map<Subset, std::size_t> place;
  Values probabilities;
  for (const auto& [pair, probability] : distribution) {
    place[pair] = probabilities.size();
    probabilities.push_back(probability);
  }
  Counts counts(probabilities.size());
  const KSubsetSampler sampler(x, n - 2);
  Rng rng(5);
  draw_subsets(sampler, n, 300'000, rng, [&](const Subset& subset) {
    Subset left_out;
    for (Index i = 0; i < n; ++i) {
      if (!std::ranges::binary_search(subset, i)) left_out.push_back(i);
    }
    ++counts[place.at(left_out)];
  });
  EXPECT_TRUE(follows_distribution(counts, probabilities));
}

Values clusters(std::size_t n) {
  Values x = normal_weights(n, 1);
  for (std::size_t i = 0; i < n; ++i) x[i] += i % 10 == 0 ? 20 : -20;
  return x;
}

const std::vector<Case> kLargeCases{
    {"equal weights", Values(1000, 0.0), 100},
    {"normal, sd 1", normal_weights(1000, 1), 100},
    {"normal, sd 3, half", normal_weights(1000, 3), 500},
    {"normal, sd 10", normal_weights(1000, 10), 300},
    {"most of them", normal_weights(700, 1), 650},
    {"a cluster and half a member of the next", clusters(1000), 101},
    {"three levels", normal_weights(2000, 1), 50},
};

TEST(KSubsetSampler, members_follow_the_exact_marginals) {
  for (const Case& c : kLargeCases) {
    // One member of each subset, picked uniformly: independent draws of i with probability P_i / k.
    Values distribution = twin::exact_marginals(c.x, c.k);
    const double total = std::accumulate(distribution.begin(), distribution.end(), 0.0);
    for (double& p : distribution) p /= total;
    const KSubsetSampler sampler(c.x, c.k);
    Counts counts(c.x.size());
    Rng rng(6);
    draw_subsets(sampler, c.x.size(), 30'000, rng, [&](const Subset& subset) {
      ++counts[subset[rng.below(static_cast<std::uint32_t>(subset.size()))]];
    });
    EXPECT_TRUE(follows_distribution(counts, distribution)) << c.name;
  }
}

TEST(KSubsetSampler, number_of_members_in_a_group_follows_the_exact_distribution) {
  // Detects dependence between members that marginals do not show: coins without the condition on k
  // would spread these numbers too far.
  for (const Case& c : kLargeCases) {
    const double middle = [&] {
      Values sorted = c.x;
      std::ranges::sort(sorted);
      return sorted[sorted.size() - c.k];
    }();
    const std::vector<std::function<bool(std::size_t)>> groups{
        [](std::size_t i) { return i % 2 == 0; },
        [](std::size_t i) { return i % 7 == 3; },
        [&](std::size_t i) { return i < c.x.size() / 4; },
        [&](std::size_t i) { return c.x[i] > middle || i % 3 == 0; },
    };
    std::vector<Counts> counts(groups.size(), Counts(c.k + 1));
    const KSubsetSampler sampler(c.x, c.k);
    Rng rng(7);
    draw_subsets(sampler, c.x.size(), 15'000, rng, [&](const Subset& subset) {
      for (std::size_t g = 0; g < groups.size(); ++g) {
        ++counts[g][static_cast<std::size_t>(std::ranges::count_if(subset, groups[g]))];
      }
    });
    for (std::size_t g = 0; g < groups.size(); ++g) {
      EXPECT_TRUE(
          follows_distribution(counts[g], distribution_of_members_in_group(c.x, c.k, groups[g])))
          << c.name << ", group " << g;
    }
  }
}

TEST(KSubsetSampler, pairs_of_members_follow_the_exact_distribution) {
  // Given that i is in, the others are a (k - 1)-DPP.
  const std::size_t n = 1000;
  const std::size_t k = 100;
  const Values x = normal_weights(n, 2);
  const Values marginals = twin::exact_marginals(x, k);
  std::vector<std::size_t> by_weight(n);
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::ranges::sort(by_weight, {}, [&](std::size_t i) { return -x[i]; });
  struct Pair {
    std::size_t i;
    std::size_t j;
    Values distribution;  // neither, i only, j only, both
    Counts counts;
  };
  std::vector<Pair> pairs;
  for (const auto& [a, b] : {std::pair{0, 1}, std::pair{20, 60}, std::pair{80, 81},
                             std::pair{90, 150}, std::pair{110, 300}}) {
    const std::size_t i = by_weight[static_cast<std::size_t>(a)];
    const std::size_t j = by_weight[static_cast<std::size_t>(b)];
    Values others = x;
    others[i] = -kInf;
    const double both = marginals[i] * twin::exact_marginals(others, k - 1)[j];
    pairs.push_back(
        {i,
         j,
         {1 - marginals[i] - marginals[j] + both, marginals[i] - both, marginals[j] - both, both},
         Counts(4)});
  }
  const KSubsetSampler sampler(x, k);
  Rng rng(8);
  draw_subsets(sampler, n, 100'000, rng, [&](const Subset& subset) {
    for (Pair& pair : pairs) {
      const bool i_in = std::ranges::binary_search(subset, static_cast<Index>(pair.i));
      const bool j_in = std::ranges::binary_search(subset, static_cast<Index>(pair.j));
      ++pair.counts[(i_in ? 1U : 0U) + (j_in ? 2U : 0U)];
    }
  });
  for (const Pair& pair : pairs) {
    EXPECT_TRUE(follows_distribution(pair.counts, pair.distribution))
        << "items " << pair.i << ", " << pair.j;
  }
}

TEST(KSubsetSampler, draws_are_independent) {
  // Pairs of draws one after the other, ten subsets each.
  const Values x(5, 0.0);
  const KSubsetSampler sampler(x, 2);
  Counts counts(100);
  std::map<Subset, std::size_t> place;
  for (const auto& entry : distribution_by_enumeration(x, 2))
    place.emplace(entry.first, place.size());
  std::size_t before = 0;
  Rng rng(9);
  draw_subsets(sampler, x.size(), 100'000, rng, [&](const Subset& subset) {
    const std::size_t now = place.at(subset);
    ++counts[10 * before + now];
    before = now;
  });
  EXPECT_TRUE(is_uniform(counts));
}

TEST(KSubsetSampler, certain_items_are_always_drawn_and_those_without_weight_never) {
  for (const std::size_t n : {20U, 400U}) {
    Values x = normal_weights(n, 1);
    const std::vector<Index> certain{3, 11, 16};
    for (const Index i : certain) x[i] = 100;
    const std::vector<Index> impossible{0, 7, 19};
    for (const Index i : impossible) x[i] = -kInf;
    const KSubsetSampler sampler(x, 8);
    Rng rng(10);
    draw_subsets(sampler, n, 20'000, rng, [&](const Subset& subset) {
      ASSERT_TRUE(std::ranges::includes(subset, certain));
      for (const Index i : impossible) ASSERT_FALSE(std::ranges::binary_search(subset, i));
    });
  }
}

TEST(KSubsetSampler, tilt_near_the_matched_one_does_not_change_the_distribution) {
  const Values few = normal_weights(8, 1);
  const Values many = normal_weights(100, 1);
  const std::map<Subset, double> distribution_few = distribution_by_enumeration(few, 3);
  const std::map<Subset, double> distribution_many = distribution_by_enumeration(many, 2);
  for (const double off : {-1.0, -0.1, 0.1, 1.0}) {
    const KSubsetSampler of_few(few, 3, matched_tilt(few, 3) + off);
    EXPECT_TRUE(subsets_follow(distribution_few, of_few, few.size(), 200'000, 11))
        << "off by " << off;
    const KSubsetSampler of_many(many, 2, matched_tilt(many, 2) + off);
    EXPECT_TRUE(subsets_follow(distribution_many, of_many, many.size(), 200'000, 12))
        << "off by " << off;
  }
}

TEST(KSubsetSampler, tilt_that_is_accepted_does_not_change_the_distribution) {
  const Values x = normal_weights(8, 1);
  const std::map<Subset, double> distribution = distribution_by_enumeration(x, 3);
  // Space for all items after the subset, to detect whether more than k are written.
  Subset room(x.size());
  for (const double tilt : {-1000.0, -300.0, -20.0, -8.0, -5.0, -3.0, -2.0, 1.0, 2.0, 3.0, 5.0, 8.0,
                            20.0, 48.0, 300.0, 1000.0}) {
    try {
      const KSubsetSampler sampler(x, 3, tilt);
      std::ranges::fill(room, ~Index{0});
      Rng rng(13);
      sampler.draw(rng, std::span(room).first(3));
      ASSERT_EQ(std::ranges::count(room, ~Index{0}), 5) << "tilt " << tilt;
      EXPECT_TRUE(subsets_follow(distribution, sampler, x.size(), 100'000, 14)) << "tilt " << tilt;
    } catch (const OptionError&) {
      EXPECT_GT(std::abs(tilt - matched_tilt(x, 3)), 2) << "refused though near";
    }
  }
}

TEST(KSubsetSampler, rare_numbers_of_members_are_drawn_too) {
  // With 67 equal weights coins are flipped for all items but 3, 7, ..., 63. A subset of 25 has 13
  // or more of these 16 with probability 5.7e-5 (hypergeometric): in about 23 of these draws, and
  // in none of a correct sampler's with probability 1e-10. The tilt is a little low, which moves
  // the numbers that the sampler expects away from those that must come.
  const Values x(67, 0.0);
  const KSubsetSampler sampler(x, 25, matched_tilt(x, 25) - 0.4);
  std::size_t rare = 0;
  Rng rng(15);
  draw_subsets(sampler, x.size(), 400'000, rng, [&](const Subset& subset) {
    if (std::ranges::count_if(subset, [](Index i) { return i % 4 == 3; }) >= 13) ++rare;
  });
  EXPECT_GE(rare, 1U);
  EXPECT_LE(rare, 70U);
}

TEST(KSubsetSampler, a_tilt_far_from_the_matched_one_is_refused) {
  const Values x(8, 0.0);
  for (const auto& [tilt, members] : std::map<double, std::string>{
           {-1000.0, "0"}, {-20.0, "1.649e-08"}, {20.0, "8"}, {48.0, "8"}, {1000.0, "8"}}) {
    try {
      const KSubsetSampler sampler(x, 3, tilt);
      ADD_FAILURE() << "tilt " << tilt;
    } catch (const OptionError& error) {
      std::ostringstream words;
      words << "tilt = " << tilt << " ... " << members << " members ... k = 3";
      EXPECT_PRED2(support::has_words, error.what(), words.str());
    }
  }
}

}  // namespace
}  // namespace adacvar
