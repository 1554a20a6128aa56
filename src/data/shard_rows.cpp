#include "data/shard_rows.hpp"

#include "base/collectives.hpp"
#include "data/prepare_data.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

// Rows travel in pieces, so that what is in flight takes little memory.
constexpr std::size_t kPieceBytes = std::size_t{16} << 20U;

template <class T>
void put(std::vector<std::byte>& out, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  out.insert(out.end(), bytes.begin(), bytes.end());
}
template <class T>
void put(std::vector<std::byte>& out, const T& value) {
  put(out, std::span(&value, 1));
}

/// Takes values from the front of a block.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> left) : left_(left) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  template <class T>
  void take(std::vector<T>& to, std::size_t count) {
    const std::size_t before = to.size();
    to.resize(before + count);
    if (count > 0) std::memcpy(to.data() + before, left_.data(), count * sizeof(T));
    left_ = left_.subspan(count * sizeof(T));
  }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> left_;
};

/// How rows are written: which parts of a dataset are there is the same on all ranks.
struct RowFormat {
  bool is_sparse = false;
  bool has_values = false;
  bool has_weights = false;

  static RowFormat of(const Dataset& data, Communicator& ranks) {
    return {any_of(ranks, data.is_sparse()), any_of(ranks, !data.value.empty()),
            any_of(ranks, !data.weights.empty())};
  }
  void put_row(const Dataset& data, std::size_t i, std::uint64_t number,
               std::vector<std::byte>& out) const {
    put(out, number);
    put(out, data.targets[i]);
    if (has_weights) put(out, data.weights[i]);
    if (!is_sparse) {
      put(out, std::span(data.dense).subspan(i * data.features, data.features));
      return;
    }
    const std::size_t begin = data.start[i];
    const std::size_t count = data.start[i + 1] - begin;
    put(out, static_cast<std::uint32_t>(count));
    put(out, std::span(data.column).subspan(begin, count));
    if (has_values) put(out, std::span(data.value).subspan(begin, count));
  }
  void take_row(Bytes& in, ShardedRows& to) const {
    Dataset& data = to.data;
    to.row.push_back(in.take<std::uint64_t>());
    data.targets.push_back(in.take<double>());
    if (has_weights) data.weights.push_back(in.take<double>());
    ++data.rows;
    if (!is_sparse) {
      in.take(data.dense, data.features);
      return;
    }
    const auto count = in.take<std::uint32_t>();
    in.take(data.column, count);
    if (has_values) in.take(data.value, count);
    data.start.push_back(data.column.size());
  }
};

/// A dataset without rows, with the features and classes of another.
Dataset without_rows(const Dataset& data, const RowFormat& format) {
  Dataset empty;
  empty.features = data.features;
  empty.reference_levels = data.reference_levels;
  empty.levels = data.levels;
  empty.task = data.task;
  empty.target_error = data.target_error;
  empty.image = data.image;
  empty.class_names = data.class_names;
  if (format.is_sparse) empty.start = {0};
  return empty;
}

/// Sorts the rows by shard, then by number.
ShardedRows sorted(const ShardedRows& rows, const RowFormat& format, Communicator& ranks) {
  std::vector<std::size_t> order(rows.row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::pair(shard_of(rows.row[i], rows.shards), rows.row[i]);
  });
  ShardedRows result;
  result.data = without_rows(rows.data, format);
  result.data.dense.reserve(rows.data.dense.size());
  result.data.column.reserve(rows.data.column.size());
  result.data.value.reserve(rows.data.value.size());
  result.shards = rows.shards;
  result.first_shard = first_shard_of(ranks.rank(), ranks.size(), rows.shards);
  std::vector<std::byte> bytes;
  std::size_t next = 0;
  const std::size_t end = first_shard_of(ranks.rank() + 1, ranks.size(), rows.shards);
  for (std::size_t shard = result.first_shard; shard < end; ++shard) {
    for (; next < order.size() && shard_of(rows.row[order[next]], rows.shards) == shard; ++next) {
      bytes.clear();
      format.put_row(rows.data, order[next], rows.row[order[next]], bytes);
      Bytes in(bytes);
      format.take_row(in, result);
    }
    result.shard_start.push_back(result.data.rows);
  }
  result.total_rows = sum_of(ranks, result.data.rows);
  return result;
}

}  // namespace

ShardedRows shard_rows(Dataset data, std::span<const Index> rows, std::uint64_t first_row,
                       std::size_t shards, Communicator& ranks) {
  const RowFormat format = RowFormat::of(data, ranks);
  ShardedRows dealt;
  dealt.shards = shards;
  dealt.data = without_rows(data, format);
  std::vector<std::vector<std::byte>> out(ranks.size());
  std::size_t next = 0;
  do {
    std::size_t bytes = 0;
    for (; next < rows.size() && bytes < kPieceBytes; ++next) {
      const std::uint64_t number = first_row + rows[next];
      auto& to = out[rank_of_shard(shard_of(number, shards), ranks.size(), shards)];
      const std::size_t before = to.size();
      format.put_row(data, next, number, to);
      bytes += to.size() - before;
    }
    GatheredBlocks blocks{{}, {0}};
    for (std::vector<std::byte>& to : out) {
      blocks.bytes.insert(blocks.bytes.end(), to.begin(), to.end());
      blocks.start.push_back(blocks.bytes.size());
      to.clear();
    }
    blocks = ranks.exchange(blocks);
    Bytes in(blocks.bytes);
    while (!in.empty()) format.take_row(in, dealt);
  } while (any_of(ranks, next < rows.size()));
  data = {};
  return sorted(dealt, format, ranks);
}

ShardedData prepare_sharded(const DataOptions& options, std::uint64_t seed, std::size_t shards,
                            Communicator& ranks) {
  if (shards < ranks.size()) {
    throw OptionError(
        fmt::format("shards = {} is less than the number of ranks, {}", shards, ranks.size()));
  }
  PreparedData data = prepare_data(options, seed, ranks);
  const auto deal = [&](Dataset& part, std::vector<Index>& rows, std::uint64_t first) {
    ShardedRows result = shard_rows(std::move(part), rows, first, shards, ranks);
    rows = {};
    return result;
  };
  ShardedData result{.preprocessor = std::move(data.preprocessor),
                     .train = deal(data.train, data.rows.train, data.first_rows[0]),
                     .valid = deal(data.valid, data.rows.valid, data.first_rows[1]),
                     .test = deal(data.test, data.rows.test, data.first_rows[2]),
                     .shares = data.shares,
                     .fingerprint = std::move(data.fingerprint),
                     .source = std::move(data.source),
                     .notes = std::move(data.notes)};
  return result;
}

}  // namespace adacvar
