#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adacvar {
namespace {

TEST(Utf8, text_of_all_lengths_is_told_from_bytes_that_are_none) {
  for (const std::string text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf",
                                 "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(as_utf8(text), text);
  }
  for (const std::string text :
       {"caf\xe9", "\x80", "\xc0\xaf", "\xc3", "\xe2\x82", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x28\xac", "\xff"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_TRUE(is_utf8(as_utf8(text))) << text;
  }
}

TEST(Utf8, other_bytes_are_taken_for_latin_1) {
  EXPECT_EQ(as_utf8("caf\xe9"), "caf\xc3\xa9");
  EXPECT_EQ(as_utf8("\xa0\xff"), "\xc2\xa0\xc3\xbf");
}

}  // namespace
}  // namespace adacvar
