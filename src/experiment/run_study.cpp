#include "experiment/run_study.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

struct Trial {
  TrialKey key;
  const TrainOptions* options = nullptr;
  std::size_t data = 0;  // index of its case
  double work = 0;       // examples drawn
};

/// A set and one of its splits.
struct Case {
  std::string set;
  std::uint64_t seed = 0;
  std::optional<PreparedData> data = {};
};

/// Runs trials of networks one after another, because they share threads and random generators, and
/// prepares one case at a time, because images need much memory.
class VisionRun {
 public:
  VisionRun(const Study& study, const RawData& data, ResultLog& log, const StudyHooks& hooks)
      : study_(study), data_(data), log_(log), hooks_(hooks) {}

  bool run() {
    const std::string fingerprint = fingerprint_of(data_).crc64;
    for (const std::string& set : study_.sets) log_.check_data(set, fingerprint);
    each_trial([this](std::size_t, const TrialKey& key, const TrainOptions&) {
      ++progress_.total;
      if (log_.find(key) != nullptr) ++progress_.done;
    });
    report({});
    std::optional<PreparedData> prepared;
    std::pair<std::size_t, std::uint64_t> prepared_case;
    each_trial([&](std::size_t set, const TrialKey& key, TrainOptions options) {
      if (is_stopped() || log_.find(key) != nullptr) return;
      if (!prepared || prepared_case != std::pair(set, key.seed)) {
        prepared.reset();  // frees the memory first
        prepared = prepare_images(study_, data_, set, key.seed);
        prepared_case = {set, key.seed};
      }
      options.seed = key.seed;
      run_one(*prepared, key, options);
    });
    return !is_stopped();
  }

 private:
  [[nodiscard]] bool is_stopped() const { return hooks_.stop != nullptr && *hooks_.stop; }

  template <class Call>
  void each_trial(const Call& call) const {
    for (std::size_t set = 0; set < study_.sets.size(); ++set) {
      for (std::uint64_t seed = 0; seed < study_.seeds; ++seed) {
        for (const Contestant& contestant : study_.contestants) {
          for (std::size_t i = 0; i < contestant.configs.size(); ++i) {
            call(set, TrialKey{study_.sets[set], seed, contestant.name, i}, contestant.configs[i]);
          }
        }
      }
    }
  }

  void run_one(const PreparedData& data, const TrialKey& key, const TrainOptions& options) {
    const auto result =
        run_network_trial(data, options, *study_.vision, require_networks(hooks_.networks),
                          study_.alpha, hooks_.stop);
    if (!result) return;
    log_.add(key, *result);
    ++progress_.done;
    report(key.set + ", " + key.contestant);
  }

  void report(std::string last) {
    progress_.last = std::move(last);
    progress_.work = static_cast<double>(progress_.total);
    progress_.work_done = static_cast<double>(progress_.done);
    if (hooks_.progress) hooks_.progress(progress_);
  }

  const Study& study_;
  const RawData& data_;
  ResultLog& log_;
  const StudyHooks& hooks_;
  StudyProgress progress_;
};

class StudyRun {
 public:
  StudyRun(const Study& study, std::span<const RawData> data, unsigned threads, ResultLog& log,
           const StudyHooks& hooks)
      : study_(study), data_(data), threads_(threads), log_(log), hooks_(hooks) {}

  bool run() {
    prepare();
    collect_trials();
    report({});
    for_each_block(pending_.size(), threads_, [this](std::size_t i) { run_one(pending_[i]); });
    return !is_stopped();
  }

 private:
  [[nodiscard]] bool is_stopped() const { return hooks_.stop != nullptr && *hooks_.stop; }

  void prepare() {
    for (const std::string& set : study_.sets) {
      for (std::uint64_t seed = 0; seed < study_.seeds; ++seed) cases_.push_back({set, seed});
    }
    for_each_block(study_.sets.size(), threads_, [this](std::size_t i) {
      const RawData& data = data_[i];
      log_.check_data(study_.sets[i], fingerprint_of(data).crc64);
      for (std::uint64_t seed = 0; seed < study_.seeds && !is_stopped(); ++seed) {
        cases_[i * study_.seeds + seed].data = prepare_case(study_, data, seed);
      }
    });
  }

  void collect_trials() {
    if (is_stopped()) return;
    for (std::size_t c = 0; c < cases_.size(); ++c) {
      for (const Contestant& contestant : study_.contestants) plan_contestant(c, contestant);
    }
    // Long runs first, so that cores are not idle at the end.
    std::ranges::stable_sort(pending_, std::ranges::greater(), &Trial::work);
  }

  void plan_contestant(std::size_t c, const Contestant& contestant) {
    const Dataset& training = cases_[c].data->train;
    for (std::size_t i = 0; i < contestant.configs.size(); ++i) {
      const TrainOptions& options = contestant.configs[i];
      Trial trial{.key = {cases_[c].set, cases_[c].seed, contestant.name, i},
                  .options = &options,
                  .data = c,
                  .work = static_cast<double>(training.rows * options.epochs)};
      ++progress_.total;
      progress_.work += trial.work;
      if (log_.find(trial.key) == nullptr) {
        pending_.push_back(std::move(trial));
      } else {
        ++progress_.done;
        progress_.work_done += trial.work;
      }
    }
  }

  void run_one(const Trial& trial) {
    if (is_stopped()) return;
    TrainOptions options = *trial.options;
    options.seed = trial.key.seed;
    const auto result = run_trial(*cases_[trial.data].data, options, study_.alpha, hooks_.stop);
    if (!result) return;
    log_.add(trial.key, *result);
    const std::scoped_lock lock(mutex_);
    ++progress_.done;
    progress_.work_done += trial.work;
    report(trial.key.set + ", " + trial.key.contestant);
  }

  void report(std::string last) {
    progress_.last = std::move(last);
    if (hooks_.progress) hooks_.progress(progress_);
  }

  const Study& study_;
  std::span<const RawData> data_;
  unsigned threads_;
  ResultLog& log_;
  const StudyHooks& hooks_;
  std::vector<Case> cases_;
  std::vector<Trial> pending_;
  std::mutex mutex_;
  StudyProgress progress_;
};

}  // namespace

bool run_study(const Study& study, std::span<const RawData> data, unsigned threads, ResultLog& log,
               const StudyHooks& hooks) {
  if (study.vision) return VisionRun(study, data[0], log, hooks).run();
  return StudyRun(study, data, threads, log, hooks).run();
}

}  // namespace adacvar
