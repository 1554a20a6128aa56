#pragma once

#include "experiment/result_log.hpp"
#include "experiment/study.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace adacvar {

/// Progress of a study.
struct StudyProgress {
  std::size_t done = 0;   ///< runs, including those of earlier calls
  std::size_t total = 0;  ///< runs
  double work_done = 0;   ///< examples drawn, including those of earlier calls
  double work = 0;        ///< examples drawn by all runs
  std::string last = {};  ///< set and contestant of the run that just ended
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress = {};  ///< called from one thread at a time
  const std::atomic<bool>* stop = nullptr;  ///< when it becomes true, the study ends soon
  const NetworkMaker* networks = nullptr;   ///< for experiments with networks
};

/// Runs the trials that `log` does not contain, on `threads` threads (0: all), the largest sets
/// first. Runs with the same seed use the same split and initial model; each result depends only on
/// its key, not on threads or order. `data` are the study's sets in their order; for an experiment
/// with networks, the one set that all are derived from, and `threads` is ignored. Returns false if
/// stopped. Throws: DataError if a set differs from that of the log.
[[nodiscard]] bool run_study(const Study& study, std::span<const RawData> data, unsigned threads,
                             ResultLog& log, const StudyHooks& hooks = {});

}  // namespace adacvar
