#pragma once

#include <adacvar/run/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Returns the JSON object of docs/file_formats.md, "What --json prints", in one line; for several
/// results, that of compare_json. `model_path` is the model file, if one was written.
[[nodiscard]] std::string run_json(const RunReport& report, const std::string& model_path = {});

/// Returns one line of a trace.
[[nodiscard]] std::string trace_json(const TraceRecord& record);

/// Returns an object with the list `runs`, one entry per algorithm. `model_paths` are the model
/// files, one per result, empty where none was written.
[[nodiscard]] std::string compare_json(const RunReport& report,
                                       std::span<const std::string> model_paths = {});

/// Returns the object for two or more seeds: `runs` has one entry per algorithm and seed, `repeats`
/// summarises them. `notes` are those of all seeds, `model_paths` the model files of all runs.
/// Coefficients are left out: model files have them.
[[nodiscard]] std::string repeats_json(std::span<const RunReport> reports,
                                       const std::vector<std::string>& notes,
                                       std::span<const std::string> model_paths = {});

}  // namespace adacvar
