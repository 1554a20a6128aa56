#include "base/partial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

namespace adacvar {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), what + (" " + path.string()));
}

}  // namespace

PartialFile::PartialFile(fs::path destination, Folders folders)
    : destination_(std::move(destination)) {
  try {
    if (folders == Folders::created) create_folders();
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

// Not mkstemp, which ignores the umask and makes the file private to its owner.
void PartialFile::open() {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    fs::path path = destination_;
    path += ".part-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
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

void PartialFile::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot write", path_);
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
