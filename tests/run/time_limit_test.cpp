#include "run/time_limit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

namespace adacvar {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

TEST(TimeLimit, is_over_when_the_user_stops) {
  std::atomic<bool> stop = false;
  TimeLimit limit(&stop, kForever);
  limit.allow_until(1);
  EXPECT_FALSE(limit.is_over());
  stop = true;
  limit.flag().wait(false);  // raised by the watcher, however slow the machine
  EXPECT_TRUE(limit.is_over());
  EXPECT_TRUE(limit.is_stopped());
}

TEST(TimeLimit, share_of_the_time) {
  TimeLimit limit(nullptr, 1e9);
  limit.allow_until(0);
  EXPECT_TRUE(limit.is_over());
  limit.allow_until(0.5);
  EXPECT_FALSE(limit.is_over());
  EXPECT_FALSE(limit.is_stopped());
  TimeLimit none(nullptr, 0);
  none.allow_until(1);
  EXPECT_TRUE(none.is_over());
}

}  // namespace
}  // namespace adacvar
