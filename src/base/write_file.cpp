#include "base/write_file.hpp"

#include "base/partial_file.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <memory>
#include <system_error>

namespace adacvar {

namespace {

std::unique_ptr<PartialFile> open_partial_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is a folder", path.string()));
  }
  // Renaming would replace a device such as /dev/null by a file.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is not a regular file", path.string()));
  }
  try {
    return std::make_unique<PartialFile>(path);
  } catch (const std::system_error& error) {
    throw OptionError(fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
  }
}

}  // namespace

void check_writable(const std::filesystem::path& path) { open_partial_file(path); }

void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill) {
  const auto file = open_partial_file(path);
  const auto translate_errors = [&](const auto& action) {
    try {
      action();
    } catch (const std::system_error& error) {
      throw OptionError(
          fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
    }
  };
  fill([&](std::string_view text) { translate_errors([&] { file->write(text); }); });
  translate_errors([&] { file->commit(); });
}

}  // namespace adacvar
