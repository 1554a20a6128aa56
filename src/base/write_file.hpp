#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace adacvar {

/// Throws OptionError, with the reason, unless a file can be written at `path`: its folder is there
/// and takes new files, and `path` itself is no folder or device. Leaves nothing behind.
void check_writable(const std::filesystem::path& path);

using Write = std::function<void(std::string_view)>;

/// Writes a file as a whole or not at all: what `fill` writes takes the place of an older file only
/// when all of it is on disk.
/// Throws: OptionError as check_writable and when writing fails; whatever `fill` throws.
void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill);

}  // namespace adacvar
