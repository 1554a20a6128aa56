#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace adacvar {

template <class T>
concept PlainNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Collects an object's state and writes it as one block: kind (8 bytes), version (u32), payload
/// length (u64), payload, CRC-32 of everything before it; little-endian. docs/file_formats.md has
/// the layout of every kind.
class StateWriter {
 public:
  StateWriter(std::string_view kind, std::uint32_t version) : kind_(kind), version_(version) {}

  template <PlainNumber T>
  void put(T value) {
    put_array(std::span<const T>(&value, 1));
  }
  template <PlainNumber T>
  void put_array(std::span<const T> values);

  /// Throws: DataError if writing fails.
  void write_to(std::ostream& out) const;

 private:
  std::string kind_;
  std::uint32_t version_;
  std::vector<char> payload_;
};

/// Reads a block back. The stream is untrusted: kind, version, length and checksum are checked
/// before any value is returned, and no count is trusted beyond the bytes present.
/// Throws: DataError if any check fails.
class StateReader {
 public:
  StateReader(std::istream& in, std::string_view kind, std::uint32_t version)
      : StateReader(in, kind, version, version) {}
  /// Any version from `oldest` to `newest`: see `version`.
  StateReader(std::istream& in, std::string_view kind, std::uint32_t oldest, std::uint32_t newest);

  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }

  template <PlainNumber T>
  [[nodiscard]] T get() {
    if constexpr (std::is_same_v<T, bool>) {
      return get_flag();
    } else {
      T value{};
      get_array(std::span<T>(&value, 1));
      return value;
    }
  }
  template <PlainNumber T>
  void get_array(std::span<T> values);

  /// Throws unless `holds`; for checks of the values themselves.
  void require(bool holds, std::string_view what) const;

  /// Bytes not yet read.
  [[nodiscard]] std::size_t remaining() const { return payload_.size() - position_; }

  /// Throws unless every byte was read.
  void finish() const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  bool get_flag();  // any other byte than 0 or 1 would be no bool
  const char* take(std::size_t bytes);

  std::string kind_;
  std::uint32_t version_ = 0;
  std::vector<char> payload_;
  std::size_t position_ = 0;
};

namespace detail {

template <class T>
void reverse_bytes_if_big_endian(char* bytes) {
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
  }
}

}  // namespace detail

template <PlainNumber T>
void StateWriter::put_array(std::span<const T> values) {
  const std::size_t start = payload_.size();
  payload_.resize(start + values.size_bytes());
  if (values.empty()) return;
  std::memcpy(payload_.data() + start, values.data(), values.size_bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    detail::reverse_bytes_if_big_endian<T>(payload_.data() + start + i * sizeof(T));
  }
}

template <PlainNumber T>
void StateReader::get_array(std::span<T> values) {
  static_assert(!std::is_same_v<T, bool>, "flags are read one by one");
  const char* source = take(values.size_bytes());
  if (values.empty()) return;
  std::memcpy(values.data(), source, values.size_bytes());
  for (T& value : values) detail::reverse_bytes_if_big_endian<T>(reinterpret_cast<char*>(&value));
}

}  // namespace adacvar
