#pragma once

#include "data/read_data.hpp"
#include "data/split.hpp"
#include "run/trained_model.hpp"

#include <span>
#include <string>

namespace adacvar {

/// Returns `options` with those that the fingerprint and the split of the training data depend on
/// as training had them.
[[nodiscard]] SourceOptions training_source(const TrainedModel& model, SourceOptions options);

/// Returns the model's split of its training data, read with `training_source`.
[[nodiscard]] Split training_split(const TrainedModel& model, const RawData& whole);

/// Whether `data`, a file of `raw_rows` rows, is the model's training data and some of `rows` are
/// not among its test rows. Reads the file again if the number of rows matches; standard input,
/// which cannot be read again, counts as new data.
[[nodiscard]] bool has_seen(const TrainedModel& model, const std::string& data,
                            const SourceOptions& source, std::size_t raw_rows,
                            std::span<const Index> rows);

}  // namespace adacvar
