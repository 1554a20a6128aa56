#pragma once

#include <adacvar/run/evaluate.hpp>

#include <string>

namespace adacvar {

/// Formats an evaluation for a terminal of 80 columns.
[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation);

/// Returns the JSON object of docs/file_formats.md, "What --json prints", in one line.
[[nodiscard]] std::string evaluation_json(const Evaluation& evaluation);

}  // namespace adacvar
