#include "base/partial_file.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX's
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

namespace adacvar {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".part-";

/// Returns the process of a partial file of `destination`, named as in PartialFile::open; 0 for any
/// other file.
pid_t writer_of(std::string_view name, const std::string& destination) {
  const std::string start = destination + std::string(kSuffix);
  if (!name.starts_with(start)) return 0;
  name.remove_prefix(start.size());
  pid_t process = 0;
  unsigned attempt = 0;
  const char* const begin = name.data();
  const char* const end = begin + name.size();
  const auto first = std::from_chars(begin, end, process);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, attempt);
  return second.ec == std::errc{} && second.ptr == end && process > 0 ? process : 0;
}

bool is_running(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

[[noreturn]] void fail(const char* what, const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), what + (" " + path.string()));
}

}  // namespace

PartialFile::PartialFile(fs::path destination, Folders folders)
    : destination_(std::move(destination)) {
  try {
    if (folders == Folders::created) create_folders();
    remove_left_behind();
    open();
  } catch (...) {
    discard();  // the destructor does not run when the constructor throws
    throw;
  }
}

PartialFile::~PartialFile() { discard(); }

void PartialFile::create_folders() {
  std::vector<fs::path> missing;
  for (fs::path folder = fs::absolute(destination_).parent_path(); !fs::exists(folder);
       folder = folder.parent_path()) {
    missing.push_back(folder);
  }
  for (const fs::path& folder : std::views::reverse(missing)) {
    // False: another process created it in the meantime, so it is not ours to remove.
    if (fs::create_directory(folder)) new_folders_.push_back(folder);
  }
}

// A folder that cannot be listed, or a file that cannot be removed, does not keep this one from
// being written.
void PartialFile::remove_left_behind() const noexcept {
  std::error_code ignored;
  const std::string name = destination_.filename().string();
  const fs::path parent = destination_.parent_path();
  fs::directory_iterator entry(parent.empty() ? fs::path(".") : parent, ignored);
  for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
    const pid_t writer = writer_of(entry->path().filename().string(), name);
    std::error_code not_removed;
    if (writer > 0 && !is_running(writer)) fs::remove(entry->path(), not_removed);
  }
}

// Not mkstemp, which ignores the umask and makes the file private to its owner.
void PartialFile::open() {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    fs::path path = destination_;
    path += std::string(kSuffix) + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      path_ = std::move(path);
    } else if (errno != EEXIST) {
      fail("cannot create", path);
    }
  }
}

void PartialFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail("cannot write", path_);
    }
  }
}

void PartialFile::flush() {
  if (::fsync(descriptor_) != 0) fail("cannot write", path_);
}

void PartialFile::commit() {
  flush();
  close();
  fs::rename(path_, destination_);
  path_.clear();
  new_folders_.clear();
}

void PartialFile::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void PartialFile::discard() noexcept {
  close();
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
  // Innermost first; a folder that is no longer empty stays.
  for (const fs::path& folder : std::views::reverse(new_folders_)) fs::remove(folder, ignored);
}

}  // namespace adacvar
