#pragma once

#include <adacvar/sampler/make_sampler.hpp>

#include <torch/data/samplers/base.h>
#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

/// A batch of examples and the probability that each was drawn with.
struct DrawnBatch {
  std::vector<Index> indices;
  std::vector<double> probabilities;

  [[nodiscard]] std::size_t size() const noexcept { return indices.size(); }
  /// The indices for `index_select`: 64-bit, one dimension.
  [[nodiscard]] torch::Tensor index_tensor() const;
};

/// An adaptive (or any other) sampler for torch's data loaders: `torch::data::make_data_loader`
/// with it and a `BatchDataset` whose request is a DrawnBatch (examples/3_torch_loop.cpp).
///
/// A copy is another handle of the same sampler: give one to the loader and keep one to `observe`.
/// All calls may come from several threads; a batch is drawn, and losses are learned, as a whole.
///
/// Draws run ahead of losses: with `workers` threads a loader draws 2 * workers batches (its option
/// `max_jobs`) before the losses of the first are known, none without workers. A batch therefore
/// keeps the probabilities it was drawn with, and `observe` weighs its losses by those, not by the
/// present law. More workers than data needs make the sampler learn later, not wrongly.
///
/// An epoch has `epoch_draws` draws, the last batch may be smaller; the loader's `begin` starts a
/// new one. Throws: as the sampler; OptionError for an epoch or a batch of no draws.
class DataSampler : public torch::data::samplers::Sampler<DrawnBatch> {
 public:
  /// `epoch_draws` 0: as many as there are examples.
  DataSampler(AnySampler::Variant sampler, const Rng& rng, std::size_t epoch_draws = 0);

  /// Starts a new epoch; the law stays. Throws: OptionError for a size other than the sampler's.
  void reset(torch::optional<std::size_t> new_size = torch::nullopt) override;

  /// The next batch of the epoch; none after its last.
  [[nodiscard]] torch::optional<DrawnBatch> next(std::size_t batch_size) override;

  /// Learns the losses of examples, each drawn with the probability given.
  void observe(std::span<const Index> indices, std::span<const double> losses,
               std::span<const double> probabilities);
  /// The same for a batch and a tensor with a loss per example, of any kind and on any device.
  void observe(const DrawnBatch& batch, const torch::Tensor& losses);

  [[nodiscard]] std::size_t size() const;
  /// The sampler as it is now.
  [[nodiscard]] AnySampler snapshot() const;

  /// Sampler, generator and place in the epoch; also by torch::save and torch::load. Batches that
  /// a loader has drawn ahead are not in it: a run goes on with the same indices when it is saved
  /// between epochs or without workers. `load` throws DataError unless the archive holds such a
  /// state, undamaged, for as many examples; then all is as before.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace adacvar
