#include <adacvar/mpi/mpi_communicator.hpp>

#include "mpi/lifeline.hpp"

#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

using Clock = std::chrono::steady_clock;

// Counts of MPI are of type int, and what is in flight takes memory twice.
constexpr std::size_t kPiece = std::size_t{1} << 26U;

void check_result(int result) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  throw CommunicationError(fmt::format("MPI: {}", text.data()));
}

int start_mpi() {
  int has_begun = 0;
  MPI_Initialized(&has_begun);
  if (has_begun == 0) {
    int provided = 0;
    check_result(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return 0;
}

std::size_t asked(int (*ask)(MPI_Comm, int*)) {
  int value = 0;
  check_result(ask(MPI_COMM_WORLD, &value));
  return static_cast<std::size_t>(value);
}

}  // namespace

struct MpiCommunicator::Job {
  explicit Job(JobOptions given)
      : begun(start_mpi()),
        rank(asked(&MPI_Comm_rank)),
        size(asked(&MPI_Comm_size)),
        start(given.start),
        lifeline(rank, size, std::move(given),
                 [this](std::string text) { return share(std::move(text)); }) {}

  /// Waits for a request. Polls at first, since most calls take microseconds; then lets other
  /// processes run, and sleeps while ranks compute.
  template <class Check>
  void wait(MPI_Request& request, const Check& check) const {
    constexpr int kPolls = 300;
    const auto begin = Clock::now();
    for (int polls = 0;; ++polls) {
      int is_done = 0;
      check_result(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
      if (is_done != 0) return;
      if (polls < kPolls) continue;
      check();
      const auto waited = Clock::now() - begin;
      if (waited < std::chrono::milliseconds(2)) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(
            std::min<Clock::duration>(waited / 20, std::chrono::milliseconds(1)));
      }
    }
  }
  void wait(MPI_Request& request) {
    wait(request, [this] { lifeline.check(); });
  }
  /// Sends the text of rank 0 to all, before there is a lifeline.
  std::string share(std::string text) const {
    const Clock::time_point until = Clock::now() + start;
    const auto check = [&] {
      if (Clock::now() < until) return;
      throw CommunicationError(fmt::format("rank {}: not all ranks began within {:g} s", rank,
                                           static_cast<double>(start.count()) / 1000));
    };
    int length = static_cast<int>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check_result(MPI_Ibcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    wait(request, check);
    text.resize(static_cast<std::size_t>(length));
    check_result(MPI_Ibcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD, &request));
    wait(request, check);
    return text;
  }
  template <class Start>
  void call(const Start& start_call) {
    lifeline.check();
    MPI_Request request = MPI_REQUEST_NULL;
    check_result(start_call(&request));
    wait(request);
  }
  /// Adds up the ranks' values at rank 0, which gives the sums to all: so they are the same.
  template <class Number>
  void sum(std::span<Number> values, MPI_Datatype type) {
    constexpr std::size_t kMost = kPiece / sizeof(Number);
    std::vector<Number> total(std::min(values.size(), kMost));
    for (; !values.empty(); values = values.subspan(std::min(values.size(), kMost))) {
      const std::span<Number> part = values.first(std::min(values.size(), kMost));
      const auto count = static_cast<int>(part.size());
      call([&](MPI_Request* request) {
        return MPI_Ireduce(part.data(), total.data(), count, type, MPI_SUM, 0, MPI_COMM_WORLD,
                           request);
      });
      call([&](MPI_Request* request) {
        return MPI_Ibcast(total.data(), count, type, 0, MPI_COMM_WORLD, request);
      });
      std::copy_n(total.begin(), part.size(), part.begin());
    }
  }
  void all_gather(const void* mine, void* all, std::size_t bytes) {
    call([&](MPI_Request* request) {
      const auto count = static_cast<int>(bytes);
      return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD, request);
    });
  }

  int begun;
  std::size_t rank;
  std::size_t size;
  std::chrono::milliseconds start;
  Lifeline lifeline;
};

MpiCommunicator::MpiCommunicator(JobOptions options)
    : job_(std::make_unique<Job>(std::move(options))) {}
MpiCommunicator::~MpiCommunicator() = default;

std::size_t MpiCommunicator::rank() const noexcept { return job_->rank; }
std::size_t MpiCommunicator::size() const noexcept { return job_->size; }
const std::string& MpiCommunicator::host() const noexcept { return job_->lifeline.host(); }

void MpiCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (all.size() != mine.size() * size()) {
    throw CommunicationError("all_gather: `all` must have the length of all blocks");
  }
  const std::size_t most = std::max<std::size_t>(1, kPiece / size());
  if (mine.size() <= most) {
    job_->all_gather(mine.data(), all.data(), mine.size());
    return;
  }
  for (std::size_t begin = 0; begin < mine.size(); begin += most) {
    const std::size_t count = std::min(most, mine.size() - begin);
    std::vector<std::byte> part(count * size());
    job_->all_gather(mine.data() + begin, part.data(), count);
    for (std::size_t from = 0; from < size(); ++from) {
      std::copy_n(part.data() + from * count, count, all.data() + from * mine.size() + begin);
    }
  }
}

