#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include "base/state_stream.hpp"
#include "support/chi_square.hpp"
#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Words = std::array<std::uint64_t, 4>;
using support::is_uniform;

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();

static_assert(std::uniform_random_bit_generator<Rng>);
static_assert(Rng::min() == 0 && Rng::max() == kAllOnes);

/// The authors' C code, rewritten: SplitMix64 fills the state of xoshiro256++ [BV21].
struct PlainXoshiro {
  Words s{};

  static std::uint64_t split_mix(std::uint64_t& counter) {
    counter += 0x9e3779b97f4a7c15;
    std::uint64_t z = counter;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }

  explicit PlainXoshiro(std::uint64_t seed) {
    for (std::uint64_t& word : s) word = split_mix(seed);
  }

  static std::uint64_t rotl(std::uint64_t x, unsigned k) { return (x << k) | (x >> (64 - k)); }

  std::uint64_t next() {
    const std::uint64_t result = rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17U;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
  }
};

std::string saved(const Rng& rng) {
  std::ostringstream out;
  rng.save(out);
  return out.str();
}

Rng loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return Rng::load(in);
}

Words state_of(const Rng& rng) {
  std::istringstream in(saved(rng));
  StateReader reader(in, "ACVRRNG", 1);
  Words words{};
  reader.get_array(std::span<std::uint64_t>(words));
  return words;
}

std::string block_of(const Words& words) {
  StateWriter writer("ACVRRNG", 1);
  writer.put_array(std::span<const std::uint64_t>(words));
  std::ostringstream out;
  writer.write_to(out);
  return out.str();
}

/// A generator whose first 64 bits are `bits`: rotl(0 + bits rotated back, 23) + 0.
Rng starting_with(std::uint64_t bits) {
  return loaded(block_of({0, 1, 0, PlainXoshiro::rotl(bits, 64 - 23)}));
}

std::vector<std::uint64_t> first_outputs(Rng rng, std::size_t count) {
  std::vector<std::uint64_t> outputs(count);
  for (std::uint64_t& output : outputs) output = rng();
  return outputs;
}

std::string refusal_of(const std::string& bytes) {
  try {
    std::ignore = loaded(bytes);
    return "nothing thrown";
  } catch (const DataError& error) {
    return error.what();
  }
}

TEST(Rng, steps_as_the_published_xoshiro256pp) {
  // Output of the authors' xoshiro256plusplus.c from the state {1, 2, 3, 4}.
  const std::vector<std::uint64_t> published{
      41943041,
      58720359,
      3588806011781223,
      3591011842654386,
      9228616714210784205U,
      9973669472204895162U,
      14011001112246962877U,
      12406186145184390807U,
      15849039046786891736U,
      10450023813501588000U,
  };
  EXPECT_EQ(first_outputs(loaded(block_of({1, 2, 3, 4})), published.size()), published);
}

TEST(Rng, seed_is_spread_as_the_published_splitmix64) {
  EXPECT_EQ(state_of(Rng(0)), (Words{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f,
                                     0xf88bb8a8724c81ec}));
  EXPECT_EQ(state_of(Rng(1234567)), (Words{6457827717110365317U, 3203168211198807973U,
                                           9817491932198370423U, 4593380528125082431U}));
}

TEST(Rng, agrees_with_a_plain_version_for_many_seeds) {
  std::uint64_t counter = 1;
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t seed = PlainXoshiro::split_mix(counter);
    Rng rng(seed);
    PlainXoshiro plain(seed);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(rng(), plain.next()) << "seed " << seed << ", " << i;
  }
}

