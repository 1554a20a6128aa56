#include "cli/standard_streams.hpp"

#include "cli/interrupt.hpp"

#include <adacvar/base/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace adacvar::cli {

namespace {

// Opens /dev/null in a mode in which reading or writing still fails.
void open_if_closed(int stream, int mode) {
  if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) return;
  const int file = ::open("/dev/null", mode);
  if (file < 0 || file == stream) return;
  ::dup2(file, stream);
  ::close(file);
}

// Whether SIGPIPE was ignored at the start: then a closed pipe does not end the program.
bool ignores_pipes = false;

bool is_silent = false;

bool write_all(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
         std::fflush(stream) == 0;
}

}  // namespace

void guard_streams() {
  open_if_closed(STDIN_FILENO, O_WRONLY);
  open_if_closed(STDOUT_FILENO, O_RDONLY);
  open_if_closed(STDERR_FILENO, O_RDONLY);
  ignores_pipes = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  std::signal(SIGXFSZ, SIG_IGN);
}

void unguard_streams() {
  if (!ignores_pipes) std::signal(SIGPIPE, SIG_DFL);
}

void end_by_closed_pipe() { end_by_signal(SIGPIPE); }

void silence_streams() noexcept { is_silent = true; }

void print_result(std::string_view text) {
  if (is_silent) return;
  if (write_all(stdout, text)) return;
  if (errno == EPIPE && !ignores_pipes) throw PipeClosed{};
  throw OptionError("cannot write to standard output: " + std::generic_category().message(errno));
}

void print_message(std::string_view text) noexcept {
  if (is_silent) return;
  if (write_all(stderr, text)) return;
  if (errno == EPIPE && !ignores_pipes) interrupt_by(SIGPIPE);
}

}  // namespace adacvar::cli
