#include <adacvar/sampler/make_sampler.hpp>
#include <adacvar/sampler/weighted_sampler.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Batch = std::vector<Index>;
using Values = std::vector<double>;

Batch draw(WeightedSampler& sampler, std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  Batch batch(count);
  sampler.draw(rng, batch);
  return batch;
}

TEST(WeightedSampler, probabilities_are_shares_of_the_weight) {
  const WeightedSampler sampler(Values{1, 2, 5});
  EXPECT_EQ(sampler.size(), 3U);
  EXPECT_EQ(sampler.probability(0), 0.125);
  EXPECT_EQ(sampler.probability(1), 0.25);
  EXPECT_EQ(sampler.probability(2), 0.625);
}

TEST(WeightedSampler, the_largest_and_smallest_weights_are_taken) {
  for (const double scale : {1e-300, 1e300}) {
    const WeightedSampler sampler(Values{scale, 3 * scale});
    EXPECT_NEAR(sampler.probability(0), 0.25, 1e-15);
  }
  const WeightedSampler far_apart(Values{1e-30, 1e29});
  EXPECT_NEAR(far_apart.probability(0) * 1e59, 1.0, 1e-12);
  EXPECT_EQ(far_apart.probability(1), 1.0);
}

TEST(WeightedSampler, a_row_with_nearly_all_the_weight_is_nearly_always_drawn) {
  WeightedSampler sampler(Values{1e-9, 1e-12, 1, 1e-9});
  for (const Index i : draw(sampler, 1, 1000)) EXPECT_EQ(i, 2U);
}

// Draws are part of the interface: a change here is a CHANGELOG entry.
TEST(WeightedSampler, draws_of_a_seed_are_pinned) {
  Values weights(100);
  for (std::size_t i = 0; i < 100; ++i) weights[i] = static_cast<double>(i + 1);
  WeightedSampler sampler(weights);
  EXPECT_EQ(draw(sampler, 2026, 8), (Batch{89, 97, 25, 45, 99, 95, 92, 24}));
}

TEST(WeightedSampler, a_saved_sampler_draws_the_same) {
  WeightedSampler sampler(Values{0.3, 2, 1e-3, 7});
  std::stringstream stream;
  sampler.save(stream);
  const std::string bytes = stream.str();
  WeightedSampler loaded = WeightedSampler::load(stream);
  EXPECT_EQ(draw(loaded, 5, 200), draw(sampler, 5, 200));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    std::istringstream cut(bytes.substr(0, length));
    EXPECT_THROW(std::ignore = WeightedSampler::load(cut), DataError) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ (1 << (at % 8)));
    std::istringstream in(altered);
    EXPECT_THROW(std::ignore = WeightedSampler::load(in), DataError) << at;
  }
}

TEST(WeightedSampler, bad_input_is_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(WeightedSampler{Values{}}, OptionError);
  for (const double bad : {0.0, -0.5, nan, inf}) {
    EXPECT_THROW(WeightedSampler(Values{1, bad}), DataError) << bad;
  }
  EXPECT_THROW(WeightedSampler(Values{1e-200, 1e200}), DataError);
  WeightedSampler sampler(Values{1, 2});
  EXPECT_THROW(std::ignore = sampler.probability(2), OptionError);
  EXPECT_THROW(sampler.observe(Batch{0}, Values{-1}), DataError);
  EXPECT_THROW(sampler.observe(Batch{2}, Values{1}), OptionError);
}

TEST(WeightedSampler, memory_is_at_most_13_bytes_a_row) {
  Values weights(100'000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + static_cast<double>(i % 365);
  EXPECT_LE(WeightedSampler(weights).memory_bytes(), 13 * weights.size());
}

TEST(MakeSampler, weights_reach_every_sampler) {
  const Values weights{1, 3};
  for (const std::string name : {"uniform", "shuffled", "adaptive"}) {
    const AnySampler sampler = make_sampler(name, 2, {.alpha = 0.5}, weights);
    EXPECT_NEAR(sampler.probability(1), 0.75, 1e-12) << name;
    EXPECT_THROW(std::ignore = make_sampler(name, 3, {}, weights), OptionError) << name;
  }
  const AnySampler shuffled = make_sampler("shuffled", 2, {}, weights);
  EXPECT_TRUE(std::holds_alternative<WeightedSampler>(shuffled.variant()));
}

TEST(MakeSampler, a_weighted_sampler_is_saved_and_loaded_as_the_others_are) {
  AnySampler sampler = make_sampler("uniform", 2, {}, Values{1, 3});
  std::stringstream stream;
  sampler.save(stream);
  AnySampler other = make_sampler("uniform", 2, {}, Values{5, 1});
  other.load(stream);
  EXPECT_EQ(other.probability(1), 0.75);
  std::stringstream again;
  sampler.save(again);
  AnySampler longer = make_sampler("uniform", 3, {}, Values{5, 1, 1});
  EXPECT_THROW(longer.load(again), DataError);
}

}  // namespace
}  // namespace adacvar
