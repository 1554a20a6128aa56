#pragma once

#include <adacvar/base/communicator.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

#include "base/collectives.hpp"
#include "data/sharded_rows.hpp"
#include "learner/objective.hpp"
#include "sampler/sharded_sampler.hpp"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// The rows of the training loop, dealt to shards of several ranks. The rows of every batch are
/// gathered on all ranks, which then compute the same losses and take the same steps: their models
/// are equal without being sent. See LocalRows.
class ShardedSource final : private RowCarrier {
 public:
  /// A batch has the place of the last one.
  static constexpr bool kDrawsAhead = false;

  /// Keeps references to all. Collective, as are all functions that are not noexcept.
  ShardedSource(Communicator& ranks, const ShardedRows& training, const ShardedRows* validation,
                const Loss& loss);

  /// A dataset without rows, but with the number of those of all ranks.
  [[nodiscard]] Dataset shape() const;
  /// The rows of the current batch, of that size.
  [[nodiscard]] const Dataset& batch_rows(std::size_t batch);

  void start(const TrainOptions& options, std::uint64_t draws);

  [[nodiscard]] std::size_t rows() const noexcept { return layout_.rows; }
  [[nodiscard]] bool has_validation() const noexcept { return has_validation_; }
  [[nodiscard]] AnyObjective objective(const TrainOptions& options) const;
  [[nodiscard]] std::string identity(std::string identity) const;

  void draw(Rng& rng, std::span<Index> batch);
  [[nodiscard]] std::span<const Index> places(std::span<const Index> /*batch*/) const noexcept {
    return places_;
  }
  void observe(std::span<const Index> /*batch*/, std::span<const double> losses) {
    sampler_->observe(losses);
  }
  template <class Backend>
  void update(Backend& /*backend*/) const noexcept {}
  void set_gamma(double gamma) { sampler_->set_gamma(gamma); }
  void discount(double factor) { sampler_->discount(factor); }

  [[nodiscard]] std::optional<TailRisk> training_risk(const Scorer& model, double alpha) const {
    return risk(model, training_.data, alpha);
  }
  [[nodiscard]] std::optional<TailRisk> validation_risk(const Scorer& model, double alpha) const {
    return risk(model, validation_->data, alpha);
  }

  [[nodiscard]] bool any(bool value) const { return any_of(ranks_, value); }
  [[nodiscard]] static const AdaptiveSampler* adaptive() noexcept { return nullptr; }

  void save(std::ostream& out, std::uint64_t epoch) const;
  void load(std::istream& in, const std::filesystem::path& checkpoint);
  [[nodiscard]] std::string write_checkpoint(const std::filesystem::path& path, std::uint64_t epoch,
                                             std::string_view bytes) const;
  [[nodiscard]] std::optional<std::istringstream> open_checkpoint(
      const std::filesystem::path& path) const;

 private:
  [[nodiscard]] std::optional<std::size_t> row_bytes() const override;
  void write(std::size_t place, MessageWriter& to) const override;
  void read(std::size_t slot, MessageReader& from) override;
  void read_entries(std::size_t slot, MessageReader& from);

  [[nodiscard]] std::optional<TailRisk> risk(const Scorer& model, const Dataset& rows,
                                             double alpha) const;

  Communicator& ranks_;
  const ShardedRows& training_;
  const ShardedRows* validation_;
  const Loss& loss_;
  ShardLayout layout_;
  std::vector<std::size_t> first_row_;  // number of the first row of every shard
  bool weighted_;
  bool sparse_;
  bool has_values_;  // sparse rows have values other than 1
  bool has_validation_;
  std::unique_ptr<ShardedSampler> sampler_;

  Dataset batch_;
  std::vector<Index> places_;  // of its rows: 0, 1, ...
  std::vector<ShardedRow> drawn_;
};

}  // namespace adacvar
