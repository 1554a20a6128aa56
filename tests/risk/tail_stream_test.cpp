#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/tail_stream.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

using Losses = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

std::size_t below(Rng& rng, std::size_t bound) {
  return rng.below(static_cast<std::uint32_t>(bound));
}

double draw_alpha(Rng& rng, std::size_t max_count) {
  switch (rng.below(5)) {
    case 0:
      return 1;
    case 1:
      return 1e-6;
    case 2:
      return static_cast<double>(1 + below(rng, max_count)) / static_cast<double>(max_count);
    case 3:
      return 0.1 * (1 + rng.below(9));
    default:
      return 1 - rng.uniform();
  }
}

Losses draw_losses(Rng& rng, std::size_t n) {
  Losses losses(n);
  const std::uint32_t shape = rng.below(7);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = rng.uniform();
    const auto x = static_cast<double>(i);
    const double shapes[] = {u - 0.5, std::floor(4 * u), 0.1, x, -x, 1 / (1.01 - u), 1e9 + u};
    losses[i] = shapes[shape];
  }
  return losses;
}

/// A stream with the losses pushed to it: every result is compared with `tail_risk`.
class CheckedStream {
 public:
  CheckedStream(double alpha, std::size_t max_count) : stream_(alpha, max_count) {}

  void push(double loss) {
    stream_.push(loss);
    seen_.push_back(loss);
  }

  void push(std::span<const double> losses) {
    stream_.push(losses);
    seen_.insert(seen_.end(), losses.begin(), losses.end());
  }

  void merge(const CheckedStream& other) {
    stream_.merge(other.stream_);
    const Losses seen = other.seen_;
    seen_.insert(seen_.end(), seen.begin(), seen.end());
  }

  [[nodiscard]] testing::AssertionResult agrees() const {
    const auto fail = [&](const char* what, double is, double should) {
      return testing::AssertionFailure()
             << what << " is " << is << ", should be " << should << "; alpha = " << stream_.alpha()
             << ", " << seen_.size() << " of " << stream_.max_count();
    };
    if (stream_.count() != seen_.size()) {
      return fail("count", static_cast<double>(stream_.count()), static_cast<double>(seen_.size()));
    }
    const TailRisk is = stream_.risk();
    const TailRisk should = tail_risk(seen_, stream_.alpha());
    const auto close = [](double a, double b) { return std::abs(a - b) <= 3e-16 * std::abs(b); };
    if (is.var != should.var) return fail("var", is.var, should.var);
    if (!close(is.cvar, should.cvar)) return fail("cvar", is.cvar, should.cvar);
    if (!close(is.mean, should.mean)) return fail("mean", is.mean, should.mean);
    const auto whole = static_cast<double>(stream_.max_count());
    const double most = 2 * (std::floor(stream_.alpha() * whole * (1 + 1e-14)) + 1);
    if (static_cast<double>(stream_.capacity()) > most) {
      return fail("capacity", static_cast<double>(stream_.capacity()), most);
    }
    return testing::AssertionSuccess();
  }

 private:
  TailStream stream_;
  Losses seen_;
};

TEST(TailStream, counts_the_border_loss_by_fraction_at_every_prefix) {
  TailStream stream(0.5, 5);
  const TailRisk expected[] = {
      {10, 10, 10},               // half of 10
      {25, 10, 40},               // 40
      {70.0 / 3, 20, 100.0 / 3},  // 40 and half of 20: 50 / 1.5
      {17.5, 10, 30},             // 40, 20
      {20, 20, 32},               // 40, 30 and half of 20: 80 / 2.5
  };
  const double losses[] = {10, 40, 20, 0, 30};
  for (std::size_t i = 0; i < 5; ++i) {
    stream.push(losses[i]);
    const TailRisk risk = stream.risk();
    EXPECT_DOUBLE_EQ(risk.mean, expected[i].mean) << "prefix " << i + 1;
    EXPECT_EQ(risk.var, expected[i].var) << "prefix " << i + 1;
    EXPECT_DOUBLE_EQ(risk.cvar, expected[i].cvar) << "prefix " << i + 1;
  }
}

TEST(TailStream, agrees_with_the_whole_sample_at_every_prefix_of_short_streams) {
  Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t max_count = 1 + below(rng, 40);
    CheckedStream stream(draw_alpha(rng, max_count), max_count);
    for (const double loss : draw_losses(rng, max_count)) {
      stream.push(loss);
      ASSERT_TRUE(stream.agrees()) << "round " << round;
    }
  }
}

TEST(TailStream, agrees_with_the_whole_sample_however_it_is_cut) {
  Rng rng(2);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t max_count = 1 + below(rng, 3000);
    CheckedStream stream(draw_alpha(rng, max_count), max_count);
    const Losses losses = draw_losses(rng, max_count);
    std::span<const double> left = losses;
    while (!left.empty()) {
      const std::size_t block = below(rng, left.size()) + 1;
      if (rng.below(2) == 0) {
        stream.push(left.first(block));
      } else {
        for (const double loss : left.first(block)) stream.push(loss);
      }
      left = left.subspan(block);
      ASSERT_TRUE(stream.agrees()) << "round " << round;
    }
  }
}

TEST(TailStream, agrees_when_its_buffer_is_large_enough_to_be_sampled) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    CheckedStream stream(0.1, 100000);
    for (int block = 0; block < 4; ++block) {
      stream.push(draw_losses(rng, 25000));
      ASSERT_TRUE(stream.agrees()) << "round " << round << ", block " << block;
    }
  }
}

