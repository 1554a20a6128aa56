#include "base/collectives.hpp"
#include "base/thread_communicator.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/communicator_cases.hpp"

namespace adacvar {
namespace {

class OnThreads : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OnThreads, testing::Values(1, 2, 4, 5));

TEST_P(OnThreads, every_function) { run_on_threads(GetParam(), check_communicator); }

TEST(SelfCommunicator, every_function) {
  SelfCommunicator self;
  check_communicator(self);
}

std::string error_on_threads(std::size_t count, const std::function<void(Communicator&)>& work) {
  try {
    run_on_threads(count, work, std::chrono::milliseconds(200));
  } catch (const CommunicationError& error) {
    return std::string("lost: ") + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(RunOnThreads, first_error_ends_all_ranks) {
  std::vector<std::string> seen(3);
  const std::string error = error_on_threads(3, [&](Communicator& ranks) {
    if (ranks.rank() == 1) throw DataError("a bad row", "x.csv", 7);
    try {
      (void)sum_of(ranks, 1);
    } catch (const CommunicationError& lost) {
      seen[ranks.rank()] = lost.what();
      throw;
    }
  });
  EXPECT_EQ(error, "x.csv:7: a bad row");
  EXPECT_EQ(seen[0], "rank 1: x.csv:7: a bad row");
  EXPECT_EQ(seen[2], seen[0]);
}

TEST(RunOnThreads, a_rank_that_does_not_answer_ends_all) {
  const std::string error = error_on_threads(2, [](Communicator& ranks) {
    if (ranks.rank() == 0) (void)sum_of(ranks, 1);  // rank 1 ends without it
  });
  EXPECT_EQ(error, "lost: a rank did not answer within 200 ms");
}

TEST(RunOnThreads, sizes_that_differ_are_refused) {
  const std::string error = error_on_threads(2, [](Communicator& ranks) {
    std::vector<std::int64_t> values(1 + ranks.rank());
    ranks.sum(values);
  });
  EXPECT_EQ(error, "lost: sum: ranks differ in the number of values");
}

}  // namespace
}  // namespace adacvar
