#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace adacvar {

/// A file written under a temporary name in the folder of `destination` and renamed by `commit`, so
/// that a partial file is never visible. Without `commit` the destructor removes it and the folders
/// created for it (`Folders::created`). Partial files of the same destination that a process left
/// behind when it was killed are removed.
/// Throws: std::system_error if a folder or file cannot be created, written or renamed.
class PartialFile {
 public:
  enum class Folders : bool { must_exist, created };

  explicit PartialFile(std::filesystem::path destination, Folders folders = Folders::must_exist);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  PartialFile(PartialFile&&) = delete;
  PartialFile& operator=(PartialFile&&) = delete;

  void write(std::string_view bytes);

  /// Waits until the bytes are on disk.
  void flush();

  /// Flushes the bytes to disk, then renames the file; an existing file is replaced.
  void commit();

 private:
  void create_folders();
  void remove_left_behind() const noexcept;
  void open();
  void close() noexcept;
  void discard() noexcept;

  std::filesystem::path destination_;
  std::filesystem::path path_;  // empty: no file to remove
  std::vector<std::filesystem::path> new_folders_;
  int descriptor_ = -1;
};

}  // namespace adacvar
