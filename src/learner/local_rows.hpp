#pragma once

#include <adacvar/base/error.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/make_sampler.hpp>
#include "learner/checkpoint.hpp"
#include "learner/objective.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

namespace adacvar {

/// The sampler and the objective of an algorithm. `draws`: of the whole run.
[[nodiscard]] AnySampler sampler_for(const TrainOptions& options, const Dataset& training,
                                     std::uint64_t draws);
/// The options of the sampler of adacvar.
[[nodiscard]] AdaptiveSamplerOptions sampler_options_for(const TrainOptions& options,
                                                         std::uint64_t draws);
[[nodiscard]] AnyObjective objective_for(const TrainOptions& options, std::size_t rows,
                                         std::span<const double> weights);

/// The rows of the training loop, all in the memory of this process. (ShardedSource has those of
/// several ranks.)
class LocalRows {
 public:
  /// The next batch may be drawn before the step of the last one, whose rows stay in place.
  static constexpr bool kDrawsAhead = true;

  /// Keeps references to all.
  LocalRows(const Dataset& training, const Dataset* validation, const Loss& loss)
      : training_(training),
        validation_(validation),
        loss_(loss),
        total_weight_(training.total_weight()) {}

  /// Makes the sampler; `options` are those of the loop.
  void start(const TrainOptions& options, std::uint64_t draws) {
    sampler_.emplace(sampler_for(options, training_, draws));
  }

  [[nodiscard]] std::size_t rows() const noexcept { return training_.rows; }
  [[nodiscard]] bool has_validation() const noexcept {
    return validation_ != nullptr && validation_->rows > 0;
  }
  [[nodiscard]] const Dataset& validation() const noexcept { return *validation_; }
  [[nodiscard]] AnyObjective objective(const TrainOptions& options) const {
    return objective_for(options, training_.rows, training_.weights);
  }
  /// Adds what else must match for a checkpoint to resume.
  [[nodiscard]] std::string identity(std::string identity) const {
    return identity_with_weights(
        std::move(identity), training_.weights,
        validation_ != nullptr ? validation_->weights : std::span<const double>());
  }

  void draw(Rng& rng, std::span<Index> batch) { sampler_->draw(rng, batch); }
  /// Where the backend finds the rows of a batch.
  [[nodiscard]] static std::span<const Index> places(std::span<const Index> batch) noexcept {
    return batch;
  }
  void observe(std::span<const Index> batch, std::span<const double> losses) {
    sampler_->observe(batch, losses);
  }
  template <class Backend>
  void update(Backend& backend) const {
    backend.after_update(*sampler_);
  }
  void set_gamma(double gamma) { sampler_->set_gamma(gamma); }
  void discount(double factor) { sampler_->discount(factor); }
  /// Computes the share of each row in all rows divided by its probability.
  void importance(std::span<const Index> batch, std::span<double> result) const {
    for (std::size_t b = 0; b < batch.size(); ++b) {
      result[b] = training_.weight(batch[b]) / (total_weight_ * sampler_->probability(batch[b]));
    }
  }

  /// Return the risk of all losses; none if one is not finite.
  [[nodiscard]] std::optional<TailRisk> training_risk(const Scorer& model, double alpha) const {
    return risk(model, training_, alpha);
  }
  [[nodiscard]] std::optional<TailRisk> validation_risk(const Scorer& model, double alpha) const {
    return risk(model, *validation_, alpha);
  }

  /// True if it is true for one of the ranks.
  [[nodiscard]] static bool any(bool value) noexcept { return value; }

  /// The sampler of adacvar; null for other algorithms.
  [[nodiscard]] const AdaptiveSampler* adaptive() const {
    return std::get_if<AdaptiveSampler>(&sampler_->variant());
  }

  void save(std::ostream& out, std::uint64_t /*epoch*/) const { sampler_->save(out); }
  void load(std::istream& in, const std::filesystem::path& /*checkpoint*/) { sampler_->load(in); }

  /// Writes the checkpoint after an epoch. Returns why not if it cannot be written.
  [[nodiscard]] static std::string write_checkpoint(const std::filesystem::path& path,
                                                    std::uint64_t /*epoch*/,
                                                    std::string_view bytes) {
    try {
      adacvar::write_checkpoint(path, bytes);
    } catch (const OptionError& error) {
      return error.what();
    }
    return {};
  }
  [[nodiscard]] static std::optional<std::istringstream> open_checkpoint(
      const std::filesystem::path& path) {
    return adacvar::open_checkpoint(path);
  }

 private:
  [[nodiscard]] std::optional<TailRisk> risk(const Scorer& model, const Dataset& rows,
                                             double alpha) const {
    const auto losses = losses_of(model, rows, loss_);
    if (!std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); })) {
      return std::nullopt;
    }
    return tail_risk(losses, rows.weights, alpha);
  }

  const Dataset& training_;
  const Dataset* validation_;
  const Loss& loss_;
  double total_weight_;
  std::optional<AnySampler> sampler_;
};

}  // namespace adacvar
