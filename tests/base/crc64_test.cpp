#include "base/crc64.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace adacvar {
namespace {

std::uint64_t crc(const std::string& text) { return std::stoull(crc64_text(text), nullptr, 16); }

TEST(Crc64, known_value) { EXPECT_EQ(crc64_text("123456789"), "995dc9bbdf1939fa"); }

TEST(Crc64, of_two_texts_behind_each_other) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 37 + i / 7);
  for (std::size_t cut = 0; cut <= text.size(); cut += 23) {
    const std::string first = text.substr(0, cut);
    const std::string second = text.substr(cut);
    EXPECT_EQ(join_crc64(crc(first), crc(second), second.size()), crc(text)) << cut;
  }
}

}  // namespace
}  // namespace adacvar
