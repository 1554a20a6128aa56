#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adacvar {

/// A value of a JSON file that others may have changed, and its place there. What is missing or of
/// another type is a DataError with that place: `is damaged: loss.tau is missing`. Keeps a
/// reference to the value.
class JsonView {
 public:
  explicit JsonView(const nlohmann::json& value, std::string place = {})
      : value_(value), place_(std::move(place)) {}

  [[nodiscard]] const nlohmann::json& raw() const noexcept { return value_; }

  /// The value of a key that must be there, or may be.
  [[nodiscard]] JsonView at(std::string_view key) const;
  [[nodiscard]] std::optional<JsonView> find(std::string_view key) const;
  /// The values of a list.
  [[nodiscard]] std::vector<JsonView> items() const;

  /// Texts, numbers, whole numbers from 0 on, true or false, and lists of them.
  template <class T>
  [[nodiscard]] T get() const {
    T value{};
    get_to(value);
    return value;
  }
  template <class T>
  [[nodiscard]] T value(std::string_view key, T otherwise) const {
    const std::optional<JsonView> found = find(key);
    return found ? found->get<T>() : otherwise;
  }
  void get_to(std::string& to) const;
  void get_to(double& to) const;
  void get_to(bool& to) const;
  void get_to(std::uint64_t& to) const;
  template <class T>
  void get_to(std::vector<T>& to) const {
    const std::size_t size = list_size();
    to.clear();
    to.reserve(size);
    for (std::size_t i = 0; i < size; ++i) to.push_back(item(i).get<T>());
  }

 private:
  /// Throws: DataError unless it is a list.
  [[nodiscard]] std::size_t list_size() const;
  /// An item of a list: its place is written out only for a message. Valid as long as the list.
  [[nodiscard]] JsonView item(std::size_t number) const;

  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string place_of(std::string_view key) const;
  void require(bool holds, std::string_view expected) const;

  const nlohmann::json& value_;
  std::string place_;
  const JsonView* list_ = nullptr;
  std::size_t number_ = 0;
};

/// A whole number from 0 on; nlohmann's own `get` would cut 1.5 and wrap -1 around.
/// Throws: DataError `epochs = -1 is not a whole number from 0 on`.
[[nodiscard]] std::uint64_t count_from_json(const JsonView& from, std::string_view name);

}  // namespace adacvar
