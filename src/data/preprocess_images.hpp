#pragma once

#include "data/preprocess.hpp"

#include <string>
#include <string_view>

namespace adacvar {

/// Throws DataError `training was on <kind>, <these>` for data of another kind than in training.
[[noreturn]] void refuse_kind(const Preprocessor::Parts& parts, std::string_view these,
                              const std::string& source);

}  // namespace adacvar
