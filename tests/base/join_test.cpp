#include "base/join.hpp"

#include "base/name_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace adacvar {
namespace {

TEST(Join, separators_are_between_items_only) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join(std::vector<std::string_view>{"a", "b"}, ""), "ab");
}

TEST(Join, numbers_are_written_in_their_shortest_form) {
  EXPECT_EQ(join(std::vector<double>{0.1, 1, 1e-9}, ","), "0.1,1,1e-09");
  EXPECT_EQ(join(std::vector<std::size_t>{28, 32}, " x "), "28 x 32");
}

TEST(NameList, many_names_are_cut_after_forty) {
  const std::vector<std::string> forty(40, "a");
  EXPECT_EQ(name_list(forty), join(forty, ", "));
  EXPECT_EQ(name_list(std::vector<std::string>(43, "a")), join(forty, ", ") + ", ... (3 more)");
}

}  // namespace
}  // namespace adacvar
