#pragma once

#include "data/preprocess.hpp"
#include "data/read_data.hpp"
#include "data/read_table.hpp"

#include <string>
#include <vector>

namespace adacvar {

/// Converts the options of a source to options for reading text.
[[nodiscard]] ReadOptions read_options(const SourceOptions& options);

/// Returns `options` adapted to text that a trained model is applied to: columns that were
/// categorical in training stay categorical, numbers have the format of training unless `options`
/// sets a decimal sign, only the features and `extra_columns` are kept, and a file without
/// rows is allowed.
[[nodiscard]] ReadOptions columns_like(const Preprocessor& training, ReadOptions options,
                                       const std::vector<std::string>& extra_columns);

}  // namespace adacvar
