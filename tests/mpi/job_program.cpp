// job_program <what>: a rank of the jobs that job_test starts under mpirun.

#include <adacvar/mpi/mpi_communicator.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "support/communicator_cases.hpp"

namespace adacvar {
namespace {

// Pieces of more than a message's limit of 64 MiB.
void check_large_blocks(Communicator& ranks) {
  const std::size_t length = (std::size_t{70} << 20U) / ranks.size() + ranks.rank();
  const std::vector<std::byte> mine(length, static_cast<std::byte>(ranks.rank() + 1));
  const GatheredBlocks all = ranks.all_gather(mine);
  GatheredBlocks to{{}, {0}};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    to.bytes.insert(to.bytes.end(), mine.begin(), mine.end());
    to.start.push_back(to.bytes.size());
  }
  const GatheredBlocks exchanged = ranks.exchange(to);
  EXPECT_EQ(all.bytes, exchanged.bytes);
  EXPECT_EQ(all.start, exchanged.start);
  EXPECT_EQ(all.of(ranks.size() - 1).back(), static_cast<std::byte>(ranks.size()));
}

void work(MpiCommunicator& ranks, const std::string& what) {
  const std::size_t last = ranks.size() - 1;
  if (what == "functions") {
    check_communicator(ranks);
    check_large_blocks(ranks);
    if (testing::Test::HasFailure()) throw std::runtime_error("a check failed");
    return;
  }
  (void)sum_of(ranks, 1);
  const bool is_last = ranks.rank() == last;
  if (what == "throw" && is_last) throw std::runtime_error("a bad row");
  if (what == "kill" && is_last) raise(SIGKILL);
  if (what == "stop" && is_last) raise(SIGSTOP);
  if (what == "stop-first" && ranks.rank() == 0) raise(SIGSTOP);
  if (what == "exit" && is_last) _exit(0);
  // One that computes for longer than the silence that is allowed is not lost.
  if (what == "compute" && is_last) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  // The others notice though they compute.
  if (what == "throw-busy" && is_last) throw std::runtime_error("a bad row");
  if (what == "throw-busy") std::this_thread::sleep_for(std::chrono::seconds(60));
  (void)sum_of(ranks, 1);
}

void print(const MpiCommunicator& ranks, const JobFailure& failure) {
  if (ranks.rank() == speaker_of(failure)) {
    std::fprintf(stderr, "job: rank %zu on %s: %s\n", failure.rank, failure.host.c_str(),
                 failure.message.c_str());
  }
}

}  // namespace
}  // namespace adacvar

int main(int count, char** arguments) {
  adacvar::MpiCommunicator* self = nullptr;
  adacvar::MpiCommunicator ranks({.beat = std::chrono::milliseconds(200),
                                  .silence = std::chrono::milliseconds(1500),
                                  .grace = std::chrono::milliseconds(500),
                                  .overdue = [&](const adacvar::JobFailure& failure) {
                                    if (self != nullptr) adacvar::print(*self, failure);
                                    _exit(failure.code);
                                  }});
  self = &ranks;
  try {
    adacvar::work(ranks, count > 1 ? arguments[1] : "functions");
    ranks.finish();
    if (ranks.rank() == 0) std::puts("done");
    return 0;
  } catch (const std::exception& error) {
    const adacvar::JobFailure failure = ranks.fail(3, error.what());
    adacvar::print(ranks, failure);
    std::fflush(nullptr);
    _exit(failure.code);
  }
}
