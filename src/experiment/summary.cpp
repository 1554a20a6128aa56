#include "experiment/summary.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

/// Results of one configuration, one pointer per seed; empty if it diverged.
struct Config {
  std::vector<const TrialResult*> runs;
  std::uint64_t diverged = 0;
};

Config find_runs(const Study& study, const ResultLog& log, TrialKey key) {
  Config config;
  for (key.seed = 0; key.seed < study.seeds; ++key.seed) {
    const TrialResult* result = log.find(key);
    if (result == nullptr) throw OptionError(fmt::format("the run {} is missing", key.text()));
    config.runs.push_back(result);
    if (result->diverged) ++config.diverged;
  }
  return config;
}

// Mean over the seeds, for selection.
PartScore mean_valid(const Config& config, bool early) {
  double cvar = 0;
  double accuracy = 0;
  for (const TrialResult* run : config.runs) {
    const PartScore& valid = (early ? run->early : run->last).valid;
    cvar += static_cast<double>(valid.cvar);
    accuracy += static_cast<double>(valid.accuracy);
  }
  const auto count = static_cast<double>(config.runs.size());
  return {.cvar = static_cast<float>(cvar / count),
          .accuracy = static_cast<float>(accuracy / count)};
}

void set_selection(Selected& selected, const Config& config, std::uint64_t number, bool early) {
  selected.config = number;
  selected.early = early;
  selected.readings.clear();
  selected.gradients.clear();
  selected.goal_epochs.clear();
  double bounds = 0;
  for (const TrialResult* run : config.runs) {
    selected.readings.push_back(early ? run->early : run->last);
    bounds += static_cast<double>(run->bound.value_or(0));
    if (!run->gradients) continue;
    selected.gradients.push_back(*run->gradients);
    selected.goal_epochs.push_back(run->goal_epoch);
  }
  if (config.runs[0]->bound) selected.bound = bounds / static_cast<double>(config.runs.size());
}

Selected select(const Study& study, const ResultLog& log, const std::string& set,
                const Contestant& contestant, const MaySelect& may_select) {
  const Task task = is_regression(set) ? Task::regression : Task::binary;
  Selected selected;
  std::optional<PartScore> best;
  for (std::size_t i = 0; i < contestant.configs.size(); ++i) {
    if (may_select && !may_select(contestant, i)) continue;
    const Config config = find_runs(study, log, {set, 0, contestant.name, i});
    selected.runs += config.runs.size();
    selected.diverged += config.diverged;
    for (const TrialResult* run : config.runs) {
      selected.seconds += static_cast<double>(run->seconds);
    }
    if (config.diverged > 0) continue;
    for (const bool early : {false, true}) {
      if (early && !study.early_stopping) break;
      const PartScore valid = mean_valid(config, early);
      if (best && !is_selected_before(valid, *best, task)) continue;
      best = valid;
      set_selection(selected, config, i, early);
    }
  }
  return selected;
}

template <class Part>
std::vector<double> values(const Selected& selected, Metric metric, Part part) {
  std::vector<double> result;
  for (const Reading& reading : selected.readings) {
    result.push_back(metric_of(reading.*part, metric));
  }
  return result;
}

}  // namespace

double metric_of(const PartScore& score, Metric metric) {
  switch (metric) {
    case Metric::cvar:
      return static_cast<double>(score.cvar);
    case Metric::mean:
      return static_cast<double>(score.mean);
    case Metric::accuracy:
      return static_cast<double>(score.accuracy);
    case Metric::precision:
      break;
  }
  return static_cast<double>(score.precision);
}

std::vector<double> Selected::test(Metric metric) const {
  return values(*this, metric, &Reading::test);
}

std::vector<double> Selected::train(Metric metric) const {
  return values(*this, metric, &Reading::train);
}

bool is_compared(const Contestant& contestant) { return contestant.name != kExactName; }

std::vector<std::vector<double>> compared_scores(const Summary& summary, std::size_t set,
                                                 Metric metric) {
  std::vector<std::vector<double>> scores;
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    if (is_compared(summary.study.contestants[c])) {
      scores.push_back(summary.of(set, c).test(metric));
    }
  }
  return scores;
}

Summary summarise(const Study& study, const ResultLog& log, const MaySelect& may_select) {
  Summary summary{.study = study, .selected = {}};
  for (const std::string& set : study.sets) {
    auto& row = summary.selected.emplace_back();
    row.reserve(study.contestants.size());
    for (const Contestant& contestant : study.contestants) {
      row.push_back(select(study, log, set, contestant, may_select));
    }
  }
  return summary;
}

}  // namespace adacvar
