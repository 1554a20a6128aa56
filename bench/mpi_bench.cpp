// Question: what does a batch cost when the rows are on several ranks, in microseconds and bytes?
//
// Trains a linear model and times the second epoch. Ranks are threads of this process, or with MPI
// its processes: `mpirun -n 2 mpi_bench`.

#include <adacvar/base/communicator.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/base/self_communicator.hpp>
#include <adacvar/learner/train.hpp>
#ifdef ADACVAR_BENCH_WITH_MPI
#include <adacvar/mpi/mpi_communicator.hpp>
#endif

#include "base/thread_communicator.hpp"
#include "data/sharded_rows.hpp"
#include "learner/train_sharded.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace adacvar {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Time that this thread has computed, which other programs hardly change.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct EpochTime {
  double seconds = 0;
  double computing = 0;
};

/// Counts what goes through another communicator.
class CountingCommunicator final : public Communicator {
 public:
  explicit CountingCommunicator(Communicator& ranks) : ranks_(ranks) {}

  [[nodiscard]] std::size_t rank() const noexcept override { return ranks_.rank(); }
  [[nodiscard]] std::size_t size() const noexcept override { return ranks_.size(); }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    count(all.size(), [&] { ranks_.all_gather(mine, all); });
  }
  [[nodiscard]] GatheredBlocks all_gather(std::span<const std::byte> mine) override {
    GatheredBlocks blocks;
    count(0, [&] { blocks = ranks_.all_gather(mine); });
    bytes += blocks.bytes.size();
    return blocks;
  }
  [[nodiscard]] GatheredBlocks exchange(const GatheredBlocks& to) override {
    GatheredBlocks blocks;
    count(to.bytes.size(), [&] { blocks = ranks_.exchange(to); });
    return blocks;
  }
  void broadcast(std::span<std::byte> data, std::size_t root) override {
    count(data.size(), [&] { ranks_.broadcast(data, root); });
  }
  void sum(std::span<std::int64_t> values) override {
    count(values.size_bytes(), [&] { ranks_.sum(values); });
  }
  void sum(std::span<double> values) override {
    count(values.size_bytes(), [&] { ranks_.sum(values); });
  }

  std::size_t bytes = 0;  // of all ranks together
  std::size_t calls = 0;
  double seconds = 0;  // waiting for others included

 private:
  template <class Call>
  void count(std::size_t size, const Call& call) {
    const auto begin = Clock::now();
    call();
    seconds += seconds_since(begin);
    bytes += size;
    ++calls;
  }

  Communicator& ranks_;
};

constexpr std::size_t kFeatures = 20;

void append(Rng& rng, Dataset& data) {
  double score = 0;
  for (std::size_t f = 0; f < kFeatures; ++f) {
    const auto value = static_cast<float>(2 * rng.uniform() - 1);
    data.dense.push_back(value);
    score += static_cast<double>(value) / static_cast<double>(f + 1);
  }
  data.targets.push_back(score - 0.3 * std::log1p(-rng.uniform()));
  ++data.rows;
}

/// Row i is the same on any number of ranks.
ShardedRows make_rows(std::uint64_t rows, std::size_t shards, const Communicator& ranks) {
  ShardedRows part;
  part.data.features = kFeatures;
  part.shards = shards;
  part.total_rows = rows;
  part.first_shard = first_shard_of(ranks.rank(), ranks.size(), shards);
  const std::size_t end = first_shard_of(ranks.rank() + 1, ranks.size(), shards);
  std::vector<std::vector<std::uint64_t>> own(end - part.first_shard);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::size_t shard = shard_of(i, shards);
    if (shard >= part.first_shard && shard < end) own[shard - part.first_shard].push_back(i);
  }
  for (const std::vector<std::uint64_t>& shard : own) {
    for (const std::uint64_t i : shard) {
      Rng rng(i);
      append(rng, part.data);
      part.row.push_back(i);
    }
    part.shard_start.push_back(part.data.rows);
  }
  return part;
}

struct Setup {
  std::uint64_t rows;
  std::size_t shards;
  std::uint64_t batch;
  Algorithm algorithm = Algorithm::adacvar;
};

