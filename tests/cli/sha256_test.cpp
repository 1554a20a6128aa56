#include "cli/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adacvar {
namespace {

// The examples of FIPS 180-2, appendix B, and the sum of nothing.
TEST(Sha256, gives_the_published_sums) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, pieces_do_not_matter) {
  Sha256 sum;
  for (const char* const piece : {"a", "", "bc"}) sum.update(piece);
  EXPECT_EQ(sum.hex(), sha256("abc"));
}

}  // namespace
}  // namespace adacvar
