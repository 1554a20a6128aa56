#pragma once

#include <adacvar/run/correct.hpp>

#include <string>

namespace adacvar {

/// Says in a sentence whether the predictions were corrected, and why.
[[nodiscard]] std::string choice_text(const Correction& correction);

/// Formats a correction for a terminal of 80 columns.
[[nodiscard]] std::string correction_text(const Correction& correction);

/// Returns the JSON object of docs/file_formats.md, "What --json prints", in one line.
/// `model_path`: the model file, if it was written.
[[nodiscard]] std::string correction_json(const Correction& correction,
                                          const std::string& model_path = {});

}  // namespace adacvar