// Stability: every run that was recorded with its seed depends on these. A change is a CHANGELOG
// entry.
TEST(Rng, sequence_of_a_seed_and_stream_never_changes) {
  using Outputs = std::vector<std::uint64_t>;
  EXPECT_EQ(first_outputs(Rng(), 4), (Outputs{0x53175d61490b23df, 0x61da6f3dc380d507,
                                              0x5c0fdf91ec9a7bfc, 0x02eebf8c3bbe5e1a}));
  EXPECT_EQ(first_outputs(Rng(42), 4), (Outputs{0xd0764d4f4476689f, 0x519e4174576f3791,
                                                0xfbe07cfb0c24ed8c, 0xb37d9f600cd835b8}));
  EXPECT_EQ(first_outputs(Rng(42, 1), 4), (Outputs{0x17e06bd705973a28, 0xcfcca54f44a7c799,
                                                   0x17df357b2014c2d7, 0xaf03fb9baf96381c}));
  EXPECT_EQ(
      first_outputs(Rng(kAllOnes, kAllOnes), 4),
      (Outputs{0x434c7c5b4a793fdd, 0x1b05f4a8eea5af18, 0xb440920498928ca1, 0xd21ffaf59f038967}));
}

TEST(Rng, draws_of_a_seed_never_change) {
  Rng rng(42);
  for (const double value :
       {0x1.a0ec9a9e88ecdp-1, 0x1.467905d15dbccp-2, 0x1.f7c0f9f61849dp-1, 0x1.66fb3ec019b06p-1}) {
    EXPECT_EQ(rng.uniform(), value);
  }
  using Draws = std::array<std::uint32_t, 6>;
  const auto draws = [](std::uint32_t bound) {
    Rng seven(7);
    Draws result{};
    for (std::uint32_t& value : result) value = seven.below(bound);
    return result;
  };
  EXPECT_EQ(draws(3), (Draws{0, 0, 2, 1, 2, 1}));
  EXPECT_EQ(draws(10), (Draws{0, 1, 7, 4, 9, 4}));
  EXPECT_EQ(draws(2147483649),
            (Draws{369615982, 2069443065, 157375742, 245331189, 1575874435, 242849838}));
  EXPECT_EQ(draws(4294967295),
            (Draws{237771263, 739231964, 3081966002, 1834852201, 4138886129, 2000182113}));
}

TEST(Rng, seeds_and_streams_share_no_output) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t stream = 0; stream < 30; ++stream) {
      for (const std::uint64_t output : first_outputs(Rng(seed, stream), 20)) {
        seen.insert(output);
        ++drawn;
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

TEST(Rng, streams_of_a_seed_are_unrelated) {
  // If two streams were related, their differing bits would not be evenly distributed.
  for (const auto& [a, b] : {std::pair{Rng(5, 0), Rng(5, 1)}, std::pair{Rng(5, 1), Rng(6, 0)},
                             std::pair{Rng(5, 7), Rng(6, 7)}}) {
    Rng first = a;
    Rng second = b;
    std::vector<std::uint64_t> high(64);
    std::vector<std::uint64_t> low(64);
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t differ = first() ^ second();
      ++high[differ >> 58U];
      ++low[differ & 63U];
    }
    EXPECT_TRUE(is_uniform(high));
    EXPECT_TRUE(is_uniform(low));
  }
}

TEST(Rng, uniform_takes_the_multiples_of_2_to_the_minus_53_below_1) {
  Rng rng(1);
  for (int i = 0; i < 100'000; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    const double scaled = u * 0x1.0p53;
    ASSERT_EQ(scaled, std::floor(scaled));
  }
  EXPECT_EQ(starting_with(0).uniform(), 0.0);
  EXPECT_EQ(starting_with((1U << 11U) - 1).uniform(), 0.0);
  EXPECT_EQ(starting_with(1U << 11U).uniform(), 0x1.0p-53);
  EXPECT_EQ(starting_with(kAllOnes).uniform(), 1.0 - 0x1.0p-53);
}

TEST(Rng, uniform_is_even_in_its_first_and_last_bits) {
  Rng rng(2);
  std::vector<std::uint64_t> first(100);
  std::vector<std::uint64_t> last(64);
  for (int i = 0; i < 500'000; ++i) {
    const double u = rng.uniform();
    ++first[static_cast<std::size_t>(100 * u)];
    ++last[static_cast<std::uint64_t>(u * 0x1.0p53) & 63U];
  }
  EXPECT_TRUE(is_uniform(first));
  EXPECT_TRUE(is_uniform(last));
}

TEST(Rng, below_1_is_0) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(rng.below(1), 0U);
}

