#include "data/preprocess_json.hpp"

#include "base/join.hpp"
#include "base/json_view.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

using nlohmann::json;

constexpr std::uint64_t kVersion = 1;
constexpr std::array<std::string_view, 3> kTaskNames = {"regression", "binary", "multiclass"};

Task read_task(const std::string& name) {
  for (std::size_t i = 0; i < kTaskNames.size(); ++i) {
    if (kTaskNames[i] == name) return static_cast<Task>(i);
  }
  throw DataError(fmt::format("task '{}' is not one of: {}", name, join(kTaskNames, ", ")));
}

// Omitted for plain numbers.
void write_format(const NumberFormat& format, std::string_view key, json& to) {
  if (format == NumberFormat{}) return;
  to[std::string(key)] = {{"decimal", std::string(1, format.decimal)},
                          {"mark", format.mark},
                          {"grouped", format.grouped}};
}

NumberFormat read_format(const JsonView& from, std::string_view key) {
  const auto found = from.find(key);
  if (!found) return {};
  const auto decimal = found->at("decimal").get<std::string>();
  if (decimal != "." && decimal != ",") {
    throw DataError(fmt::format("decimal '{}' is not one of: '.', ','", decimal));
  }
  return {decimal[0], found->at("mark").get<std::string>(), found->at("grouped").get<bool>()};
}

json write_column(const ColumnTransform& column) {
  json result;
  if (column.categorical) {
    result = {{"name", column.name},
              {"kind", "categorical"},
              {"levels", column.levels},
              {"missing_level", column.missing_level}};
  } else {
    result = {{"name", column.name},
              {"kind", "numeric"},
              {"mean", column.mean},
              {"scale", column.scale},
              {"fill", column.fill}};
    write_format(column.format, "format", result);
  }
  if (column.for_trees) result["for_trees"] = true;
  return result;
}

ColumnTransform read_column(const JsonView& from) {
  ColumnTransform column;
  from.at("name").get_to(column.name);
  const auto kind = from.at("kind").get<std::string>();
  if (kind != "categorical" && kind != "numeric") {
    throw DataError(fmt::format("kind '{}' is not one of: numeric, categorical", kind));
  }
  column.categorical = kind == "categorical";
  if (column.categorical) {
    from.at("levels").get_to(column.levels);
    from.at("missing_level").get_to(column.missing_level);
  } else {
    from.at("mean").get_to(column.mean);
    from.at("scale").get_to(column.scale);
    from.at("fill").get_to(column.fill);
    column.format = read_format(from, "format");
  }
  column.for_trees = from.value("for_trees", false);
  return column;
}

json write_prediction(const PredictionTransform& prediction) {
  json result = {{"column", prediction.name},
                 {"scale", kPredictionScaleNames.of(prediction.scale)},
                 {"positive", prediction.positive},
                 {"mean", prediction.mean},
                 {"sd", prediction.sd},
                 {"square_mean", prediction.square_mean},
                 {"square_sd", prediction.square_sd},
                 {"clip", prediction.clip},
                 {"features_left_out", prediction.features_left_out}};
  write_format(prediction.format, "format", result);
  return result;
}

// A plain get would truncate large or negative values.
template <class Number>
Number read_count(const JsonView& from, std::string_view what) {
  const json& value = from.raw();
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::numeric_limits<Number>::max()) {
    throw DataError(fmt::format("{} {} is not a valid number", what,
                                value.is_number() ? value.dump() : value.type_name()));
  }
  return value.get<Number>();
}

PredictionTransform read_prediction(const JsonView& from) {
  PredictionTransform prediction;
  from.at("column").get_to(prediction.name);
  const auto scale = from.at("scale").get<std::string>();
  const auto found = std::ranges::find(kPredictionScaleNames.names, scale);
  if (found == kPredictionScaleNames.names.end() || found == kPredictionScaleNames.names.begin()) {
    throw DataError(fmt::format("scale '{}' is not one of: value, probability, logit", scale));
  }
  prediction.scale = static_cast<PredictionScale>(found - kPredictionScaleNames.names.begin());
  prediction.positive = read_count<std::uint8_t>(from.at("positive"), "positive");
  from.at("mean").get_to(prediction.mean);
  from.at("sd").get_to(prediction.sd);
  from.at("square_mean").get_to(prediction.square_mean);
  from.at("square_sd").get_to(prediction.square_sd);
  from.at("clip").get_to(prediction.clip);
  prediction.features_left_out =
      read_count<std::uint32_t>(from.at("features_left_out"), "features_left_out");
  prediction.format = read_format(from, "format");
  return prediction;
}

