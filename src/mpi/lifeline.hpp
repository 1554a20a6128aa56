#pragma once

#include <adacvar/mpi/mpi_communicator.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace adacvar {

/// Connections over TCP by which ranks know that the others live: every rank is connected to rank
/// 0, sends a message every JobOptions::beat, and learns of the first failure of any.
class Lifeline {
 public:
  /// Connects the ranks. `share` returns the text that rank 0 gives to it, on every rank.
  /// Throws: CommunicationError when a rank is not reached within JobOptions::start.
  Lifeline(std::size_t rank, std::size_t size, JobOptions options,
           const std::function<std::string(std::string)>& share);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  [[nodiscard]] const std::string& host() const noexcept;
  /// Throws: CommunicationError if the job has failed. Cost: reads an atomic flag.
  void check();
  /// Reports an error of this rank; returns the first error of all ranks, once the others know it
  /// or after a second.
  [[nodiscard]] JobFailure fail(int code, const std::string& message);
  /// Says that this rank ends as planned; from here on the others may close their connections.
  void leave();

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace adacvar
