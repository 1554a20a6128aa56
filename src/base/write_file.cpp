#include "base/write_file.hpp"

#include "base/partial_file.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <memory>
#include <system_error>

namespace adacvar {

namespace {

std::unique_ptr<PartialFile> open_draft(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is a folder", path.string()));
  }
  // Its place would be taken by a file: /dev/null would be gone.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw OptionError(fmt::format("cannot write '{}': it is no regular file", path.string()));
  }
  try {
    return std::make_unique<PartialFile>(path);
  } catch (const std::system_error& error) {
    throw OptionError(fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
  }
}

}  // namespace

void check_writable(const std::filesystem::path& path) { open_draft(path); }

void write_file(const std::filesystem::path& path, const std::function<void(const Write&)>& fill) {
  const auto draft = open_draft(path);
  const auto on_disk = [&](const auto& action) {
    try {
      action();
    } catch (const std::system_error& error) {
      throw OptionError(
          fmt::format("cannot write '{}': {}", path.string(), error.code().message()));
    }
  };
  fill([&](std::string_view text) { on_disk([&] { draft->write(text); }); });
  on_disk([&] { draft->commit(); });
}

}  // namespace adacvar
