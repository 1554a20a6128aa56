#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace adacvar::support {

/// Result of a program.
struct Outcome {
  int code = -1;  ///< exit code; 128 + number of the signal that ended it
  std::string out;
  std::string err;
  double peak_bytes = 0;  ///< most memory at a time; at least that of the test itself
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A program running in `folder`; its output goes to files there.
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                 std::filesystem::path folder)
      : folder_(std::move(folder)), process_(::fork()) {
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ == 0) become(program, arguments);
  }

  [[nodiscard]] pid_t process() const { return process_; }
  void send(int signal) const { ::kill(process_, signal); }
  [[nodiscard]] std::string printed_so_far() const { return content_of(folder_ / ".err"); }

  [[nodiscard]] Outcome wait() const {
    int status = 0;
    struct rusage usage {};
    if (::wait4(process_, &status, 0, &usage) != process_) throw std::runtime_error("cannot wait");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            content_of(folder_ / ".out"), content_of(folder_ / ".err"),
            1024 * static_cast<double>(usage.ru_maxrss)};
  }

 private:
  [[noreturn]] void become(const std::string& program,
                           const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const auto redirect = [](const char* name, int number) {
      const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
      return file >= 0 && ::dup2(file, number) == number;
    };
    if (::chdir(folder_.c_str()) == 0 && redirect(".out", 1) && redirect(".err", 2)) {
      ::execv(program.c_str(), pointers.data());
    }
    ::_exit(127);
  }

  std::filesystem::path folder_;
  pid_t process_;
};

inline Outcome run_program(const std::string& program, const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder) {
  return RunningProgram(program, arguments, folder).wait();
}

}  // namespace adacvar::support
