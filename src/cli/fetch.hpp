#pragma once

#include "cli/download.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

struct FetchOptions {
  std::filesystem::path folder = {};  ///< empty: that of `data_folder`
  /// Base address used instead of the originals: <mirror>/<path inside the data folder>.
  std::string mirror = {};
  bool force = false;  ///< replace a file that is there but wrong
  FetchObserver progress = {};
};

struct FetchedFile {
  std::filesystem::path path;
  bool already_there = false;
};

/// Puts the files of a named set into the data folder, each with the sum that it must have. One
/// that is there already, packed or not, is read and left alone. Every file is judged before the
/// first is fetched; when a later one fails, those fetched whole before it stay.
/// Throws: OptionError for an unknown name or a mirror that is not http or https; DataError when a
/// file that is there is wrong (unless `force`), when no address serves a file, and all that
/// `download` throws.
std::vector<FetchedFile> fetch_named_set(std::string_view name, const FetchOptions& options);

}  // namespace adacvar
