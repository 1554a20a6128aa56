#pragma once

#include "support/run_program.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace adacvar::support {

/// Runs a program whose standard error is a terminal of 100 columns; `err` is what it prints there.
inline Outcome run_on_terminal(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& folder) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    throw std::runtime_error("no terminal");
  }
  const std::string name = ::ptsname(terminal);
  const pid_t process = ::fork();
  if (process == 0) {
    const int screen = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    winsize size{};
    size.ws_col = 100;
    size.ws_row = 25;
    ::ioctl(screen, TIOCSWINSZ, &size);
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const bool is_ready = ::chdir(folder.c_str()) == 0;
    const int out = ::open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (is_ready && screen >= 0 && ::dup2(out, 1) == 1 && ::dup2(screen, 2) == 2) {
      ::execv(program.c_str(), pointers.data());
    }
    ::_exit(127);
  }
  Outcome outcome;
  std::array<char, 4096> buffer{};
  int status = 0;
  bool ended = false;
  // Reading fails while the other end is closed: before the program opens it, and at the end.
  for (;;) {
    const ssize_t count = ::read(terminal, buffer.data(), buffer.size());
    if (count > 0) {
      outcome.err.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (ended) {
      break;
    } else {
      ended = ::waitpid(process, &status, WNOHANG) == process;
      if (!ended) ::usleep(1000);
    }
  }
  ::close(terminal);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = content_of(folder / ".out");
  return outcome;
}

}  // namespace adacvar::support
