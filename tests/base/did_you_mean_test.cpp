#include "base/did_you_mean.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace adacvar {
namespace {

const std::vector<std::string> kNames = {"alpha", "batch", "price", "Price per night", "x"};

TEST(DidYouMean, names_the_nearest_of_the_names) {
  EXPECT_EQ(did_you_mean("alhpa", kNames), "; did you mean alpha?");
  EXPECT_EQ(did_you_mean("bacth", kNames), "; did you mean batch?");
  EXPECT_EQ(did_you_mean("pric", kNames), "; did you mean price?");
  EXPECT_EQ(did_you_mean("price_per_night", kNames), "; did you mean Price per night?");
}

TEST(DidYouMean, letters_of_another_case_are_near) {
  EXPECT_EQ(did_you_mean("X", kNames), "; did you mean x?");
  EXPECT_EQ(did_you_mean("ALPHA", kNames), "; did you mean alpha?");
}

TEST(DidYouMean, far_names_are_not_named) {
  EXPECT_EQ(did_you_mean("q", kNames), "");
  EXPECT_EQ(did_you_mean("zebra", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("alpha", std::vector<std::string>()), "");
  EXPECT_EQ(did_you_mean(std::string(10'000, 'a'), kNames), "");
}

TEST(DidYouMean, any_range_of_texts_will_do) {
  constexpr std::array<std::string_view, 2> kSets = {"normal", "pareto"};
  EXPECT_EQ(did_you_mean("paretto", kSets), "; did you mean pareto?");
}

}  // namespace
}  // namespace adacvar
