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

/// Called now and then while bytes come in, and while they fail to; false cancels.
using FetchObserver = std::function<bool(const FetchProgress&)>;

/// A file as it must be, where it is and where it goes.
struct Download {
  std::string url;  ///< http or https
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 lower-case hexadecimal digits
  std::filesystem::path destination;
};

/// For how long a server may be silent.
struct DownloadLimits {
  long connect_seconds = 20;
  long stall_seconds = 30;
};

/// Fetches a file whole and right, or not at all: it appears at its destination in one step after
/// size and sum were checked, and replaces what was there. Folders are made where needed. Follows
/// at most 5 redirects, to http or https only; the proxy is that of the environment (https_proxy).
/// Throws: DataError `<url>: what happened; what to do`; what `observe` throws (a std::system_error
/// is taken for one of the disk and becomes a DataError). Nothing is left behind then.
void download(const Download& what, const FetchObserver& observe = {},
              const DownloadLimits& limits = {});

}  // namespace adacvar
