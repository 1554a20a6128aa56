#pragma once

#include <adacvar/base/communicator.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace adacvar {

/// The error that ends a job: the first one, with the rank and host it comes from.
struct JobFailure {
  std::size_t rank = 0;
  std::string host;
  bool is_lost = false;  ///< the rank did not report it: it ended, or does not answer
  int code = 0;          ///< exit code for the program
  std::string message;
};

/// Returns the rank that should print a failure: rank 0, unless it is the one that is lost.
[[nodiscard]] std::size_t speaker_of(const JobFailure& failure) noexcept;

struct JobOptions {
  std::chrono::milliseconds beat{1000};     ///< how often ranks say that they are alive
  std::chrono::milliseconds silence{6000};  ///< how long a living rank may be silent
  std::chrono::milliseconds grace{1000};    ///< for a rank that computes while the job fails
  std::chrono::milliseconds start{30'000};  ///< for all ranks to meet
  int lost_code = 72;                       ///< code of a failure without one: a rank is lost
  /// Called by another thread, `grace` after a failure that this rank has not noticed since it
  /// computes: it should end the process. Empty: it is noticed at the next call.
  std::function<void(const JobFailure&)> overdue = {};
};

/// The processes of an MPI job. A thread of each keeps a TCP connection to rank 0, apart from MPI:
/// a rank that ends, is killed or stopped, or whose host is gone is noticed within
/// JobOptions::silence; one that computes for long is not taken for lost.
///
/// Limits: one object in a process and not after another; it initialises MPI and is used by the
/// thread that made it. Cost: a collective call polls, and sleeps when it waits for milliseconds.
class MpiCommunicator final : public Communicator {
 public:
  /// Throws: CommunicationError when the ranks do not find each other.
  explicit MpiCommunicator(JobOptions options = {});
  ~MpiCommunicator() override;

  [[nodiscard]] std::size_t rank() const noexcept override;
  [[nodiscard]] std::size_t size() const noexcept override;
  [[nodiscard]] const std::string& host() const noexcept;

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  [[nodiscard]] GatheredBlocks all_gather(std::span<const std::byte> mine) override;
  [[nodiscard]] GatheredBlocks exchange(const GatheredBlocks& to) override;
  void broadcast(std::span<std::byte> data, std::size_t root) override;
  void sum(std::span<std::int64_t> values) override;
  void sum(std::span<double> values) override;

  /// Ends the job: tells the other ranks of an error, and returns the first error of all ranks.
  /// The process should end soon after, without MPI_Finalize, with the code of that error.
  [[nodiscard]] JobFailure fail(int code, const std::string& message);
  /// Waits for all ranks to come here and ends MPI; no other function may be called then.
  /// `before_end` is called when all are here.
  void finish(const std::function<void()>& before_end = {});

 private:
  struct Job;
  std::unique_ptr<Job> job_;
};

}  // namespace adacvar
