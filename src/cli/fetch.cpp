#include "cli/fetch.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"

#include "cli/sha256.hpp"
#include "data/file_bytes.hpp"

#include <fmt/core.h>

#include <system_error>

namespace adacvar {

namespace {

namespace fs = std::filesystem;

void check_mirror(std::string_view mirror) {
  if (mirror.empty() || mirror.starts_with("http://") || mirror.starts_with("https://")) return;
  throw OptionError(fmt::format("mirror = '{}' does not begin with http:// or https://", mirror));
}

std::string url_of(const NamedFile& file, std::string_view mirror) {
  if (mirror.empty()) return file.url;
  while (mirror.ends_with('/')) mirror.remove_suffix(1);
  return fmt::format("{}/{}", mirror, file.path);
}

// Compares the decompressed content, so that a compressed copy counts as the original; a file whose
// original is compressed is compared as it is.
std::string checksum_of(const NamedFile& file, const fs::path& path) {
  return file.path.ends_with(".gz") ? sha256(MappedFile(path).bytes())
                                    : sha256(FileBytes(path).text());
}

void check_checksum(const NamedFile& file, const fs::path& path) {
  const std::string sum = checksum_of(file, path);
  if (sum == file.sha256) return;
  throw DataError(fmt::format("its content has sha256 {} instead of {}", sum, file.sha256),
                  path.string());
}

bool is_present(const NamedFile& file, const fs::path& path, bool force) {
  std::error_code unreadable;  // the download reports it
  if (!fs::exists(path, unreadable)) return false;
  try {
    check_checksum(file, path);
    return true;
  } catch (const DataError& error) {
    if (force) return false;
    throw DataError(fmt::format("{}; remove it, or replace it with --force", error.what()));
  }
}

void check_url(const NamedFile& file, const std::string& url, const fs::path& destination) {
  if (!url.empty()) return;
  throw DataError(fmt::format("no URL serves this file alone; it comes from {}: put it at "
                              "{} yourself, or name a mirror",
                              file.origin, destination.string()),
                  file.path);
}

}  // namespace

std::vector<FetchedFile> fetch_named_set(std::string_view name, const FetchOptions& options) {
  const NamedSetInfo& info = named_set_info(name);
  check_mirror(options.mirror);
  const fs::path folder = data_folder(options.folder);

  std::vector<FetchedFile> fetched;
  std::vector<Download> wanted;
  for (const NamedFile& file : info.files) {
    const fs::path found = find_named_file(file, folder);
    if (is_present(file, found, options.force)) {
      fetched.push_back({found, true});
      continue;
    }
    const fs::path destination = folder / file.path;
    const std::string url = url_of(file, options.mirror);
    check_url(file, url, destination);
    wanted.push_back({url, file.bytes, file.sha256, destination});
    fetched.push_back({destination, false});
  }
  for (const Download& file : wanted) download(file, options.progress);
  return fetched;
}

}  // namespace adacvar
