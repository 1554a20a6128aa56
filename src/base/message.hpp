#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace adacvar {

/// Collects values as bytes, to be sent to ranks on machines of the same kind.
class MessageWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_array(std::span<const T>(&value, 1)); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_array(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  void clear() noexcept { bytes_.clear(); }
  /// Appends zeros up to this number of bytes.
  void fill_up(std::size_t size) {
    assert(bytes_.size() <= size);
    bytes_.resize(size);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads the values of a message in the order in which they were put.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] T get() {
    T value{};
    get_array(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get_array(std::span<T> values) {
    assert(values.size_bytes() <= left_.size());
    if (!values.empty()) std::memcpy(values.data(), left_.data(), values.size_bytes());
    left_ = left_.subspan(values.size_bytes());
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace adacvar
