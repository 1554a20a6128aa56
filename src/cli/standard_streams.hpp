#pragma once

#include <string_view>

namespace adacvar::cli {

/// Call this first. Opens /dev/null for closed standard streams: otherwise the next file would get
/// their number, and messages would be written into it. Writing to a closed pipe, or beyond the
/// limit on file sizes, fails from now on instead of ending the program.
void guard_streams();

/// Restores the signal handling; called before `exec`, so that the next program sees it unchanged.
void unguard_streams();

/// From now on nothing is printed: for all but one of the processes that run a command together.
void silence_streams() noexcept;

/// Thrown if the reader of standard output closed the pipe, unless SIGPIPE was ignored at the
/// start.
struct PipeClosed {};

/// Ends the program by SIGPIPE.
[[noreturn]] void end_by_closed_pipe();

/// Prints text to standard output. Throws: OptionError if that fails; PipeClosed.
void print_result(std::string_view text);

/// Prints text to standard error; other failures are ignored, but a closed pipe interrupts the work
/// like a signal (interrupt.hpp), unless SIGPIPE was ignored at the start. A closed terminal sends
/// its own signal; if that is ignored, the work continues.
void print_message(std::string_view text) noexcept;

}  // namespace adacvar::cli
