#include "base/json_view.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace adacvar {

namespace {

std::string_view kind_of(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a text";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
    case nlohmann::json::value_t::number_float:
      return "a number";
    case nlohmann::json::value_t::null:
    case nlohmann::json::value_t::binary:
    case nlohmann::json::value_t::discarded:
      break;
  }
  return "null";
}

}  // namespace

std::string JsonView::path() const {
  if (list_ != nullptr) return fmt::format("{}[{}]", list_->path(), number_);
  return path_.empty() ? "the file" : path_;
}

std::string JsonView::path_of(std::string_view key) const {
  const bool is_top = list_ == nullptr && path_.empty();
  return is_top ? std::string(key) : fmt::format("{}.{}", path(), key);
}

void JsonView::require(bool holds, std::string_view expected) const {
  if (holds) return;
  throw DataError(fmt::format("is damaged: {} is {}, not {}", path(), kind_of(value_), expected));
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  require(value_.is_object(), "an object");
  const auto found = value_.find(key);
  if (found == value_.end()) return std::nullopt;
  return JsonView(*found, path_of(key));
}

JsonView JsonView::at(std::string_view key) const {
  std::optional<JsonView> found = find(key);
  if (!found) throw DataError(fmt::format("is damaged: {} is missing", path_of(key)));
  return *std::move(found);
}

std::size_t JsonView::list_size() const {
  require(value_.is_array(), "a list");
  return value_.size();
}

JsonView JsonView::item(std::size_t number) const {
  JsonView view(value_[number]);
  view.list_ = this;
  view.number_ = number;
  return view;
}

std::vector<JsonView> JsonView::items() const {
  require(value_.is_array(), "a list");
  std::vector<JsonView> items;
  items.reserve(value_.size());
  for (std::size_t i = 0; i < value_.size(); ++i) {
    items.emplace_back(value_[i], fmt::format("{}[{}]", path(), i));
  }
  return items;
}

void JsonView::get_to(std::string& to) const {
  require(value_.is_string(), "a text");
  value_.get_to(to);
}

void JsonView::get_to(double& to) const {
  require(value_.is_number(), "a number");
  value_.get_to(to);
}

void JsonView::get_to(bool& to) const {
  require(value_.is_boolean(), "true or false");
  value_.get_to(to);
}

void JsonView::get_to(std::uint64_t& to) const {
  require(value_.is_number_unsigned(), "a non-negative integer");
  value_.get_to(to);
}

std::uint64_t count_from_json(const JsonView& from, std::string_view name) {
  const nlohmann::json& value = from.raw();
  if (!value.is_number_unsigned()) {
    throw DataError(fmt::format("{} = {} is not a non-negative integer", name,
                                value.is_number() ? value.dump() : value.type_name()));
  }
  return value.get<std::uint64_t>();
}

}  // namespace adacvar
