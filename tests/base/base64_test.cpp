#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adacvar {
namespace {

// The examples of RFC 4648.
TEST(Base64, known_texts) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, every_byte_comes_back) {
  std::string bytes;
  for (int b = 0; b < 256; ++b) {
    bytes += static_cast<char>(b);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, other_texts_are_refused) {
  for (const char* text : {"Zg", "Zg=", "Z===", "Zm9v YmFy", "Zm9*", "=Zg="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace adacvar
