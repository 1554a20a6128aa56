#pragma once

#include <adacvar/base/error.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/train.hpp>
#include "learner/objective.hpp"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Progress of a training run.
struct LoopProgress {
  std::uint64_t steps = 0;
  std::vector<EpochRecord> history;  ///< one entry per epoch done
};

/// Returns `identity` with a fingerprint of the row weights, if there are any.
[[nodiscard]] std::string identity_with_weights(std::string identity,
                                                std::span<const double> training,
                                                std::span<const double> validation);

/// Returns `identity` with the limit that gamma follows, if there is one.
[[nodiscard]] std::string identity_with_limit(std::string identity, const TrainOptions& options);

inline constexpr std::string_view kCandidatesKind = "ACVRCAND";

/// Read a checkpoint of the run `identity`. Throws: DataError when it belongs to another run, or
/// for a stream that is truncated or altered.
void save_progress(std::ostream& out, const std::string& identity, const LoopProgress& progress);
[[nodiscard]] LoopProgress load_progress(std::istream& in, const std::string& identity);

void save_objective(std::ostream& out, const AnyObjective& objective);
void load_objective(std::istream& in, AnyObjective& objective);

void save_model_state(const LinearModel& model, std::ostream& out);
void load_model_state(LinearModel& model, std::istream& in);

/// Writes a checkpoint atomically.
void write_checkpoint(const std::filesystem::path& path, std::string_view bytes);

/// Reads a checkpoint; none if the file does not exist. Throws: DataError when it cannot be read.
[[nodiscard]] std::optional<std::istringstream> open_checkpoint(const std::filesystem::path& path);

/// Runs `call`; a DataError gets the name of the checkpoint.
template <class Call>
void with_source(const std::filesystem::path& path, Call call) {
  try {
    call();
  } catch (const DataError& error) {
    throw DataError(std::string("is not a checkpoint to resume from: ") + error.what(),
                    path.string());
  }
}

}  // namespace adacvar
