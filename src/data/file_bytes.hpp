#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace adacvar {

/// The content of a file: mapped, or decompressed into memory when its first bytes are those of
/// gzip or xz. Read only, from front to back.
/// Throws: DataError when the file cannot be opened, is a directory or empty, or when an archive
/// is damaged or ends early.
class FileBytes {
 public:
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  FileBytes(FileBytes&&) = delete;
  FileBytes& operator=(FileBytes&&) = delete;

  [[nodiscard]] std::string_view text() const noexcept {
    return unpacked_.empty() ? mapped() : std::string_view(unpacked_);
  }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }

 private:
  [[nodiscard]] std::string_view mapped() const noexcept {
    return {static_cast<const char*>(map_), size_};
  }
  void map();
  void unmap() noexcept;
  void unpack();

  std::string source_;
  void* map_ = nullptr;
  std::size_t size_ = 0;
  std::string unpacked_;
};

}  // namespace adacvar
