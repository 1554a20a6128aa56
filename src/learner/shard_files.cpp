#include "learner/shard_files.hpp"

#include <adacvar/base/error.hpp>

#include "base/state_stream.hpp"
#include "base/write_file.hpp"
#include "data/sharded_rows.hpp"
#include "learner/checkpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace adacvar {

namespace {

constexpr std::string_view kShardKind = "ACVRSHRD";

std::string part_prefix(const ShardFiles& files) {
  return files.checkpoint.filename().string() + ".part-";
}

// Before the bytes of a shard, so that a rank can pass over those of others.
struct ShardHeader {
  std::uint64_t epoch = 0;
  std::uint64_t shard = 0;
  std::uint64_t bytes = 0;
};

void put_header(std::ostream& out, const ShardHeader& header) {
  StateWriter writer(kShardKind, 1);
  writer.put(header.epoch);
  writer.put(header.shard);
  writer.put(header.bytes);
  writer.write_to(out);
}

// Bytes of the shard that the file must have next.
std::uint64_t get_header(std::istream& in, const ShardFiles& files, std::uint64_t shard) {
  StateReader reader(in, kShardKind, 1);
  const auto epoch = reader.get<std::uint64_t>();
  const auto number = reader.get<std::uint64_t>();
  const auto bytes = reader.get<std::uint64_t>();
  reader.finish();
  reader.require(epoch == files.epoch && number == shard, "it belongs to another checkpoint");
  reader.require(bytes <= static_cast<std::uint64_t>(std::numeric_limits<std::streamoff>::max()),
                 "a length is out of range");
  return bytes;
}

void read_part(const ShardFiles& files, std::size_t rank, const ShardLayout& layout,
               const std::function<void(std::size_t own, std::istream& in)>& load) {
  const std::size_t begin = first_shard_of(rank, files.ranks, layout.shards());
  const std::size_t end = first_shard_of(rank + 1, files.ranks, layout.shards());
  const std::size_t own_end = std::min(end, layout.first + layout.own());
  if (std::max(begin, layout.first) >= own_end) return;
  const std::filesystem::path path = files.part(rank);
  with_source(path, [&] {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw DataError("cannot be read: all ranks must see the files of the checkpoint");
    for (std::size_t shard = begin; shard < own_end; ++shard) {
      const std::uint64_t bytes = get_header(in, files, shard);
      if (layout.owns(shard)) {
        load(shard - layout.first, in);
      } else {
        in.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
      }
    }
  });
}

}  // namespace

std::filesystem::path ShardFiles::part(std::size_t rank) const {
  std::filesystem::path path = checkpoint;
  path.replace_filename(fmt::format("{}{}-{}", part_prefix(*this), epoch, rank));
  return path;
}

void write_shards(const ShardFiles& files, std::size_t rank, const ShardLayout& layout,
                  const std::function<void(std::size_t own, std::ostream& out)>& save) {
  write_file(files.part(rank), [&](const Write& write) {
    for (std::size_t own = 0; own < layout.own(); ++own) {
      std::ostringstream state;
      save(own, state);
      std::ostringstream header;
      put_header(header,
                 {.epoch = files.epoch, .shard = layout.first + own, .bytes = state.view().size()});
      write(header.view());
      write(state.view());
    }
  });
}

void read_shards(const ShardFiles& files, const ShardLayout& layout,
                 const std::function<void(std::size_t own, std::istream& in)>& load) {
  for (std::size_t rank = 0; rank < files.ranks; ++rank) read_part(files, rank, layout, load);
}

void remove_older(const ShardFiles& files) noexcept {
  const std::string prefix = part_prefix(files);
  const std::string current = prefix + std::to_string(files.epoch) + "-";
  std::error_code error;
  const std::filesystem::path folder = files.checkpoint.parent_path();
  std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, error);
  std::vector<std::filesystem::path> older;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && !name.starts_with(current)) older.push_back(entry.path());
  }
  for (const std::filesystem::path& path : older) std::filesystem::remove(path, error);
}

}  // namespace adacvar
