#include <adacvar/base/error.hpp>
#include <adacvar/base/options.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace adacvar {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// Python then sees a ValueError without any extra code.
static_assert(std::is_base_of_v<std::invalid_argument, OptionError>);

void expect_words(const std::function<void()>& call, const std::string& words) {
  support::expect_words<OptionError>(call, words);
}

TEST(Bounds, ends_belong_to_the_range_where_they_say_so) {
  for (const bool low_ok : {false, true}) {
    for (const bool high_ok : {false, true}) {
      const Bounds bounds{.low = 0, .high = 1, .low_ok = low_ok, .high_ok = high_ok};
      EXPECT_EQ(bounds.contains(0), low_ok);
      EXPECT_EQ(bounds.contains(-0.0), low_ok);
      EXPECT_EQ(bounds.contains(1), high_ok);
      EXPECT_TRUE(bounds.contains(kTiny));
      EXPECT_TRUE(bounds.contains(0.5));
      EXPECT_TRUE(bounds.contains(std::nextafter(1, 0)));
      EXPECT_FALSE(bounds.contains(-kTiny));
      EXPECT_FALSE(bounds.contains(std::nextafter(1, 2)));
    }
  }
}

TEST(Bounds, open_sides_contain_every_finite_number) {
  for (const double value : {-kMax, -1.0, 0.0, kTiny, kMax}) {
    EXPECT_TRUE(Bounds{}.contains(value)) << value;
    EXPECT_EQ(Bounds{.low = 0}.contains(value), value >= 0) << value;
    EXPECT_EQ(Bounds{.high = 0}.contains(value), value <= 0) << value;
  }
}

TEST(Bounds, nan_and_the_infinities_are_outside_every_range) {
  const std::vector<Bounds> all{
      {}, {.low = 0}, {.high = 0}, {.low = 0, .high = 1}, {.low_ok = false, .high_ok = false}};
  for (const Bounds& bounds : all) {
    for (const double value : {kNan, -kNan, kInf, -kInf}) {
      EXPECT_FALSE(bounds.contains(value)) << value << " in " << bounds.text();
    }
  }
}

TEST(Bounds, range_of_one_number_contains_it_alone) {
  const Bounds bounds{.low = 2, .high = 2};
  EXPECT_TRUE(bounds.contains(2));
  EXPECT_FALSE(bounds.contains(std::nextafter(2, 3)));
  EXPECT_FALSE(bounds.contains(std::nextafter(2, 1)));
}

TEST(Bounds, text_is_as_mathematics_writes_it) {
  EXPECT_EQ((Bounds{.low = 0, .high = 1}.text()), "[0, 1]");
  EXPECT_EQ((Bounds{.low = 0, .high = 1, .low_ok = false}.text()), "(0, 1]");
  EXPECT_EQ((Bounds{.low = 0, .high = 1, .high_ok = false}.text()), "[0, 1)");
  EXPECT_EQ((Bounds{.low = -2.5, .high = 1e-9, .low_ok = false, .high_ok = false}.text()),
            "(-2.5, 1e-09)");
  EXPECT_EQ(Bounds{.low = 0}.text(), "[0, inf)");
  EXPECT_EQ((Bounds{.low = 0, .low_ok = false}.text()), "(0, inf)");
  EXPECT_EQ(Bounds{.high = 3}.text(), "(-inf, 3]");
  EXPECT_EQ(Bounds{}.text(), "(-inf, inf)");
}

TEST(CheckRange, value_outside_is_named_with_what_is_allowed) {
  const Bounds alpha{.low = 0, .high = 1, .low_ok = false};
  struct Row {
    double value;
    Bounds bounds;
    const char* words;
  };
  const std::vector<Row> rows{
      {1.5, alpha, "alpha = 1.5 is outside (0, 1]"},
      {0, alpha, "alpha = 0 is outside (0, 1]"},
      {-1, alpha, "alpha = -1 is outside (0, 1]"},
      {1e300, alpha, "alpha = 1e+300 is outside (0, 1]"},
      {std::nextafter(1, 2), alpha, "alpha = 1.0000000000000002 is outside (0, 1]"},
      {kInf, {.low = 0}, "alpha = inf is outside [0, inf)"},
      {-kInf, {}, "alpha = -inf is outside (-inf, inf)"},
      {kNan, {}, "alpha = nan is outside (-inf, inf)"},
  };
  for (const Row& row : rows) {
    expect_words([&] { check_range("alpha", row.value, row.bounds); }, row.words);
  }
}

