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

/// An untrusted JSON value and its path in the file. A missing value or one of the wrong type is a
/// DataError that names the path: `is damaged: loss.tau is missing`. Keeps a reference to the
/// value.
class JsonView {
 public:
  explicit JsonView(const nlohmann::json& value, std::string path = {})
      : value_(value), path_(std::move(path)) {}

  [[nodiscard]] const nlohmann::json& raw() const noexcept { return value_; }

  /// The value of a required (`at`) or optional (`find`) key.
  [[nodiscard]] JsonView at(std::string_view key) const;
  [[nodiscard]] std::optional<JsonView> find(std::string_view key) const;
  /// The values of a list.
  [[nodiscard]] std::vector<JsonView> items() const;

  /// Reads a text, number, non-negative integer, boolean or a list of them.
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
  /// An item of a list, valid as long as the list; its path is built only for a message.
  [[nodiscard]] JsonView item(std::size_t number) const;

  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  void require(bool holds, std::string_view expected) const;

  const nlohmann::json& value_;
  std::string path_;
  const JsonView* list_ = nullptr;
  std::size_t number_ = 0;
};

/// Reads a non-negative integer; nlohmann's own `get` would truncate 1.5 and wrap -1 around.
/// Throws: DataError `epochs = -1 is not a non-negative integer`.
[[nodiscard]] std::uint64_t count_from_json(const JsonView& from, std::string_view name);

}  // namespace adacvar
