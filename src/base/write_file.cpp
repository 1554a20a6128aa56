#include "base/write_file.hpp"

#include "base/partial_file.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is POSIX's

#include <memory>
#include <system_error>
#include <vector>

namespace adacvar {

namespace {

template <class Action>
auto with_path_in_errors(const std::filesystem::path& path, const Action& action) {
  try {
    return action();
  } catch (const std::system_error& error) {
    throw OptionError(fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
  }
}

/// Delays the signals of this thread while it lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::unique_ptr<PartialFile> open_partial_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is a folder", path.string()));
  }
  // Renaming would replace a device such as /dev/null by a file.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is not a regular file", path.string()));
  }
  return with_path_in_errors(path, [&] { return std::make_unique<PartialFile>(path); });
}

}  // namespace

void check_writable(const std::filesystem::path& path) {
  const BlockedSignals blocked;  // one that ends the program would leave the file behind
  open_partial_file(path);
}

void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill) {
  const auto file = open_partial_file(path);
  fill([&](std::string_view text) { with_path_in_errors(path, [&] { file->write(text); }); });
  with_path_in_errors(path, [&] { file->commit(); });
}

void write_files(std::span<const FileContent> files) {
  std::vector<std::unique_ptr<PartialFile>> partial;
  for (const FileContent& file : files) {
    partial.push_back(open_partial_file(file.path));
    with_path_in_errors(file.path, [&] {
      partial.back()->write(file.bytes);
      partial.back()->flush();
    });
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    with_path_in_errors(files[i].path, [&] { partial[i]->commit(); });
  }
}

}  // namespace adacvar
