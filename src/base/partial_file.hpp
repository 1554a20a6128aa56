#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace adacvar {

/// A file under way to `destination`: written under a name of its own in the same folder and put in
/// place by `commit` in one step, so nobody ever sees half of it. Without `commit` it is gone with
/// this object, and so are the folders that were made for it, where that is asked for.
/// Throws: std::system_error when a folder or file cannot be made, written or put in place.
class PartialFile {
 public:
  enum class Folders : bool { must_exist, are_made };

  explicit PartialFile(std::filesystem::path destination, Folders folders = Folders::must_exist);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  PartialFile(PartialFile&&) = delete;
  PartialFile& operator=(PartialFile&&) = delete;

  void write(std::string_view bytes);

  /// The bytes reach the disk, then the name; a file that was there is replaced.
  void commit();

 private:
  void make_folders();
  void open();
  void close() noexcept;
  void discard() noexcept;

  std::filesystem::path destination_;
  std::filesystem::path path_;  // empty: no file to remove
  std::vector<std::filesystem::path> new_folders_;
  int descriptor_ = -1;
};

}  // namespace adacvar
