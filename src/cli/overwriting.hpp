#pragma once

#include "cli/option_list.hpp"

namespace adacvar::cli {

/// Throws OptionError, naming both options, if the command would write a file that it also reads or
/// write a file twice. Links and relative paths are resolved. Devices and pipes may be named
/// repeatedly.
void refuse_overwriting(const OptionList& options);

}  // namespace adacvar::cli
