#include "learner/sharded_source.hpp"

#include <adacvar/base/error.hpp>

#include "learner/local_rows.hpp"
#include "risk/sharded_risk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

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

// A row's number counts the rows of the shards before it.
void ShardedSource::draw(Rng& rng, std::span<Index> batch) {
  batch_.column.clear();
  batch_.value.clear();
  sampler_->draw(rng, drawn_, this);
  std::ranges::transform(drawn_, batch.begin(), [this](const ShardedRow& row) {
    return static_cast<Index>(first_row_[row.shard] + row.row);
  });
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

std::optional<TailRisk> ShardedSource::risk(const Scorer& model, const Dataset& rows,
                                            double alpha) const {
  return tail_risk_if_finite(ranks_, losses_of(model, rows, loss_), rows.weights, alpha);
}

}  // namespace adacvar
