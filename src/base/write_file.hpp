#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace adacvar {

/// Throws OptionError, with the reason, unless a file can be written at `path`: its folder exists
/// and is writable, and `path` is not a folder or device. Leaves no file behind.
void check_writable(const std::filesystem::path& path);

using Write = std::function<void(std::string_view)>;

/// Writes a file atomically: what `fill` writes replaces an existing file only once all of it is on
/// disk. Throws: OptionError like check_writable and if writing fails; whatever `fill` throws.
void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill);

}  // namespace adacvar
