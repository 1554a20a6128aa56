#include "base/file_stem.hpp"

#include <gtest/gtest.h>

namespace adacvar {
namespace {

TEST(FileStem, letters_and_digits_stay_and_the_rest_becomes_dashes) {
  EXPECT_EQ(file_stem("adacvar"), "adacvar");
  EXPECT_EQ(file_stem("adacvar +5 %"), "adacvar-5");
  EXPECT_EQ(file_stem("Ada-CVaR, alpha 0.1"), "ada-cvar-alpha-0-1");
  EXPECT_EQ(file_stem("../etc/passwd"), "etc-passwd");
  EXPECT_EQ(file_stem(" (diverged)"), "diverged");
  EXPECT_EQ(file_stem("é"), "");
  EXPECT_EQ(file_stem(""), "");
}

}  // namespace
}  // namespace adacvar
