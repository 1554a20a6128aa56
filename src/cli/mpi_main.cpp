#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/standard_streams.hpp"

#include <adacvar/mpi/mpi_communicator.hpp>

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

namespace adacvar::cli {

namespace {

constexpr unsigned kSecondsToEnd = 8;  // for MPI_Finalize, which waits for all processes

// `mine`: the error of this process. If all have the same one it is not that of a rank.
void print_failure(const JobFailure& failure, const std::string& mine) {
  const std::string place =
      mine == failure.message ? "" : fmt::format("rank {} on {}: ", failure.rank, failure.host);
  fmt::print(stderr, "adacvar: {}{}\n", place, failure.message);
}

// Other threads may be at work, and MPI_Finalize would wait for the other processes.
[[noreturn]] void end_process(int code) {
  std::fflush(nullptr);
  ::_exit(code);
}

int run_job(int count, char** arguments) {
  std::atomic<std::size_t> rank = 0;  // another thread reads it
  JobOptions options{.lost_code = kLostRank};
  options.overdue = [&rank](const JobFailure& failure) {
    if (rank == speaker_of(failure)) print_failure(failure, {});
    end_process(failure.code);
  };
  std::unique_ptr<MpiCommunicator> ranks;
  try {
    ranks = std::make_unique<MpiCommunicator>(options);
  } catch (const CommunicationError& error) {
    fmt::print(stderr, "adacvar: {}\n", error.what());
    end_process(kLostRank);
  }
  rank = ranks->rank();
  if (rank > 0) silence_streams();
  const auto fail = [&](int code, const std::string& message) {
    const JobFailure failure = ranks->fail(code, message);
    if (rank == speaker_of(failure)) print_failure(failure, message);
    end_process(failure.code);
    return failure.code;
  };
  const RankJob job{.fail = fail};
  const int code = run_program(count, arguments, {.ranks = ranks.get()}, &job);
  try {
    ranks->finish([] { ::alarm(kSecondsToEnd); });
  } catch (const CommunicationError& error) {
    return fail(kLostRank, error.what());
  }
  return code;
}

}  // namespace

}  // namespace adacvar::cli

// The same program for the processes of an MPI job, which share the rows.
int main(int count, char** arguments) { return adacvar::cli::run_job(count, arguments); }
