#pragma once

#include <adacvar/run/best.hpp>

#include <string>

namespace adacvar {

/// Formats the result of `best` for a terminal of 80 columns.
[[nodiscard]] std::string best_text(const BestReport& report);

/// Returns the JSON object of docs/file_formats.md, "What --json prints", in one line.
/// `model_path`: the model file, if it was written.
[[nodiscard]] std::string best_json(const BestReport& report, const std::string& model_path = {});

}  // namespace adacvar
