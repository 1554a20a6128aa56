#pragma once

#include "cli/option_list.hpp"

namespace adacvar::cli {

/// Throws OptionError, naming both options, when a file that the command would write is one that it
/// reads, or is to be written twice. Files are told apart by what they are, not by how they are
/// named: links and relative paths lead to the same one. Devices and pipes may be named repeatedly.
void refuse_overwriting(const OptionList& options);

}  // namespace adacvar::cli
