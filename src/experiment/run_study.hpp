#pragma once

#include "experiment/result_log.hpp"
#include "experiment/study.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace adacvar {

/// Where a study is.
struct StudyProgress {
  std::size_t done = 0;   ///< runs, those of earlier calls included
  std::size_t total = 0;  ///< runs
  double work_done = 0;   ///< examples drawn, those of earlier calls included
  double work = 0;        ///< of all runs
  std::string last = {};  ///< set and contestant of the run that has just ended
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> progress = {};  ///< from one thread at a time
  const std::atomic<bool>* stop = nullptr;                  ///< true: ends soon
  const NetworkMaker* networks = nullptr;                   ///< for experiments with networks
};

/// Runs what `log` does not have yet, on `threads` threads (0: all), the largest sets first. Runs
/// with the same seed see the same split and start from the same model; each result depends on its
/// key alone, not on threads or order.
/// `data` holds the study's sets in their order; of an experiment with networks the one set that
/// they are made of, and `threads` does not count. False when stopped. Throws: DataError when a set
/// is not what the log was made of.
[[nodiscard]] bool run_study(const Study& study, std::span<const RawData> data, unsigned threads,
                             ResultLog& log, const StudyHooks& hooks = {});

}  // namespace adacvar
