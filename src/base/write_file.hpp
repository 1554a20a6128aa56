#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// Throws OptionError, with the reason, unless a file can be written at `path`: its folder exists
/// and is writable, and `path` is not a folder or device. Leaves no file behind.
void check_writable(const std::filesystem::path& path);

using Write = std::function<void(std::string_view)>;

/// Writes a file atomically: what `fill` writes replaces an existing file only once all of it is on
/// disk. Throws: OptionError like check_writable and if writing fails; whatever `fill` throws.
void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill);

struct FileContent {
  std::filesystem::path path;
  std::string bytes;
};

/// Writes files that belong together: none replaces an existing one before all are on disk, so that
/// a full disk leaves all of the old ones. Throws: OptionError like `write_file`.
void write_files(std::span<const FileContent> files);

}  // namespace adacvar