TEST(TailStream, merged_blocks_are_one_stream) {
  Rng rng(4);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t max_count = 8 + below(rng, 500);
    const double alpha = draw_alpha(rng, max_count);
    CheckedStream all(alpha, max_count);
    for (int block = 0; block < 4; ++block) {
      CheckedStream part(alpha, max_count);
      part.push(draw_losses(rng, below(rng, max_count / 4) + 1));
      all.merge(part);
      ASSERT_TRUE(all.agrees()) << "round " << round;
    }
    all.merge(CheckedStream(alpha, max_count));
    ASSERT_TRUE(all.agrees()) << "round " << round << ", after an empty stream";
  }
}

TEST(TailStream, merges_with_itself_as_every_loss_twice) {
  Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    const std::size_t half = 1 + below(rng, 300);
    CheckedStream stream(draw_alpha(rng, 2 * half), 2 * half);
    stream.push(draw_losses(rng, half));
    stream.merge(stream);
    ASSERT_TRUE(stream.agrees()) << "round " << round;
  }
}

TEST(TailStream, takes_memory_only_as_losses_come) {
  TailStream stream(0.5, std::size_t{1} << 53U);
  Losses losses(1000);
  std::iota(losses.begin(), losses.end(), 0.0);
  stream.push(losses);
  EXPECT_LE(stream.capacity(), 2000U);
  EXPECT_EQ(stream.risk(), (TailRisk{.mean = 499.5, .var = 499, .cvar = 749.5}));
}

TEST(TailStream, keeps_the_share_of_a_rising_stream_in_bounded_memory) {
  // Every loss enters the tail, so the buffer is emptied as often as possible.
  TailStream stream(0.001, 1000000);
  for (int i = 0; i < 1000000; ++i) stream.push(i);
  EXPECT_LE(stream.capacity(), 2 * 1001U);
  EXPECT_EQ(stream.risk(), (TailRisk{.mean = 499999.5, .var = 998999, .cvar = 999499.5}));
}

TEST(TailStream, losses_near_the_largest_double_do_not_overflow) {
  TailStream one_by_one(0.3, 40);
  for (int i = 0; i < 20; ++i) one_by_one.push(kMax);
  EXPECT_EQ(one_by_one.risk(), (TailRisk{kMax, kMax, kMax}));
  TailStream block(0.3, 40);
  block.push(Losses(20, -kMax));
  EXPECT_EQ(block.risk(), (TailRisk{-kMax, -kMax, -kMax}));
  block.merge(one_by_one);
  EXPECT_EQ(block.risk(), (TailRisk{0, kMax, kMax}));
  TailStream three(1, 40);
  three.push(Losses(3, kMax));
  TailStream one(1, 40);
  one.push(-kMax);
  three.merge(one);
  EXPECT_EQ(three.risk(), (TailRisk{kMax / 2, -kMax, kMax / 2}));
}

TEST(TailStream, bad_options_are_named_with_what_is_allowed) {
  expect_words<OptionError>([] { TailStream(0, 5); }, "alpha = 0 ... (0, 1]");
  expect_words<OptionError>([] { TailStream(1.5, 5); }, "alpha = 1.5 ... (0, 1]");
  expect_words<OptionError>([] { TailStream(kNan, 5); }, "alpha = nan ... (0, 1]");
  expect_words<OptionError>([] { TailStream(0.5, 0); }, "max_count = 0 ... [1, 9007199254740992]");
  expect_words<OptionError>([] { TailStream(0.5, std::size_t{1} << 54U); },
                            "max_count = 18014398509481984 ... [1, 9007199254740992]");
}

TEST(TailStream, bad_pushes_are_named_and_leave_the_stream_as_it_was) {
  TailStream stream(0.4, 5);
  expect_words<DataError>([&] { std::ignore = stream.risk(); }, "losses ... empty");
  stream.push(Losses{3, 1, 2});
  const TailRisk before = stream.risk();
  TailStream other_alpha(0.5, 5);
  TailStream other_count(0.4, 6);
  TailStream three_more(0.4, 5);
  three_more.push(Losses{7, 8, 9});

  expect_words<DataError>([&] { stream.push(kNan); }, "loss = nan ... finite");
  expect_words<DataError>([&] { stream.push(-kNan); }, "loss = nan ... finite");
  expect_words<DataError>([&] { stream.push(-kInf); }, "loss = -inf ... finite");
  expect_words<DataError>([&] { stream.push(Losses{9, kInf}); }, "losses[1] = inf ... finite");
  expect_words<OptionError>([&] { stream.push(Losses{7, 8, 9}); }, "count = 6 ... max_count = 5");
  expect_words<OptionError>([&] { stream.merge(three_more); }, "count = 6 ... max_count = 5");
  expect_words<OptionError>([&] { stream.merge(other_alpha); }, "alpha = 0.5 ... 0.4");
  expect_words<OptionError>([&] { stream.merge(other_count); }, "max_count = 6 ... 5");
  EXPECT_EQ(stream.count(), 3U);
  EXPECT_EQ(stream.risk(), before);

  stream.push(4);
  stream.push(5);
  expect_words<OptionError>([&] { stream.push(6); }, "count = 6 ... max_count = 5");
  EXPECT_EQ(stream.count(), 5U);
  EXPECT_EQ(stream.risk(), (TailRisk{.mean = 3, .var = 3, .cvar = 4.5}));
}

}  // namespace
}  // namespace adacvar
