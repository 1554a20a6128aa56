#pragma once

#include <adacvar/sampler/make_sampler.hpp>

#include <torch/data/samplers/base.h>
#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

/// A batch of examples and the probability with which each was drawn.
struct DrawnBatch {
  std::vector<Index> indices;
  std::vector<double> probabilities;

  [[nodiscard]] std::size_t size() const noexcept { return indices.size(); }
  /// Returns the indices as a one-dimensional 64-bit tensor, for `index_select`.
  [[nodiscard]] torch::Tensor index_tensor() const;
};

/// Wraps a sampler for torch's data loaders: pass it to `torch::data::make_data_loader` with a
/// `BatchDataset` whose request type is DrawnBatch (examples/3_torch_loop.cpp).
///
/// Copies share the same sampler: give one to the loader and keep one to call `observe`. All
/// functions are thread-safe; drawing a batch and observing its losses are atomic.
///
/// With `workers` threads a loader draws 2 * workers batches ahead (its option `max_jobs`), before
/// the losses of the first are known; without workers, none. A batch therefore keeps the
/// probabilities with which it was drawn, and `observe` weights its losses by those, not by the
/// current distribution. Too many workers delay the sampler's learning but do not bias it.
///
/// An epoch has `epoch_draws` draws; its last batch may be smaller. The loader's `begin` starts a
/// new epoch. Throws: like the sampler; OptionError for an empty batch.
class DataSampler : public torch::data::samplers::Sampler<DrawnBatch> {
 public:
  /// `epoch_draws` = 0 means the number of examples.
  DataSampler(AnySampler::Variant sampler, const Rng& rng, std::size_t epoch_draws = 0);

  /// Starts a new epoch; the distribution is kept. Throws: OptionError if `new_size` is not the
  /// sampler's size.
  void reset(torch::optional<std::size_t> new_size = torch::nullopt) override;

  /// Returns the next batch of the epoch; nothing after the last one.
  [[nodiscard]] torch::optional<DrawnBatch> next(std::size_t batch_size) override;

  /// Updates the sampler with the losses of examples, each drawn with the given probability.
  void observe(std::span<const Index> indices, std::span<const double> losses,
               std::span<const double> probabilities);
  /// Overload for a batch and a tensor with one loss per example, of any type and on any device.
  void observe(const DrawnBatch& batch, const torch::Tensor& losses);

  [[nodiscard]] std::size_t size() const;
  /// Returns a copy of the sampler.
  [[nodiscard]] AnySampler snapshot() const;

  /// Saves sampler, random generator and position in the epoch; torch::save and torch::load call
  /// these. Batches that a loader has drawn ahead are not saved, so a resumed run draws the same
  /// indices only if it was saved between epochs or has no workers. `load` throws DataError, and
  /// changes nothing, unless the archive holds an undamaged state for the same number of examples.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace adacvar