TEST(Rng, below_reaches_both_ends) {
  for (const std::uint32_t bound : {2U, 3U, 1U << 16U, (1U << 31U) + 1, ~0U}) {
    EXPECT_EQ(starting_with(kAllOnes).below(bound), bound - 1);
    // The smallest 32 bits that are not drawn again: their product with the bound is just enough.
    const std::uint64_t biased = (std::uint64_t{1} << 32U) % bound;
    const std::uint64_t smallest = (biased + bound - 1) / bound;
    EXPECT_EQ(starting_with(smallest << 32U).below(bound), smallest * bound >> 32U) << bound;
  }
}

TEST(Rng, below_takes_32_bits_and_draws_again_exactly_those_that_would_bias) {
  // Over the 2^32 values r, floor(r bound / 2^32) takes each result equally often once the r with
  // (r bound mod 2^32) < (2^32 mod bound) are left out [L19].
  Rng bounds(4);
  Rng rng(5);
  Rng plain(5);
  for (int i = 0; i < 200'000; ++i) {
    const auto bound = static_cast<std::uint32_t>(bounds() >> (32 + bounds() % 32)) | 1U;
    const std::uint64_t biased = (std::uint64_t{1} << 32U) % bound;
    std::uint64_t product = 0;
    do {
      product = (plain() >> 32U) * bound;
    } while ((product & 0xffffffffU) < biased);
    ASSERT_EQ(rng.below(bound), product >> 32U) << "bound " << bound;
  }
  EXPECT_EQ(rng, plain);
}

TEST(Rng, below_is_even_over_few_values) {
  for (const std::uint32_t bound : {2U, 3U, 5U, 7U, 100U, 1000U}) {
    Rng rng(6, bound);
    std::vector<std::uint64_t> counts(bound);
    for (int i = 0; i < 200'000; ++i) ++counts[rng.below(bound)];
    EXPECT_TRUE(is_uniform(counts)) << "bound " << bound;
  }
}

TEST(Rng, below_is_even_over_many_values) {
  // Taking a remainder would double the lower half of 2^31 + 1; a product without drawing again
  // would double every third value of 3 * 2^30.
  for (const std::uint32_t bound : {(1U << 31U) + 1, 3U << 30U, ~0U}) {
    Rng rng(7, bound);
    std::vector<std::uint64_t> by_size(128);
    std::vector<std::uint64_t> by_remainder(3);
    for (int i = 0; i < 400'000; ++i) {
      const std::uint32_t value = rng.below(bound);
      ASSERT_LT(value, bound);
      ++by_size[std::uint64_t{value} * 128 / bound];
      ++by_remainder[value % 3];
    }
    EXPECT_TRUE(is_uniform(by_size)) << "bound " << bound;
    EXPECT_TRUE(is_uniform(by_remainder)) << "bound " << bound;
  }
}

TEST(Rng, loaded_generator_continues_the_sequence) {
  Rng rng(8, 9);
  for (int i = 0; i < 1000; ++i) rng();
  const std::string bytes = saved(rng);
  EXPECT_EQ(bytes.size(), 56U);
  Rng copy = loaded(bytes);
  EXPECT_EQ(copy, rng);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(copy(), rng());
}

TEST(Rng, blocks_follow_each_other_in_one_stream) {
  std::stringstream stream;
  Rng(1).save(stream);
  Rng(2).save(stream);
  EXPECT_EQ(Rng::load(stream), Rng(1));
  EXPECT_EQ(Rng::load(stream), Rng(2));
}

TEST(Rng, truncated_state_is_refused_at_every_length) {
  const std::string bytes = saved(Rng(10));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(std::ignore = loaded(bytes.substr(0, length)), DataError) << length << " bytes";
  }
}

