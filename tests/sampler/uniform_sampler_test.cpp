#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/make_sampler.hpp>
#include <adacvar/sampler/uniform_sampler.hpp>

#include "base/state_stream.hpp"
#include "support/chi_square.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

using Batch = std::vector<Index>;
using Counts = std::vector<std::uint64_t>;
using Losses = std::vector<double>;
using support::is_uniform;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class S>
Batch draw(S& sampler, Rng& rng, std::size_t count) {
  Batch batch(count, ~Index{0});
  sampler.draw(rng, batch);
  return batch;
}

template <class S>
std::string saved(const S& sampler) {
  std::ostringstream out;
  sampler.save(out);
  return out.str();
}

template <class S>
S loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return S::load(in);
}

std::string block_of(std::string_view kind, const std::vector<std::uint64_t>& numbers,
                     const Batch& order = {}, const std::string& rest = {}) {
  StateWriter writer(kind, 1);
  writer.put_array(std::span<const std::uint64_t>(numbers));
  writer.put_array(std::span<const Index>(order));
  writer.put_array(std::span<const char>(rest));
  std::ostringstream out;
  writer.write_to(out);
  return out.str();
}

TEST(UniformSampler, every_example_is_drawn_equally_often) {
  for (const std::size_t n : {2U, 3U, 10U, 1000U}) {
    UniformSampler sampler(n);
    Rng rng(1, n);
    Counts counts(n);
    for (const Index i : draw(sampler, rng, 300'000)) ++counts.at(i);
    EXPECT_TRUE(is_uniform(counts)) << "N = " << n;
  }
}

TEST(UniformSampler, draws_are_independent) {
  UniformSampler sampler(12);
  Rng rng(2);
  Counts pairs(144);
  const Batch batch = draw(sampler, rng, 200'000);
  for (std::size_t i = 0; i + 1 < batch.size(); i += 2) ++pairs[12 * batch[i] + batch[i + 1]];
  EXPECT_TRUE(is_uniform(pairs));
}

TEST(UniformSampler, the_largest_size_is_drawn_evenly) {
  UniformSampler sampler(kMaxSize);
  EXPECT_EQ(sampler.size(), kMaxSize);
  EXPECT_EQ(sampler.probability(0xffff'fffd), 1.0 / 4294967294.0);
  Rng rng(3);
  Counts counts(64);
  for (const Index i : draw(sampler, rng, 100'000)) ++counts[std::uint64_t{i} * 64 / kMaxSize];
  EXPECT_TRUE(is_uniform(counts));
}

TEST(ShuffledSampler, every_epoch_is_a_permutation_however_it_is_cut) {
  for (const std::size_t n : {1U, 2U, 7U, 100U}) {
    for (const std::size_t batch : {1U, 2U, 3U, 7U, 64U, 250U}) {
      ShuffledSampler sampler(n);
      Rng rng(4);
      Batch all;
      while (all.size() < 20 * n + batch) {
        const Batch part = draw(sampler, rng, batch);
        all.insert(all.end(), part.begin(), part.end());
      }
      for (std::size_t epoch = 0; (epoch + 1) * n <= all.size(); ++epoch) {
        Batch order(all.begin() + static_cast<std::ptrdiff_t>(epoch * n),
                    all.begin() + static_cast<std::ptrdiff_t>((epoch + 1) * n));
        std::ranges::sort(order);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(order[i], i) << "N = " << n << ", batch " << batch << ", epoch " << epoch;
        }
      }
    }
  }
}

TEST(ShuffledSampler, how_draws_are_cut_into_batches_does_not_change_them) {
  ShuffledSampler whole(50);
  ShuffledSampler cut(50);
  Rng whole_rng(5);
  Rng cut_rng(5);
  const Batch expected = draw(whole, whole_rng, 500);
  Batch together;
  for (std::size_t length = 0; together.size() < 500; ++length) {
    const Batch part = draw(cut, cut_rng, std::min(length, 500 - together.size()));
    together.insert(together.end(), part.begin(), part.end());
  }
  EXPECT_EQ(together, expected);
  EXPECT_EQ(cut_rng, whole_rng);
}

TEST(ShuffledSampler, every_order_of_4_is_equally_likely_in_every_epoch) {
  std::map<Batch, std::size_t> place;
  Batch order{0, 1, 2, 3};
  do {
    place.emplace(order, place.size());
  } while (std::ranges::next_permutation(order).found);
  ASSERT_EQ(place.size(), 24U);
  // The second epoch starts from the order of the first: pairs of epochs must be uniform too.
  Counts first(24);
  Counts pairs(576);
  for (std::uint64_t seed = 0; seed < 60'000; ++seed) {
    ShuffledSampler sampler(4);
    Rng rng(6, seed);
    const std::size_t a = place.at(draw(sampler, rng, 4));
    const std::size_t b = place.at(draw(sampler, rng, 4));
    ++first[a];
    ++pairs[24 * a + b];
  }
  EXPECT_TRUE(is_uniform(first));
  EXPECT_TRUE(is_uniform(pairs));
}

TEST(ShuffledSampler, every_place_of_an_epoch_is_even) {
  ShuffledSampler sampler(20);
  Rng rng(7);
  Counts counts(400);
  for (int epoch = 0; epoch < 20'000; ++epoch) {
    const Batch order = draw(sampler, rng, 20);
    for (std::size_t place = 0; place < 20; ++place) ++counts[20 * place + order[place]];
  }
  EXPECT_TRUE(is_uniform(counts));
}

// Stability: the first draws of a seed; changing them is a CHANGELOG entry.
TEST(UniformSampler, draws_of_a_seed_never_change) {
  UniformSampler sampler(1000);
  Rng rng(42);
  EXPECT_EQ(draw(sampler, rng, 8), (Batch{814, 318, 983, 701, 793, 588, 125, 605}));
}

TEST(ShuffledSampler, draws_of_a_seed_never_change) {
  ShuffledSampler sampler(8);
  Rng rng(42);
  EXPECT_EQ(draw(sampler, rng, 16), (Batch{6, 3, 7, 0, 2, 1, 5, 4, 3, 4, 1, 6, 5, 7, 2, 0}));
}

TEST(UniformSampler, empty_batch_draws_and_learns_nothing) {
  UniformSampler uniform(5);
  ShuffledSampler shuffled(5);
  Rng rng(8);
  const Rng before = rng;
  EXPECT_TRUE(draw(uniform, rng, 0).empty());
  EXPECT_TRUE(draw(shuffled, rng, 0).empty());
  EXPECT_EQ(rng, before);
  EXPECT_NO_THROW(uniform.observe({}, {}));
  EXPECT_NO_THROW(shuffled.observe({}, {}));
}

template <class S>
class EvenSampler : public testing::Test {};
using EvenSamplers = testing::Types<UniformSampler, ShuffledSampler>;
TYPED_TEST_SUITE(EvenSampler, EvenSamplers, );

TYPED_TEST(EvenSampler, probability_is_1_over_n) {
  const TypeParam sampler(8);
  EXPECT_EQ(sampler.size(), 8U);
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(sampler.probability(i), 0.125);
}

TYPED_TEST(EvenSampler, losses_change_nothing) {
  TypeParam told(10);
  TypeParam not_told(10);
  Rng told_rng(9);
  Rng other_rng(9);
  for (int step = 0; step < 100; ++step) {
    const Batch batch = draw(told, told_rng, 7);
    ASSERT_EQ(batch, draw(not_told, other_rng, 7));
    told.observe(batch, Losses{0, 1, 1e300, 0.5, 2, 0, 3});
  }
  EXPECT_EQ(saved(told), saved(not_told));
}

TYPED_TEST(EvenSampler, loaded_sampler_continues_the_draws) {
  for (const std::size_t done : {0U, 1U, 6U, 7U, 13U}) {
    TypeParam sampler(7);
    Rng rng(10);
    draw(sampler, rng, done);
    auto copy = loaded<TypeParam>(saved(sampler));
    Rng copy_rng = rng;
    EXPECT_EQ(copy.size(), 7U);
    EXPECT_EQ(draw(copy, copy_rng, 100), draw(sampler, rng, 100)) << "after " << done;
  }
}

TYPED_TEST(EvenSampler, truncated_state_is_refused_at_every_length) {
  const std::string bytes = saved(TypeParam(9));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(std::ignore = loaded<TypeParam>(bytes.substr(0, length)), DataError) << length;
  }
}

TYPED_TEST(EvenSampler, state_with_any_one_byte_altered_is_refused) {
  const std::string bytes = saved(TypeParam(9));
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (unsigned change = 1; change < 256; ++change) {
      std::string altered = bytes;
      altered[place] = static_cast<char>(static_cast<unsigned char>(bytes[place]) ^ change);
      EXPECT_THROW(std::ignore = loaded<TypeParam>(altered), DataError)
          << "byte " << place << " xor " << change;
    }
  }
}

TYPED_TEST(EvenSampler, bad_input_is_named_with_what_is_allowed) {
  expect_words<OptionError>([] { TypeParam(0); }, "size = 0 is outside [1, 4294967294]");
  expect_words<OptionError>([] { TypeParam(kMaxSize + 1); },
                            "size = 4294967295 is outside [1, 4294967294]");
  expect_words<OptionError>([] { TypeParam(~std::size_t{0}); },
                            "size = 18446744073709551615 is outside [1, 4294967294]");
  TypeParam sampler(5);
  expect_words<OptionError>([&] { std::ignore = sampler.probability(5); },
                            "index 5 is outside [0, 4]");
  expect_words<OptionError>([&] { std::ignore = sampler.probability(~Index{0}); },
                            "index 4294967295 is outside [0, 4]");

  struct Row {
    Batch drawn;
    Losses losses;
    const char* words;
  };
  const std::vector<Row> bad_options{
      {{1, 2}, {1}, "drawn has 2 values, losses has 1"},
      {{}, {1}, "drawn has 0 values, losses has 1"},
      {{0, 5}, {1, 1}, "drawn[1] = 5 is outside [0, 4]"},
      {{4294967295}, {1}, "drawn[0] = 4294967295 is outside [0, 4]"},
  };
  for (const Row& row : bad_options) {
    expect_words<OptionError>([&] { sampler.observe(row.drawn, row.losses); }, row.words);
  }
  const std::vector<Row> bad_losses{
      {{0, 1}, {1, -0.5}, "losses[1] = -0.5 is outside [0, inf)"},
      {{0, 1}, {kNan, 1}, "losses[0] = nan is outside [0, inf)"},
      {{0, 1, 4}, {1, 0, kInf}, "losses[2] = inf is outside [0, inf)"},
      {{2}, {-kInf}, "losses[0] = -inf is outside [0, inf)"},
  };
  for (const Row& row : bad_losses) {
    expect_words<DataError>([&] { sampler.observe(row.drawn, row.losses); }, row.words);
  }
}

TEST(UniformSampler, state_that_no_sampler_wrote_is_named) {
  const auto load = [](const std::string& bytes) {
    return [bytes] { std::ignore = loaded<UniformSampler>(bytes); };
  };
  const std::string start = "not a usable ACVRUNIF state: ";
  expect_words<DataError>(load(block_of("ACVRUNIF", {0})), start + "its size is out of range");
  expect_words<DataError>(load(block_of("ACVRUNIF", {kMaxSize + 1})),
                          start + "its size is out of range");
  expect_words<DataError>(load(block_of("ACVRUNIF", {})), start + "8 bytes wanted, 0 left");
  expect_words<DataError>(load(block_of("ACVRUNIF", {5, 0})), start + "8 bytes are left over");
  expect_words<DataError>(load(saved(ShuffledSampler(5))), start + "it does not begin as one");
}

TEST(ShuffledSampler, state_that_no_sampler_wrote_is_named) {
  const auto load = [](const std::string& bytes) {
    return [bytes] { std::ignore = loaded<ShuffledSampler>(bytes); };
  };
  const std::string start = "not a usable ACVRSHUF state: ";
  const std::string size = start + "its size is out of range";
  const std::string order = start + "its order is not a permutation";
  EXPECT_NO_THROW(load(block_of("ACVRSHUF", {3, 2}, {2, 0, 1}))());
  expect_words<DataError>(load(block_of("ACVRSHUF", {0, 0})), size);
  expect_words<DataError>(load(block_of("ACVRSHUF", {4, 0}, {0, 1, 2})), size);
  expect_words<DataError>(load(block_of("ACVRSHUF", {2, 0}, {0, 1, 2})), size);
  // Sizes that would need gigabytes, or overflow to 0 when multiplied by 4.
  expect_words<DataError>(load(block_of("ACVRSHUF", {kMaxSize, 0}, {0, 1, 2})), size);
  expect_words<DataError>(load(block_of("ACVRSHUF", {std::uint64_t{1} << 62U, 0})), size);
  expect_words<DataError>(load(block_of("ACVRSHUF", {3, 3}, {0, 1, 2})),
                          start + "its place in the epoch is out of range");
  expect_words<DataError>(load(block_of("ACVRSHUF", {3, 0}, {0, 1, 1})), order);
  expect_words<DataError>(load(block_of("ACVRSHUF", {3, 0}, {0, 1, 3})), order);
  expect_words<DataError>(load(block_of("ACVRSHUF", {3, 0}, {0, 1, ~Index{0}})), order);
  expect_words<DataError>(load(block_of("ACVRSHUF", {3, 0}, {0, 1, 2}, "x")),
                          start + "1 bytes are left over");
  expect_words<DataError>(load(block_of("ACVRSHUF", {3})), start + "8 bytes wanted, 0 left");
  expect_words<DataError>(load(saved(UniformSampler(5))), start + "it does not begin as one");
}

TEST(MakeSampler, name_picks_the_sampler) {
  EXPECT_TRUE(std::holds_alternative<UniformSampler>(make_sampler("uniform", 10).variant()));
  EXPECT_TRUE(std::holds_alternative<ShuffledSampler>(make_sampler("shuffled", 10).variant()));
  AdaptiveSamplerOptions options;
  options.alpha = 0.3;
  const AnySampler adaptive = make_sampler("adaptive", 10, options);
  ASSERT_TRUE(std::holds_alternative<AdaptiveSampler>(adaptive.variant()));
  EXPECT_EQ(std::get<AdaptiveSampler>(adaptive.variant()).options().alpha, 0.3);
}

TEST(MakeSampler, unknown_name_lists_the_known) {
  for (const std::string name : {"goss", "", "Uniform", "uniform ", "adaptiv"}) {
    expect_words<OptionError>(
        [&] { std::ignore = make_sampler(name, 10); },
        "sampler = '" + name + "' is not one of: uniform, shuffled, adaptive");
  }
}

TEST(MakeSampler, bad_size_and_options_are_named) {
  for (const std::string_view name : {"uniform", "shuffled", "adaptive"}) {
    expect_words<OptionError>([&] { std::ignore = make_sampler(name, 0); },
                              "size = 0 is outside [1, 4294967294]");
  }
  AdaptiveSamplerOptions options;
  options.alpha = 1.5;
  expect_words<OptionError>([&] { std::ignore = make_sampler("adaptive", 10, options); },
                            "alpha = 1.5 is outside (0, 1]");
  // Options are those of the adaptive sampler alone.
  EXPECT_NO_THROW(std::ignore = make_sampler("uniform", 10, options));
}

/// Makes the same calls on a sampler and on an AnySampler with a copy of it.
template <class S>
void expect_forwards(S sampler) {
  AnySampler any(sampler);
  Rng rng(11);
  Rng any_rng(11);
  Rng loss_rng(12);
  EXPECT_EQ(any.size(), sampler.size());
  for (int step = 0; step < 20; ++step) {
    const Batch batch = draw(sampler, rng, 9);
    ASSERT_EQ(draw(any, any_rng, 9), batch);
    Losses losses(9);
    for (double& loss : losses) loss = loss_rng.uniform();
    sampler.observe(batch, losses);
    any.observe(batch, losses);
    for (Index i = 0; i < sampler.size(); ++i) {
      ASSERT_EQ(any.probability(i), sampler.probability(i));
    }
  }
  EXPECT_EQ(saved(any), saved(sampler));
  EXPECT_EQ(saved(std::get<S>(any.variant())), saved(sampler));
  EXPECT_THROW(std::ignore = any.probability(static_cast<Index>(sampler.size())), OptionError);
  EXPECT_THROW(any.observe(Batch{0}, Losses{-1}), DataError);
}

TEST(AnySampler, does_what_the_sampler_in_it_does) {
  expect_forwards(UniformSampler(20));
  expect_forwards(ShuffledSampler(20));
  expect_forwards(AdaptiveSampler(20));
}

}  // namespace
}  // namespace adacvar
