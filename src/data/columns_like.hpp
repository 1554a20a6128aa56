#pragma once

#include "data/preprocess.hpp"
#include "data/read_data.hpp"
#include "data/read_table.hpp"

#include <string>
#include <vector>

namespace adacvar {

/// What the reader of text makes of the options of a source.
[[nodiscard]] ReadOptions read_options(const SourceOptions& options);

/// `options` for text that a model of `training` is used on: columns that were categories in
/// training are so, numbers are written as in training unless `options` has a decimal sign, only
/// the features and the columns of `also` are kept, and there may be no rows.
[[nodiscard]] ReadOptions columns_like(const Preprocessor& training, ReadOptions options,
                                       const std::vector<std::string>& also);

}  // namespace adacvar
