#pragma once

#include "cli/download.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

struct FetchOptions {
  std::filesystem::path folder = {};  ///< empty: `data_folder`
  /// Base URL used instead of the original sources: <mirror>/<path inside the data folder>.
  std::string mirror = {};
  bool force = false;  ///< replace existing files with a wrong checksum
  FetchObserver progress = {};
};

struct FetchedFile {
  std::filesystem::path path;
  bool already_there = false;
};

/// Downloads the files of a named set into the data folder and verifies their checksums. Existing
/// files, compressed or not, are verified and kept; this happens before the first download. If a
/// download fails, the files downloaded before it stay.
/// Throws: OptionError for an unknown name or a mirror that is not http or https; DataError if an
/// existing file has a wrong checksum (unless `force`) or no URL serves a file; all that `download`
/// throws.
std::vector<FetchedFile> fetch_named_set(std::string_view name, const FetchOptions& options);

}  // namespace adacvar
