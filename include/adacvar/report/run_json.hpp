#pragma once

#include <adacvar/run/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// The object of docs/file_formats.md, "What --json prints", in one line; `model_path` where a
/// model was written. Several results: as compare_json.
[[nodiscard]] std::string run_json(const RunReport& report, const std::string& model_path = {});

/// A line of a trace.
[[nodiscard]] std::string trace_json(const TraceRecord& record);

/// One object with the list `runs`, an entry for every algorithm.
[[nodiscard]] std::string compare_json(const RunReport& report);

/// The same for several seeds, at least two: `runs` has an entry for every algorithm and seed, and
/// `repeats` what they come to. `notes` are those of all.
[[nodiscard]] std::string repeats_json(std::span<const RunReport> reports,
                                       const std::vector<std::string>& notes);

}  // namespace adacvar