TEST(Rng, state_with_any_one_byte_altered_is_refused) {
  const std::string bytes = saved(Rng(11));
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (unsigned change = 1; change < 256; ++change) {
      std::string altered = bytes;
      altered[place] = static_cast<char>(static_cast<unsigned char>(altered[place]) ^ change);
      EXPECT_THROW(std::ignore = loaded(altered), DataError)
          << "byte " << place << " xor " << change;
    }
  }
}

TEST(Rng, bad_states_are_named) {
  EXPECT_PRED2(support::has_words, refusal_of(""), "ACVRRNG ... 0 of 20");
  EXPECT_NE(refusal_of(block_of({0, 0, 0, 0})).find("all zeros"), std::string::npos);
  StateWriter longer("ACVRRNG", 1);
  for (std::uint64_t word = 1; word <= 5; ++word) longer.put(word);
  std::ostringstream out;
  longer.write_to(out);
  EXPECT_PRED2(support::has_words, refusal_of(out.str()), "ACVRRNG ... 8 bytes");
}

TEST(Rng, stream_that_cannot_be_written_is_an_error) {
  std::ostringstream full;
  full.setstate(std::ios::badbit);
  try {
    Rng(12).save(full);
    ADD_FAILURE() << "nothing thrown";
  } catch (const DataError& error) {
    EXPECT_PRED2(support::has_words, error.what(), "ACVRRNG ... written");
  }
}

// Tests of distributions rely on tests/support/chi_square.hpp; these check it against tables.

TEST(ChiSquare, p_value_is_that_of_the_tables) {
  // A fair coin that shows 44 heads in 100: (6^2 + 6^2) / 50 = 1.44, p = 0.2301 (1 degree).
  using Counts = std::vector<std::uint64_t>;
  EXPECT_NEAR(support::chi_square_p_value(support::merge_cells(Counts{44, 56}, {{0.5, 0.5}})),
              0.2301, 5e-5);
  // 16.919 is the 5 % point of 9 degrees.
  std::vector<support::Cell> cells(10, {.values = 1, .count = 100, .expected = 100});
  cells[0].count += std::sqrt(100 * 16.919);
  EXPECT_NEAR(support::chi_square_p_value(cells), 0.05, 1e-5);
}

TEST(ChiSquare, rare_values_are_counted_together) {
  const std::vector<std::uint64_t> counts{1, 60, 4, 30, 0, 5};
  const std::vector<double> probabilities{0.04, 0.5, 0.05, 0.36, 0.0, 0.05};
  const auto cells = support::merge_cells(counts, probabilities);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].values, 3U);  // 0.04, 0.05 and 0.05: 4 and 9 would be too few
  EXPECT_EQ(cells[0].count, 10);
  EXPECT_NEAR(cells[0].expected, 14, 1e-12);
  EXPECT_EQ(cells[1].count, 30);
  EXPECT_EQ(cells[2].count, 60);
}

TEST(ChiSquare, wrong_distributions_are_detected_and_their_counts_printed) {
  using Counts = std::vector<std::uint64_t>;
  EXPECT_TRUE(is_uniform(Counts{1100, 900})) << "p = 8e-6 is above the threshold";
  const auto wrong = is_uniform(Counts{1120, 880});
  EXPECT_FALSE(wrong);
  const std::string words = wrong.message();
  EXPECT_NE(words.find("p-value 8."), std::string::npos) << words;
  EXPECT_NE(words.find("value 1: drawn 880 times, expected 1000"), std::string::npos) << words;
  EXPECT_FALSE(support::follows_distribution(Counts{1, 499, 500}, {{0.0, 0.5, 0.5}}))
      << "the impossible";
  EXPECT_FALSE(support::follows_distribution(Counts{500, 500}, {{0.5, 0.4}}))
      << "probabilities that do not add up to 1";
  EXPECT_FALSE(is_uniform(Counts{5, 5})) << "too few draws to tell";
}

}  // namespace
}  // namespace adacvar