TEST(CheckRange, value_inside_passes) {
  EXPECT_NO_THROW(check_range("alpha", 1, {.low = 0, .high = 1, .low_ok = false}));
  EXPECT_NO_THROW(check_range("alpha", kMax, {}));
}

enum class Colour : std::uint8_t { red, green, blue };

struct Options {
  double share = 0.5;
  std::uint64_t rounds = 10;
  std::optional<double> step = std::nullopt;
  Colour colour = Colour::red;

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"share", &Options::share, Bounds{.low = 0, .high = 1}, "a number"},
        {"rounds", &Options::rounds, Bounds{.low = 1, .high = 100}, "a count"},
        {"step", &Options::step, Bounds{.low = 0, .low_ok = false}, "none: automatic"},
        {"colour", &Options::colour, Names{"red", "green", "blue"}, "one of three"},
    };
    return all;
  }
};

TEST(CheckOptions, allowed_values_pass) {
  EXPECT_NO_THROW(check_options(Options{}));
  EXPECT_NO_THROW(
      check_options(Options{.share = 1, .rounds = 100, .step = kTiny, .colour = Colour::blue}));
}

TEST(CheckOptions, value_not_allowed_is_named) {
  struct Row {
    Options options;
    const char* words;
  };
  const std::vector<Row> rows{
      {{.share = 1.5}, "share = 1.5 is outside [0, 1]"},
      {{.share = kNan}, "share = nan is outside [0, 1]"},
      {{.rounds = 0}, "rounds = 0 is outside [1, 100]"},
      {{.rounds = 101}, "rounds = 101 is outside [1, 100]"},
      {{.step = 0.0}, "step = 0 is outside (0, inf)"},
      {{.step = kInf}, "step = inf is outside (0, inf)"},
      {{.colour = static_cast<Colour>(3)}, "colour = 3 is not one of its 3 values"},
      {{.colour = static_cast<Colour>(255)}, "colour = 255 is not one of its 3 values"},
  };
  for (const Row& row : rows) expect_words([&] { check_options(row.options); }, row.words);
}

TEST(CheckOptions, first_of_several_wrong_values_is_named) {
  expect_words([] { check_options(Options{.rounds = 0, .step = -1, .colour = Colour{7}}); },
               "rounds = 0 is outside [1, 100]");
  expect_words([] { check_options(Options{.step = -1, .colour = Colour{7}}); },
               "step = -1 is outside (0, inf)");
}

TEST(OptionSpec, tells_what_a_caller_needs_to_offer_the_option) {
  const std::vector<OptionSpec>& specs = Options::options();
  ASSERT_EQ(specs.size(), 4U);
  EXPECT_EQ(specs[1].name, "rounds");
  EXPECT_EQ(specs[1].help, "a count");
  EXPECT_EQ(specs[1].bounds.text(), "[1, 100]");
  EXPECT_TRUE(specs[1].condition.is_always());
  EXPECT_EQ(specs[3].names, (std::vector<std::string_view>{"red", "green", "blue"}));
  const Options defaults;
  EXPECT_EQ(specs[0].value(&defaults), OptionValue(0.5));
  EXPECT_EQ(specs[1].value(&defaults), OptionValue(std::uint64_t{10}));
  EXPECT_EQ(specs[2].value(&defaults), OptionValue(std::optional<double>()));
  EXPECT_EQ(specs[3].value(&defaults), OptionValue(OptionChoice{0}));
}

TEST(OptionSpec, sets_its_own_member_alone) {
  const std::vector<OptionSpec>& specs = Options::options();
  Options options;
  specs[2].set(&options, std::optional(0.25));
  specs[3].set(&options, OptionChoice{2});
  EXPECT_EQ(options.step, 0.25);
  EXPECT_EQ(options.colour, Colour::blue);
  EXPECT_EQ(options.share, 0.5);
  EXPECT_EQ(options.rounds, 10U);
}

TEST(Names, count_follows_from_the_list) {
  const Names two{"a", "bc"};
  EXPECT_EQ(two.names.size(), 2U);
  EXPECT_EQ(two.names[1], "bc");
}

}  // namespace
}  // namespace adacvar
