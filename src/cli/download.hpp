#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace adacvar {

struct FetchProgress {
  std::string_view file;  ///< the name of the file, without folders
  std::uint64_t received = 0;
  std::uint64_t total = 0;
};

/// Called regularly during a download, even when no bytes arrive; returning false cancels it.
using FetchObserver = std::function<bool(const FetchProgress&)>;

/// A file to download: source, expected content and destination.
struct Download {
  std::string url;  ///< http or https
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  std::filesystem::path destination;
};

/// Timeouts of a download.
struct DownloadLimits {
  long connect_seconds = 20;
  long stall_seconds = 30;
};

/// Downloads a file atomically: it appears at its destination, replacing an existing file, only
/// after its size and checksum were verified. Missing folders are created. Follows at most 5
/// redirects, to http or https only; the proxy is taken from the environment (https_proxy).
/// Throws: DataError `<url>: problem; advice`; exceptions of `observe` (a std::system_error is
/// treated as a disk error and becomes a DataError). Leaves no partial file behind.
void download(const Download& request, const FetchObserver& observe = {},
              const DownloadLimits& limits = {});

}  // namespace adacvar