TrainOptions options_of(const Setup& setup) {
  TrainOptions options;
  options.algorithm = setup.algorithm;
  options.batch = setup.batch;
  options.epochs = 2;
  options.iterate = Iterate::last;
  return options;
}

/// Times the second epoch, with `train` called with hooks.
template <class Train, class AtStart>
EpochTime time_of_epoch(const Train& train, const AtStart& at_start) {
  Clock::time_point begin;
  double thread_begin = 0;
  EpochTime time;
  TrainHooks hooks;
  hooks.progress = [&](const EpochRecord& record) {
    if (record.epoch == 1) {
      at_start();
      begin = Clock::now();
      thread_begin = thread_seconds();
    } else {
      time = {seconds_since(begin), thread_seconds() - thread_begin};
    }
    return true;
  };
  train(hooks);
  return time;
}

double batches_of(const Setup& setup) {
  return std::ceil(static_cast<double>(setup.rows) / static_cast<double>(setup.batch));
}

void print_ranks(Communicator& ranks, const Setup& setup) {
  const ShardedRows rows = make_rows(setup.rows, setup.shards, ranks);
  CountingCommunicator counting(ranks);
  const Loss loss(LossKind::squared);
  const EpochTime time = time_of_epoch(
      [&](const TrainHooks& hooks) {
        (void)train_sharded(counting, rows, nullptr, loss, options_of(setup), hooks);
      },
      [&] { counting.bytes = counting.calls = 0, counting.seconds = 0; });
  if (ranks.rank() != 0) return;
  const double batches = batches_of(setup);
  fmt::print("{:>8} {:>7} {:>6} {:>6} {:>9.1f} {:>9.1f} {:>9.1f} {:>7.2f} {:>9.0f}\n", setup.rows,
             setup.shards, setup.batch, ranks.size(), 1e6 * time.seconds / batches,
             1e6 * time.computing / batches, 1e6 * counting.seconds / batches,
             static_cast<double>(counting.calls) / batches,
             static_cast<double>(counting.bytes) / batches);
  std::fflush(stdout);
}

void print_local(const Setup& setup) {
  SelfCommunicator self;
  const ShardedRows rows = make_rows(setup.rows, 1, self);
  const Loss loss(LossKind::squared);
  const EpochTime time = time_of_epoch(
      [&](const TrainHooks& hooks) {
        (void)train(rows.data, nullptr, loss, options_of(setup), hooks);
      },
      [] {});
  fmt::print("{:>8} {:>7} {:>6} {:>6} {:>9.1f} {:>9.1f}\n", setup.rows, "-", setup.batch, "train",
             1e6 * time.seconds / batches_of(setup), 1e6 * time.computing / batches_of(setup));
}

std::vector<Setup> setups() {
  std::vector<Setup> result;
  for (const std::uint64_t rows : {20'000, 200'000}) {
    for (const std::uint64_t batch : {64, 1024}) {
      for (const std::size_t shards : {16, 64}) result.push_back({rows, shards, batch});
    }
  }
  return result;
}

void print_heading() {
  fmt::print("{:>8} {:>7} {:>6} {:>6} {:>9} {:>9} {:>9} {:>7} {:>9}\n", "rows", "shards", "batch",
             "ranks", "us/batch", "computing", "in calls", "calls", "bytes");
}

}  // namespace
}  // namespace adacvar

int main() {
#ifdef ADACVAR_BENCH_WITH_MPI
  adacvar::MpiCommunicator job;
  if (job.rank() == 0) adacvar::print_heading();
  for (const adacvar::Setup& setup : adacvar::setups()) adacvar::print_ranks(job, setup);
  job.finish();
#else
  adacvar::print_heading();
  for (const adacvar::Setup& setup : adacvar::setups()) {
    if (setup.shards == 16) adacvar::print_local(setup);
    for (const std::size_t count : {1, 2}) {
      adacvar::run_on_threads(
          count, [&](adacvar::Communicator& ranks) { adacvar::print_ranks(ranks, setup); });
    }
  }
#endif
  return EXIT_SUCCESS;
}
