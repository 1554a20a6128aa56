#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace adacvar {

/// A file mapped into memory, read-only; a pipe or terminal is read to its end. Meant to be read
/// from front to back. Throws: DataError when the file cannot be opened or read, is a directory or
/// empty.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile() { unmap(); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept {
    return map_ != nullptr ? std::string_view(static_cast<const char*>(map_), size_) : piped_;
  }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  void unmap() noexcept;
  /// Releases the memory of all but the last `left` bytes; the pages are read again on access.
  void release_before(std::size_t left) noexcept;

 private:
  std::string source_;
  void* map_ = nullptr;
  std::size_t size_ = 0;
  std::size_t released_ = 0;
  std::string piped_;  // content of a pipe or terminal
};

/// The content of a file: mapped, or decompressed into memory when its first bytes are those of
/// gzip or xz.
/// Throws: DataError as MappedFile, and when an archive is damaged or ends early.
class FileBytes {
 public:
  /// `progress` is called during decompression: compressed bytes done and in total.
  explicit FileBytes(const std::filesystem::path& path,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

  [[nodiscard]] std::string_view text() const noexcept {
    return unpacked_.empty() ? file_.bytes() : std::string_view(unpacked_);
  }
  [[nodiscard]] const std::string& source() const noexcept { return file_.source(); }
  /// Releases the memory of the first `done` bytes of a mapped file, if possible.
  void release(std::size_t done) noexcept {
    if (unpacked_.empty()) file_.release_before(file_.bytes().size() - done);
  }

 private:
  MappedFile file_;
  std::string unpacked_;
};

/// True if the first bytes are those of gzip or xz. Throws: DataError as MappedFile.
[[nodiscard]] bool is_compressed(const std::filesystem::path& path);

/// The content of a file piece by piece, in memory that does not grow with the file.
class FileStream {
 public:
  explicit FileStream(const std::filesystem::path& path);
  ~FileStream();
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;
  FileStream(FileStream&&) = delete;
  FileStream& operator=(FileStream&&) = delete;

  /// Appends the next piece, at most a megabyte, to `text`; returns false at the end.
  bool append_to(std::string& text);
  /// Bytes of the file on disk that have been read; `total` is their number.
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] std::uint64_t total() const noexcept { return file_.bytes().size(); }
  [[nodiscard]] const std::string& source() const noexcept { return file_.source(); }

  class Unpacker;

 private:
  MappedFile file_;
  std::unique_ptr<Unpacker> unpacker_;
  bool done_ = false;
};

}  // namespace adacvar
