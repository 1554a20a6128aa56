#include "learner/sharded_source.hpp"

#include <adacvar/base/error.hpp>

#include "base/state_stream.hpp"
#include "learner/checkpoint.hpp"
#include "learner/local_rows.hpp"
#include "learner/shard_files.hpp"
#include "risk/sharded_risk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace adacvar {

namespace {

constexpr std::string_view kStateKind = "ACVRRANK";
constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 24U;

void check_rows(const ShardedRows& rows, std::string_view name) {
  const Dataset& data = rows.data;
  if (!data.weights.empty() && data.weights.size() != data.rows) {
    throw DataError(fmt::format("the {} data has {} rows and {} row weights", name, data.rows,
                                data.weights.size()));
  }
  if (!data.offsets.empty()) {
    throw OptionError("rows with known scores are not supported on several ranks");
  }
}

// The same on all ranks, also on one without rows.
bool any_row(Communicator& ranks, const ShardedRows& rows, bool holds) {
  return any_of(ranks, rows.data.rows > 0 && holds);
}

}  // namespace

ShardedSource::ShardedSource(Communicator& ranks, const ShardedRows& training,
                             const ShardedRows* validation, const Loss& loss)
    : ranks_(ranks),
      training_(training),
      validation_(validation),
      loss_(loss),
      layout_(gather_layout(ranks, training.shards, training.first_shard, training.shard_start)),
      weighted_(any_row(ranks, training, !training.data.weights.empty())),
      sparse_(any_row(ranks, training, training.data.is_sparse())),
      has_values_(any_row(ranks, training, !training.data.value.empty())),
      has_validation_(validation != nullptr && sum_of(ranks, validation->data.rows) > 0) {
  check_rows(training, "training");
  if (validation != nullptr) check_rows(*validation, "validation");
  first_row_.resize(layout_.shards());
  std::exclusive_scan(layout_.sizes.begin(), layout_.sizes.end(), first_row_.begin(),
                      std::size_t{0});
}

Dataset ShardedSource::shape() const {
  Dataset shape;
  shape.rows = layout_.rows;
  shape.features = training_.data.features;
  shape.task = training_.data.task;
  shape.class_names = training_.data.class_names;
  return shape;
}

const Dataset& ShardedSource::batch_rows(std::size_t batch) {
  batch_ = shape();
  batch_.rows = batch;
  batch_.targets.assign(batch, 0.0);
  if (sparse_) {
    batch_.start.assign(batch + 1, 0);
  } else {
    batch_.dense.assign(batch * batch_.features, 0.0F);
  }
  drawn_.resize(batch);
  places_.resize(batch);
  std::iota(places_.begin(), places_.end(), Index{0});
  return batch_;
}

void ShardedSource::start(const TrainOptions& options, std::uint64_t draws) {
  const std::span<const double> weights = training_.data.weights;
  if (options.algorithm == Algorithm::adacvar) {
    sampler_ = make_adaptive_shards(ranks_, layout_, sampler_options_for(options, draws), weights,
                                    weighted_, options.seed);
  } else if (weighted_) {
    sampler_ = make_weighted_shards(ranks_, layout_, weights, options.seed);
  } else {
    sampler_ = make_shuffled_shards(ranks_, layout_, options.seed);
  }
}

// An objective keeps the losses of all rows only if they are few; all ranks then know the weights.
AnyObjective ShardedSource::objective(const TrainOptions& options) const {
  const bool keeps_all =
      std::ceil(options.level_window / options.alpha) >= static_cast<double>(layout_.rows);
  if (keeps_all && layout_.rows > kMaxSize) {
    throw OptionError(fmt::format("level-window = {} needs a window of more than {} losses",
                                  options.level_window, kMaxSize));
  }
  std::vector<double> weights;
  if (keeps_all && weighted_) {
    weights = gather_values(ranks_, std::span<const double>(training_.data.weights));
  }
  return objective_for(options, layout_.rows, weights);
}

// Weights are told by shard, whose rows are the same on any number of ranks.
std::string ShardedSource::identity(std::string identity) const {
  identity += fmt::format(" {} shards", layout_.shards());
  for (const ShardedRows* rows : {&training_, validation_}) {
    if (rows == nullptr) continue;
    std::string own;
    for (std::size_t s = 0; s + 1 < rows->shard_start.size() && !rows->data.weights.empty(); ++s) {
      const std::size_t start = rows->shard_start[s];
      own = identity_with_weights(
          std::move(own),
          std::span(rows->data.weights).subspan(start, rows->shard_start[s + 1] - start), {});
    }
    for (const std::string& part : gather_text(ranks_, own)) identity += part;
  }
  return identity;
}