GatheredBlocks MpiCommunicator::all_gather(std::span<const std::byte> mine) {
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(size());
  job_->all_gather(&length, lengths.data(), sizeof length);
  GatheredBlocks all{{}, {0}};
  for (const std::uint64_t one : lengths) all.start.push_back(all.start.back() + one);
  all.bytes.resize(all.start.back());
  const std::size_t longest = std::ranges::max(lengths);
  const std::size_t most = std::max<std::size_t>(1, kPiece / size());
  std::vector<int> counts(size());
  std::vector<int> places(size());
  std::vector<std::byte> part;
  for (std::size_t begin = 0; begin < longest; begin += most) {
    int total = 0;
    for (std::size_t from = 0; from < size(); ++from) {
      counts[from] =
          static_cast<int>(std::clamp<std::uint64_t>(lengths[from], begin, begin + most) - begin);
      places[from] = total;
      total += counts[from];
    }
    part.resize(static_cast<std::size_t>(total));
    job_->call([&](MPI_Request* request) {
      return MPI_Iallgatherv(mine.data() + std::min(begin, mine.size()), counts[rank()], MPI_BYTE,
                             part.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD,
                             request);
    });
    for (std::size_t from = 0; from < size(); ++from) {
      std::copy_n(part.data() + places[from], counts[from],
                  all.bytes.data() + all.start[from] + begin);
    }
  }
  return all;
}

GatheredBlocks MpiCommunicator::exchange(const GatheredBlocks& to) {
  std::vector<std::uint64_t> sent(size());
  for (std::size_t r = 0; r < size(); ++r) sent[r] = to.of(r).size();
  std::vector<std::uint64_t> received(size());
  job_->call([&](MPI_Request* request) {
    return MPI_Ialltoall(sent.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T,
                         MPI_COMM_WORLD, request);
  });
  std::uint64_t longest = std::max(std::ranges::max(sent), std::ranges::max(received));
  for (const std::uint64_t one : [&] {
         std::vector<std::uint64_t> all(size());
         job_->all_gather(&longest, all.data(), sizeof longest);
         return all;
       }()) {
    longest = std::max(longest, one);
  }
  GatheredBlocks all{{}, {0}};
  for (const std::uint64_t one : received) all.start.push_back(all.start.back() + one);
  all.bytes.resize(all.start.back());

  const std::size_t most = std::max<std::size_t>(1, kPiece / size());
  const auto piece = [&](std::uint64_t length, std::size_t begin) {
    return static_cast<int>(std::clamp<std::uint64_t>(length, begin, begin + most) - begin);
  };
  std::vector<int> out_counts(size()), out_places(size()), in_counts(size()), in_places(size());
  std::vector<std::byte> out;
  std::vector<std::byte> in;
  for (std::size_t begin = 0; begin < longest; begin += most) {
    out.clear();
    int total = 0;
    for (std::size_t r = 0; r < size(); ++r) {
      out_counts[r] = piece(sent[r], begin);
      out_places[r] = static_cast<int>(out.size());
      if (out_counts[r] > 0) {
        const auto part = to.of(r).subspan(begin, static_cast<std::size_t>(out_counts[r]));
        out.insert(out.end(), part.begin(), part.end());
      }
      in_counts[r] = piece(received[r], begin);
      in_places[r] = total;
      total += in_counts[r];
    }
    in.resize(static_cast<std::size_t>(total));
    job_->call([&](MPI_Request* request) {
      return MPI_Ialltoallv(out.data(), out_counts.data(), out_places.data(), MPI_BYTE, in.data(),
                            in_counts.data(), in_places.data(), MPI_BYTE, MPI_COMM_WORLD, request);
    });
    for (std::size_t r = 0; r < size(); ++r) {
      if (in_counts[r] == 0) continue;
      std::copy_n(in.data() + in_places[r], in_counts[r], all.bytes.data() + all.start[r] + begin);
    }
  }
  return all;
}

void MpiCommunicator::broadcast(std::span<std::byte> data, std::size_t root) {
  for (std::size_t begin = 0; begin < data.size(); begin += kPiece) {
    const auto count = static_cast<int>(std::min(kPiece, data.size() - begin));
    job_->call([&](MPI_Request* request) {
      return MPI_Ibcast(data.data() + begin, count, MPI_BYTE, static_cast<int>(root),
                        MPI_COMM_WORLD, request);
    });
  }
}

void MpiCommunicator::sum(std::span<std::int64_t> values) { job_->sum(values, MPI_INT64_T); }
void MpiCommunicator::sum(std::span<double> values) { job_->sum(values, MPI_DOUBLE); }

JobFailure MpiCommunicator::fail(int code, const std::string& message) {
  return job_->lifeline.fail(code, message);
}

void MpiCommunicator::finish(const std::function<void()>& before_end) {
  job_->call([](MPI_Request* request) { return MPI_Ibarrier(MPI_COMM_WORLD, request); });
  job_->lifeline.leave();
  if (before_end) before_end();
  MPI_Finalize();
}

}  // namespace adacvar
