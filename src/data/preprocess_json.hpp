#pragma once

#include "data/preprocess.hpp"

#include <nlohmann/json_fwd.hpp>

namespace adacvar {

/// Names of the tasks in files and options, in the order of Task.
[[nodiscard]] std::string_view task_name(Task task);

/// Returns the JSON described in docs/file_formats.md, "Preprocessing".
[[nodiscard]] nlohmann::json to_json(const Preprocessor& preprocessor);

/// Throws: DataError, with `source`, for an unknown version, a missing or invalid key, or
/// inconsistent values.
[[nodiscard]] Preprocessor preprocessor_from_json(const nlohmann::json& json,
                                                  const std::string& source = {});

}  // namespace adacvar
