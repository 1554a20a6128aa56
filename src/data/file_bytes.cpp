#include "data/file_bytes.hpp"

#include <adacvar/base/error.hpp>

#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <system_error>

namespace adacvar {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kChunk = std::size_t{1} << 20U;

[[noreturn]] void fail_open(const std::string& source) {
  throw DataError("cannot open: " + std::generic_category().message(errno), source);
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& source)
      : number_(::open(source.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) fail_open(source);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Appends what `step` writes until it says that it is done. `step(out, room)` returns the number
/// of bytes written, or nothing at the end.
template <class Step>
std::string collect(std::size_t packed_size, Step&& step) {
  std::string result;
  result.reserve(4 * packed_size);
  bool done = false;
  while (!done) {
    const std::size_t size = result.size();
    result.resize(size + kChunk);
    result.resize(size + step(result.data() + size, kChunk, done));
  }
  return result;
}

void refuse(const char* kind, bool truncated, const std::string& source) {
  throw DataError(std::string(kind) + (truncated ? " archive is truncated" : " archive is damaged"),
                  source);
}

// Members of a gzip file may follow each other; each begins with its own header.
class Gunzip {
 public:
  Gunzip(std::string_view packed, const std::string& source) : left_(packed), source_(source) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) refuse("gzip", false, source_);
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  Gunzip(Gunzip&&) = delete;
  Gunzip& operator=(Gunzip&&) = delete;

  std::size_t operator()(char* out, std::size_t room, bool& done) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t given = std::min(left_.size(), kMost);
    // zlib's interface predates const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    left_.remove_prefix(given - stream_.avail_in);
    const std::size_t written = room - stream_.avail_out;
    if (status == Z_STREAM_END) {
      done = left_.empty();
      if (!done && inflateReset(&stream_) != Z_OK) refuse("gzip", false, source_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      refuse("gzip", false, source_);
    } else if (written == 0 && left_.empty()) {
      refuse("gzip", true, source_);
    }
    return written;
  }

 private:
  std::string_view left_;
  const std::string& source_;
  z_stream stream_{};
};

class Unxz {
 public:
  Unxz(std::string_view packed, const std::string& source) : source_(source) {
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) {
      refuse("xz", false, source_);
    }
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
  }
  ~Unxz() { lzma_end(&stream_); }
  Unxz(const Unxz&) = delete;
  Unxz& operator=(const Unxz&) = delete;
  Unxz(Unxz&&) = delete;
  Unxz& operator=(Unxz&&) = delete;

  std::size_t operator()(char* out, std::size_t room, bool& done) {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = room;
    const lzma_ret status = lzma_code(&stream_, LZMA_FINISH);
    done = status == LZMA_STREAM_END;
    if (!done && status != LZMA_OK) refuse("xz", status == LZMA_BUF_ERROR, source_);
    return room - stream_.avail_out;
  }

 private:
  const std::string& source_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path) : source_(path.string()) {
  map();
  try {
    unpack();
  } catch (...) {
    unmap();  // no destructor runs for an object that was not made
    throw;
  }
}

FileBytes::~FileBytes() { unmap(); }

void FileBytes::map() {
  const Descriptor file(source_);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail_open(source_);
  if (S_ISDIR(status.st_mode)) throw DataError("is a directory", source_);
  if (!S_ISREG(status.st_mode)) throw DataError("is not a regular file", source_);
  if (status.st_size == 0) throw DataError("is empty", source_);
  size_ = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) fail_open(source_);
  map_ = address;
  ::madvise(map_, size_, MADV_SEQUENTIAL);
}

void FileBytes::unmap() noexcept {
  if (map_ != nullptr) ::munmap(map_, size_);
  map_ = nullptr;
  size_ = 0;
}

void FileBytes::unpack() {
  const std::string_view packed = mapped();
  if (packed.starts_with("\x1f\x8b"sv)) {
    unpacked_ = collect(packed.size(), Gunzip(packed, source_));
  } else if (packed.starts_with("\xfd"
                                "7zXZ\0"sv)) {
    unpacked_ = collect(packed.size(), Unxz(packed, source_));
  } else {
    return;
  }
  unmap();
  if (unpacked_.empty()) throw DataError("is empty", source_);
}

}  // namespace adacvar
