#include <adacvar/base/error.hpp>
#include "experiment/study.hpp"
#include "experiment/trial.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <vector>

namespace adacvar {

namespace {

// Processor time of all threads: a network uses several, and nothing else runs meanwhile.
double process_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

GradientNorms norms_of(std::vector<double> norms) {
  const auto at = [&](double share) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(norms.size() - 1));
    std::ranges::nth_element(norms, norms.begin() + static_cast<std::ptrdiff_t>(place));
    return static_cast<float>(norms[place]);
  };
  const auto count = static_cast<double>(norms.size());
  GradientNorms result;
  result.mean = static_cast<float>(std::accumulate(norms.begin(), norms.end(), 0.0) / count);
  result.median = at(0.5);
  result.p99 = at(0.99);
  result.zeros = static_cast<float>(static_cast<double>(std::ranges::count(norms, 0.0)) / count);
  return result;
}

/// One run of a network, evaluated while it trains.
class NetworkTrial {
 public:
  NetworkTrial(const PreparedData& data, const Vision& vision, double alpha)
      : data_(data), vision_(vision), alpha_(alpha), loss_(Loss::of_task(data.train.task)) {}

  TrialResult run(const TrainOptions& options, const NetworkMaker& networks,
                  const std::atomic<bool>* stop) {
    const double begin = process_seconds();
    epochs_ = options.epochs;
    TrainHooks hooks{.progress = {}, .stop = stop, .watch = [this](const EpochView& view) {
                       note_epoch(view);
                       return true;
                     }};
    if (vision_.goal > 0) hooks.gradient = [this](double norm) { norms_.push_back(norm); };
    const NetworkResult run =
        networks.train(data_.train, nullptr, loss_, options, vision_.network, hooks);
    const bool finite = std::isfinite(result_.last.valid.cvar) && best_epoch_ > 0;
    result_.diverged = run.stop_reason == StopReason::diverged || !finite;
    if (!norms_.empty()) result_.gradients = norms_of(std::move(norms_));
    result_.seconds = static_cast<float>(process_seconds() - begin);
    return result_;
  }

 private:
  void note_epoch(const EpochView& view) {
    Reading now{.epoch = view.record.epoch,
                .train = {},
                .valid = read_score(view.model, loss_, data_.valid, alpha_),
                .test = {}};
    now.train = now.valid;  // the same images
    const bool is_best =
        best_epoch_ == 0 || is_selected_before(now.valid, result_.early.valid, data_.train.task);
    const bool is_last = view.record.epoch == epochs_;
    if (is_best || is_last) now.test = read_score(view.model, loss_, data_.test, alpha_);
    if (is_last) result_.last = now;
    if (is_best) {
      result_.early = now;
      best_epoch_ = now.epoch;
    }
    if (result_.goal_epoch == 0 && static_cast<double>(now.valid.accuracy) >= vision_.goal) {
      result_.goal_epoch = now.epoch;
    }
  }

  const PreparedData& data_;
  const Vision& vision_;
  double alpha_;
  Loss loss_;
  std::uint64_t epochs_ = 0;
  std::uint64_t best_epoch_ = 0;
  std::vector<double> norms_;
  TrialResult result_;
};

}  // namespace

std::optional<TrialResult> run_network_trial(const PreparedData& data, const TrainOptions& options,
                                             const Vision& vision, const NetworkMaker& networks,
                                             double alpha, const std::atomic<bool>* stop) {
  TrialResult result = NetworkTrial(data, vision, alpha).run(options, networks, stop);
  if (stop != nullptr && *stop) return std::nullopt;
  return result;
}

}  // namespace adacvar
