#pragma once

#include <string_view>

namespace adacvar::cli {

/// To be called first. A standard stream that is closed is opened, to nothing: otherwise the next
/// file would take its number, and messages would be written into that file. Writing to a pipe that
/// nobody reads, or beyond the limit on the size of files, fails from now on instead of ending the
/// program.
void guard_streams();

/// Before another program takes this one's place, which asks the same questions.
void unguard_streams();

/// Thrown when nobody reads standard output any more, unless the program was started to ignore
/// that.
struct ReaderGone {};

/// Ends the program as such a write ends others.
[[noreturn]] void end_by_closed_pipe();

/// Prints text to standard output, all of it. Throws: OptionError when that fails; ReaderGone.
void print_result(std::string_view text);

/// Prints text to standard error; if that takes nothing, there is nobody to be told. When the
/// reader of a pipe is gone, work that is under way ends as by a signal (interrupt.hpp), with the
/// same exception. A terminal that is gone has sent its signal; where that is ignored the work goes
/// on.
void print_message(std::string_view text) noexcept;

}  // namespace adacvar::cli