// A row's number counts the rows of the shards before it.
void ShardedSource::draw(Rng& rng, std::span<Index> batch) {
  batch_.column.clear();
  batch_.value.clear();
  sampler_->draw(rng, drawn_, this);
  std::ranges::transform(drawn_, batch.begin(), [this](const ShardedRow& row) {
    return static_cast<Index>(first_row_[row.shard] + row.row);
  });
}

std::optional<std::size_t> ShardedSource::row_bytes() const {
  if (sparse_) return std::nullopt;
  return sizeof(double) + batch_.features * sizeof(float);
}

void ShardedSource::write(std::size_t place, MessageWriter& to) const {
  const Dataset& data = training_.data;
  to.put(data.targets[place]);
  if (!sparse_) {
    to.put_array(std::span(data.dense).subspan(place * data.features, data.features));
    return;
  }
  const std::size_t begin = data.start[place];
  const std::size_t count = data.start[place + 1] - begin;
  to.put(static_cast<std::uint32_t>(count));
  to.put_array(std::span(data.column).subspan(begin, count));
  if (!has_values_) return;
  for (std::size_t entry = begin; entry < begin + count; ++entry) to.put(data.entry(entry));
}

void ShardedSource::read(std::size_t slot, MessageReader& from) {
  batch_.targets[slot] = from.get<double>();
  if (sparse_) {
    read_entries(slot, from);
  } else {
    from.get_array(std::span(batch_.dense).subspan(slot * batch_.features, batch_.features));
  }
}

void ShardedSource::read_entries(std::size_t slot, MessageReader& from) {
  const std::size_t begin = batch_.column.size();
  const auto count = from.get<std::uint32_t>();
  batch_.column.resize(begin + count);
  from.get_array(std::span(batch_.column).subspan(begin));
  if (has_values_) {
    batch_.value.resize(begin + count);
    from.get_array(std::span(batch_.value).subspan(begin));
  }
  batch_.start[slot + 1] = begin + count;
}

void ShardedSource::save(std::ostream& out, std::uint64_t epoch) const {
  StateWriter writer(kStateKind, 1);
  writer.put(epoch);
  writer.put(static_cast<std::uint64_t>(ranks_.size()));
  sampler_->save_shared(writer);
  writer.write_to(out);
}

void ShardedSource::load(std::istream& in, const std::filesystem::path& checkpoint) {
  StateReader reader(in, kStateKind, 1);
  const auto epoch = reader.get<std::uint64_t>();
  const auto ranks = reader.get<std::uint64_t>();
  reader.require(ranks >= 1 && ranks <= kMostRanks, "its number of ranks is out of range");
  sampler_->load_shared(reader);
  reader.finish();
  read_shards({.checkpoint = checkpoint, .epoch = epoch, .ranks = ranks}, layout_,
              [this](std::size_t own, std::istream& shard) { sampler_->load_shard(own, shard); });
}

// First the shards, then the file that names them: a job that dies in between resumes from the last
// checkpoint, whose files are removed at the very end.
std::string ShardedSource::write_checkpoint(const std::filesystem::path& path, std::uint64_t epoch,
                                            std::string_view bytes) const {
  const ShardFiles files{.checkpoint = path, .epoch = epoch, .ranks = ranks_.size()};
  const auto agree = [this](const std::function<void()>& write) {
    std::string error;
    try {
      write();
    } catch (const OptionError& failure) {
      error = failure.what();
    }
    for (std::string& text : gather_text(ranks_, error)) {
      if (!text.empty()) return std::move(text);
    }
    return std::string();
  };
  std::string error = agree([&] {
    write_shards(files, ranks_.rank(), layout_,
                 [this](std::size_t own, std::ostream& out) { sampler_->save_shard(own, out); });
  });
  if (!error.empty()) return error;
  error = agree([&] {
    if (ranks_.rank() == 0) adacvar::write_checkpoint(path, bytes);
  });
  if (error.empty() && ranks_.rank() == 0) remove_older(files);
  return error;
}

// Rank 0 reads for all.
std::optional<std::istringstream> ShardedSource::open_checkpoint(
    const std::filesystem::path& path) const {
  std::string own;
  if (ranks_.rank() == 0) {
    if (const auto in = adacvar::open_checkpoint(path)) own = in->view();
  }
  std::string bytes = std::move(gather_text(ranks_, own).front());
  if (bytes.empty()) return std::nullopt;
  return std::istringstream(std::move(bytes));
}

std::optional<TailRisk> ShardedSource::risk(const Scorer& model, const Dataset& rows,
                                            double alpha) const {
  return tail_risk_if_finite(ranks_, losses_of(model, rows, loss_), rows.weights, alpha);
}

}  // namespace adacvar