void read_image(const JsonView& from, Preprocessor::Parts& parts) {
  parts.image.channels = read_count<std::uint16_t>(from.at("channels"), "channels");
  parts.image.height = read_count<std::uint16_t>(from.at("height"), "height");
  parts.image.width = read_count<std::uint16_t>(from.at("width"), "width");
  from.at("means").get_to(parts.channel_means);
  from.at("scales").get_to(parts.channel_scales);
  for (const JsonView& label : from.at("labels").items()) {
    parts.labels.push_back(read_count<std::uint8_t>(label, "label"));
  }
}

json write_image(const Preprocessor::Parts& parts) {
  return {{"channels", parts.image.channels}, {"height", parts.image.height},
          {"width", parts.image.width},       {"means", parts.channel_means},
          {"scales", parts.channel_scales},   {"labels", parts.labels}};
}

Preprocessor::Parts read_parts(const JsonView& from) {
  const auto version = count_from_json(from.at("version"), "version");
  if (version != kVersion) {
    throw DataError(
        fmt::format("preprocessing has version {}, this program reads {}", version, kVersion));
  }
  Preprocessor::Parts parts;
  from.at("target").get_to(parts.target);
  parts.task = read_task(from.at("task").get<std::string>());
  from.at("target_mean").get_to(parts.target_mean);
  from.at("target_sd").get_to(parts.target_sd);
  from.at("classes").get_to(parts.class_names);
  from.at("dropped").get_to(parts.dropped);
  if (const auto identifiers = from.find("identifiers")) identifiers->get_to(parts.identifiers);
  if (const auto weight = from.find("weight")) weight->get_to(parts.weight);
  parts.target_format = read_format(from, "target_format");
  parts.sparse_categories = from.value("sparse_categories", false);
  for (const JsonView& column : from.at("columns").items())
    parts.columns.push_back(read_column(column));
  if (const auto inputs = from.find("inputs")) {
    inputs->get_to(parts.inputs);
  } else if (parts.dropped.empty()) {
    for (const ColumnTransform& column : parts.columns) parts.inputs.push_back(column.name);
  }
  if (const auto sparse = from.find("sparse")) {
    parts.sparse = true;
    for (const JsonView& item : sparse->at("columns").items()) {
      const json& column = item.raw();
      // A plain get would truncate large or negative values.
      if (!column.is_number_unsigned() || column.get<std::uint64_t>() >= kMissingLevel) {
        // A list is not printed: it may be nested too deeply for the stack.
        throw DataError(fmt::format("sparse column {} is not a column index",
                                    column.is_number() ? column.dump() : column.type_name()));
      }
      parts.sparse_columns.push_back(column.get<std::uint32_t>());
    }
    sparse->at("scales").get_to(parts.sparse_scales);
    if (const auto width = sparse->find("width")) {
      parts.sparse_width = read_count<std::uint32_t>(*width, "width");
    }
  }
  if (const auto image = from.find("image")) read_image(*image, parts);
  if (const auto prediction = from.find("prediction")) {
    parts.prediction = read_prediction(*prediction);
  }
  return parts;
}

}  // namespace

std::string_view task_name(Task task) { return kTaskNames.at(static_cast<std::size_t>(task)); }

json to_json(const Preprocessor& preprocessor) {
  const Preprocessor::Parts& parts = preprocessor.parts();
  json result = {{"version", kVersion},           {"target", parts.target},
                 {"task", task_name(parts.task)}, {"target_mean", parts.target_mean},
                 {"target_sd", parts.target_sd},  {"classes", parts.class_names},
                 {"dropped", parts.dropped},      {"columns", json::array()}};
  for (const ColumnTransform& column : parts.columns) {
    result["columns"].push_back(write_column(column));
  }
  if (!parts.identifiers.empty()) result["identifiers"] = parts.identifiers;
  if (!parts.weight.empty()) result["weight"] = parts.weight;
  if (!parts.dropped.empty() || !parts.identifiers.empty() || parts.prediction) {
    result["inputs"] = parts.inputs;
  }
  if (parts.prediction) result["prediction"] = write_prediction(*parts.prediction);
  write_format(parts.target_format, "target_format", result);
  if (parts.sparse_categories) result["sparse_categories"] = true;
  if (parts.sparse) {
    result["sparse"] = {{"columns", parts.sparse_columns}, {"scales", parts.sparse_scales}};
    if (parts.sparse_width > 0) result["sparse"]["width"] = parts.sparse_width;
  }
  if (parts.image.size() > 0) result["image"] = write_image(parts);
  return result;
}

Preprocessor preprocessor_from_json(const json& json, const std::string& source) {
  try {
    return Preprocessor(read_parts(JsonView(json, "preprocessing")));
  } catch (const DataError& error) {
    throw DataError(error.what(), source);
  }
}

}  // namespace adacvar
