#include <adacvar/deep/data_sampler.hpp>

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

namespace adacvar {
namespace {

// In the order of AnySampler::Variant.
constexpr std::array<const char*, 4> kKindNames = {"uniform", "shuffled", "adaptive", "weighted"};
static_assert(kKindNames.size() == std::variant_size_v<AnySampler::Variant>);

std::size_t size_of(const AnySampler::Variant& sampler) {
  return std::visit([](const auto& s) { return s.size(); }, sampler);
}

AnySampler::Variant load_sampler(const std::string& kind, std::istream& in) {
  if (kind == kKindNames[0]) return UniformSampler::load(in);
  if (kind == kKindNames[1]) return ShuffledSampler::load(in);
  if (kind == kKindNames[2]) return AdaptiveSampler::load(in);
  if (kind == kKindNames[3]) return WeightedSampler::load(in);
  throw DataError(fmt::format("the archive has a sampler of the unknown kind '{}'", kind));
}

/// Bytes as a tensor: Python's torch requires texts in an archive to be UTF-8.
torch::Tensor tensor_of(const std::string& bytes) {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(bytes.size())}, torch::kUInt8);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

std::string bytes_of(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.contiguous();
  return {static_cast<const char*>(plain.data_ptr()), static_cast<std::size_t>(plain.numel())};
}

[[noreturn]] void refuse(const char* what) {
  throw DataError(fmt::format("the archive does not hold a DataSampler: {}", what));
}

}  // namespace

torch::Tensor DrawnBatch::index_tensor() const {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(indices.size())}, torch::kInt64);
  std::copy(indices.begin(), indices.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

struct DataSampler::State {
  std::mutex mutex = {};
  AnySampler::Variant sampler;
  Rng rng;
  std::size_t epoch_draws = 0;
  std::size_t drawn = 0;  // in this epoch
};

DataSampler::DataSampler(AnySampler::Variant sampler, const Rng& rng, std::size_t epoch_draws) {
  const std::size_t draws = epoch_draws == 0 ? size_of(sampler) : epoch_draws;
  // Constructed in place: a mutex cannot be moved.
  state_ = std::shared_ptr<State>(
      new State{.sampler = std::move(sampler), .rng = rng, .epoch_draws = draws});
}

void DataSampler::reset(torch::optional<std::size_t> new_size) {
  const std::lock_guard lock(state_->mutex);
  const std::size_t size = size_of(state_->sampler);
  if (new_size.has_value() && *new_size != size) {
    throw OptionError(fmt::format("the sampler has {} examples, not {}", size, *new_size));
  }
  state_->drawn = 0;
}

torch::optional<DrawnBatch> DataSampler::next(std::size_t batch_size) {
  if (batch_size == 0) throw OptionError("a batch needs at least one draw");
  const std::lock_guard lock(state_->mutex);
  State& state = *state_;
  const std::size_t count = std::min(batch_size, state.epoch_draws - state.drawn);
  if (count == 0) return torch::nullopt;
  DrawnBatch batch{std::vector<Index>(count), std::vector<double>(count)};
  std::visit(
      [&](auto& sampler) {
        sampler.draw(state.rng, batch.indices);
        std::transform(batch.indices.begin(), batch.indices.end(), batch.probabilities.begin(),
                       [&](Index i) { return sampler.probability(i); });
      },
      state.sampler);
  state.drawn += count;
  return batch;
}

void DataSampler::observe(std::span<const Index> indices, std::span<const double> losses,
                          std::span<const double> probabilities) {
  const std::lock_guard lock(state_->mutex);
  std::visit(
      [&](auto& sampler) {
        // The other samplers ignore losses, so they need no probabilities.
        if constexpr (requires { sampler.observe(indices, losses, probabilities); }) {
          sampler.observe(indices, losses, probabilities);
        } else {
          sampler.observe(indices, losses);
        }
      },
      state_->sampler);
}

void DataSampler::observe(const DrawnBatch& batch, const torch::Tensor& losses) {
  if (losses.numel() != static_cast<std::int64_t>(batch.size())) {
    throw OptionError(fmt::format("{} losses for a batch of {}: one per example is needed",
                                  losses.numel(), batch.size()));
  }
  const torch::Tensor plain =
      losses.detach().to(torch::kCPU, torch::kFloat64).reshape({-1}).contiguous();
  observe(batch.indices, {plain.data_ptr<double>(), batch.size()}, batch.probabilities);
}

std::size_t DataSampler::size() const {
  const std::lock_guard lock(state_->mutex);
  return size_of(state_->sampler);
}

AnySampler DataSampler::snapshot() const {
  const std::lock_guard lock(state_->mutex);
  return AnySampler(state_->sampler);
}

void DataSampler::save(torch::serialize::OutputArchive& archive) const {
  const std::lock_guard lock(state_->mutex);
  std::ostringstream out;
  std::visit([&](const auto& sampler) { sampler.save(out); }, state_->sampler);
  state_->rng.save(out);
  archive.write("kind", c10::IValue(std::string(kKindNames.at(state_->sampler.index()))));
  archive.write("state", tensor_of(out.str()), /*is_buffer=*/true);
  archive.write("epoch_draws", c10::IValue(static_cast<std::int64_t>(state_->epoch_draws)));
  archive.write("drawn", c10::IValue(static_cast<std::int64_t>(state_->drawn)));
}

void DataSampler::load(torch::serialize::InputArchive& archive) {
  c10::IValue kind, epoch_draws, drawn;
  torch::Tensor bytes;
  if (!archive.try_read("kind", kind) || !archive.try_read("epoch_draws", epoch_draws) ||
      !archive.try_read("drawn", drawn) || !archive.try_read("state", bytes, /*is_buffer=*/true)) {
    refuse("a value is missing");
  }
  if (!kind.isString() || !epoch_draws.isInt() || !drawn.isInt() ||
      bytes.scalar_type() != torch::kUInt8 || !bytes.device().is_cpu()) {
    refuse("a value has the wrong type");
  }
  if (epoch_draws.toInt() < 1 || drawn.toInt() < 0 || drawn.toInt() > epoch_draws.toInt()) {
    refuse("the position in the epoch is out of range");
  }
  std::istringstream in(bytes_of(bytes));
  AnySampler::Variant sampler = load_sampler(kind.toStringRef(), in);
  const Rng rng = Rng::load(in);
  const std::lock_guard lock(state_->mutex);
  if (size_of(sampler) != size_of(state_->sampler)) {
    throw DataError(fmt::format("the archive has a sampler of {} examples; this one has {}",
                                size_of(sampler), size_of(state_->sampler)));
  }
  state_->sampler = std::move(sampler);
  state_->rng = rng;
  state_->epoch_draws = static_cast<std::size_t>(epoch_draws.toInt());
  state_->drawn = static_cast<std::size_t>(drawn.toInt());
}

}  // namespace adacvar
