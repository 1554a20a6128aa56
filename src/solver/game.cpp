#include <adacvar/solver/game.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>

#include <algorithm>
#include <numeric>

namespace adacvar {

namespace {

void add_to_mean(std::span<double> mean, std::span<const double> values, std::uint64_t count) {
  const double share = 1.0 / static_cast<double>(count);
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * (values[i] - mean[i]);
}

double dot(std::span<const double> one, std::span<const double> other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

}  // namespace

GameTracker::GameTracker(const Dataset& data, const Loss& loss, const CertifyOptions& options)
    : data_(data),
      loss_(loss),
      options_(options),
      mean_losses_(data.rows),
      mean_distribution_(data.rows) {}

void GameTracker::restart() {
  count_ = 0;
  value_ = 0;
  std::ranges::fill(mean_losses_, 0.0);
  std::ranges::fill(mean_distribution_, 0.0);
}

GameRecord GameTracker::add(const EpochView& view) {
  if (view.sampler == nullptr || view.recent == nullptr)
    throw OptionError("the game has a sampler only in adacvar, and bounds only for linear models");
  if (view.is_restart) restart();
  const std::vector<double> distribution = view.sampler->probabilities();
  const std::vector<double> losses = losses_of(view.model, data_, loss_);
  ++count_;
  add_to_mean(mean_losses_, losses, count_);
  add_to_mean(mean_distribution_, distribution, count_);
  value_ += (dot(distribution, losses) - value_) / static_cast<double>(count_);

  GameRecord record;
  record.epoch = view.record.epoch;
  record.certificate = certify(*view.recent, data_, loss_, mean_distribution_, options_);
  record.value = value_;
  const double worst =
      options_.risk.of(tail_risk(mean_losses_, data_.weights, options_.risk.alpha));
  record.sampler_regret = worst - value_;
  record.learner_regret = value_ - record.certificate.lower;
  record.distribution =
      summarise_distribution(distribution, losses, options_.risk.alpha, data_.weights);
  return record;
}

}  // namespace adacvar
