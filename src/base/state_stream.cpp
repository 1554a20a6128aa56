#include "base/state_stream.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>

namespace adacvar {

namespace {

constexpr std::size_t kKindBytes = 8;
constexpr std::size_t kHeaderBytes = kKindBytes + 4 + 8;
using Header = std::array<char, kHeaderBytes>;

std::uint32_t checksum(const Header& header, std::span<const char> payload) {
  uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
  // For a null pointer, which an empty vector may have, zlib returns the initial checksum.
  if (!payload.empty()) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(payload.data()), payload.size());
  }
  return static_cast<std::uint32_t>(sum);
}

template <class T>
void store(char* bytes, T value) {
  std::memcpy(bytes, &value, sizeof(T));
  detail::reverse_bytes_if_big_endian<T>(bytes);
}

template <class T>
T fetch(const char* bytes) {
  std::array<char, sizeof(T)> copy{};
  std::copy_n(bytes, sizeof(T), copy.begin());
  detail::reverse_bytes_if_big_endian<T>(copy.data());
  return std::bit_cast<T>(copy);
}

// Grows as bytes arrive, so that a forged length cannot allocate more than was sent.
std::vector<char> read_payload(std::istream& in, std::uint64_t length) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20U;
  std::vector<char> payload;
  while (payload.size() < length) {
    const std::size_t start = payload.size();
    const auto step =
        static_cast<std::size_t>(std::min(length - start, std::max<std::uint64_t>(kStep, start)));
    payload.resize(start + step);
    in.read(payload.data() + start, static_cast<std::streamsize>(step));
    if (!in) return {};
  }
  return payload;
}

}  // namespace

void StateWriter::write_to(std::ostream& out) const {
  Header header{};
  std::copy_n(kind_.begin(), std::min(kind_.size(), kKindBytes), header.begin());
  store(header.data() + kKindBytes, version_);
  store(header.data() + kKindBytes + 4, static_cast<std::uint64_t>(payload_.size()));
  std::array<char, 4> sum{};
  store(sum.data(), checksum(header, payload_));
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  out.write(payload_.data(), static_cast<std::streamsize>(payload_.size()));
  out.write(sum.data(), static_cast<std::streamsize>(sum.size()));
  if (!out) throw DataError(fmt::format("the {} state could not be written to the stream", kind_));
}

StateReader::StateReader(std::istream& in, std::string_view kind, std::uint32_t oldest,
                         std::uint32_t newest)
    : kind_(kind) {
  Header header{};
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (!in) refuse(fmt::format("it ends after {} of {} header bytes", in.gcount(), header.size()));
  Header expected{};
  std::copy_n(kind.begin(), std::min(kind.size(), kKindBytes), expected.begin());
  if (!std::equal(header.begin(), header.begin() + kKindBytes, expected.begin())) {
    refuse("it does not begin as one");
  }
  version_ = fetch<std::uint32_t>(header.data() + kKindBytes);
  if (version_ < oldest || version_ > newest) {
    const std::string readable =
        oldest == newest ? fmt::format("{}", newest) : fmt::format("{} to {}", oldest, newest);
    refuse(fmt::format("its version is {}, this library reads version {}", version_, readable));
  }
  const auto length = fetch<std::uint64_t>(header.data() + kKindBytes + 4);
  payload_ = read_payload(in, length);
  if (payload_.size() != length) refuse(fmt::format("it ends before its {} bytes", length));
  std::array<char, 4> sum{};
  in.read(sum.data(), static_cast<std::streamsize>(sum.size()));
  if (!in) refuse("it ends before its checksum");
  if (fetch<std::uint32_t>(sum.data()) != checksum(header, payload_)) {
    refuse("its checksum does not match: it was altered");
  }
}

void StateReader::require(bool holds, std::string_view what) const {
  if (!holds) refuse(std::string(what));
}

void StateReader::finish() const {
  if (remaining() != 0) refuse(fmt::format("{} bytes are left over", remaining()));
}

void StateReader::refuse(const std::string& why) const {
  throw DataError(fmt::format("not a usable {} state: {}", kind_, why));
}

bool StateReader::get_flag() {
  const auto byte = get<unsigned char>();
  require(byte <= 1, "a flag is neither 0 nor 1");
  return byte == 1;
}

const char* StateReader::take(std::size_t bytes) {
  if (bytes > remaining()) refuse(fmt::format("{} bytes wanted, {} left", bytes, remaining()));
  const char* start = payload_.data() + position_;
  position_ += bytes;
  return start;
}

}  // namespace adacvar
