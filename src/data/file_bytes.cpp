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

std::string read_to_end(const Descriptor& file, const std::string& source) {
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    const ssize_t count = ::read(file.number(), text.data() + size, kChunk);
    if (count < 0 && errno != EINTR) {
      throw DataError("cannot read: " + std::generic_category().message(errno), source);
    }
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return text;
  }
}

void refuse(const char* kind, bool truncated, const std::string& source) {
  throw DataError(std::string(kind) + (truncated ? " archive is truncated" : " archive is damaged"),
                  source);
}

}  // namespace

/// Decompresses a file into a buffer; returns the number of bytes written and sets a flag at the
/// end.
class FileStream::Unpacker {
 public:
  Unpacker() = default;
  virtual ~Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  Unpacker(Unpacker&&) = delete;
  Unpacker& operator=(Unpacker&&) = delete;

  virtual std::size_t write(char* out, std::size_t room, bool& done) = 0;
  /// Bytes of the file that have not been read.
  [[nodiscard]] virtual std::size_t left() const = 0;
};

namespace {

class Copy : public FileStream::Unpacker {
 public:
  explicit Copy(std::string_view bytes) : left_(bytes) {}

  std::size_t write(char* out, std::size_t room, bool& done) override {
    const std::size_t count = left_.copy(out, room);
    left_.remove_prefix(count);
    done = left_.empty();
    return count;
  }
  [[nodiscard]] std::size_t left() const override { return left_.size(); }

 private:
  std::string_view left_;
};

// Members of a gzip file may follow each other; each begins with its own header.
class Gunzip : public FileStream::Unpacker {
 public:
  Gunzip(std::string_view packed, const std::string& source) : left_(packed), source_(source) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) refuse("gzip", false, source_);
  }
  ~Gunzip() override { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  Gunzip(Gunzip&&) = delete;
  Gunzip& operator=(Gunzip&&) = delete;

  std::size_t write(char* out, std::size_t room, bool& done) override {
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
  [[nodiscard]] std::size_t left() const override { return left_.size(); }

 private:
  std::string_view left_;
  const std::string& source_;
  z_stream stream_{};
};

class Unxz : public FileStream::Unpacker {
 public:
  Unxz(std::string_view packed, const std::string& source) : source_(source) {
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) {
      refuse("xz", false, source_);
    }
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
  }
  ~Unxz() override { lzma_end(&stream_); }
  Unxz(const Unxz&) = delete;
  Unxz& operator=(const Unxz&) = delete;
  Unxz(Unxz&&) = delete;
  Unxz& operator=(Unxz&&) = delete;

  std::size_t write(char* out, std::size_t room, bool& done) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = room;
    const lzma_ret status = lzma_code(&stream_, LZMA_FINISH);
    done = status == LZMA_STREAM_END;
    if (!done && status != LZMA_OK) refuse("xz", status == LZMA_BUF_ERROR, source_);
    return room - stream_.avail_out;
  }
  [[nodiscard]] std::size_t left() const override { return stream_.avail_in; }

 private:
  const std::string& source_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"sv); }
bool is_xz(std::string_view bytes) {
  return bytes.starts_with(
      "\xfd"
      "7zXZ\0"sv);
}

std::unique_ptr<FileStream::Unpacker> make_unpacker(const MappedFile& file) {
  if (is_gzip(file.bytes())) return std::make_unique<Gunzip>(file.bytes(), file.source());
  if (is_xz(file.bytes())) return std::make_unique<Unxz>(file.bytes(), file.source());
  return std::make_unique<Copy>(file.bytes());
}

// Keeps memory in proportion to the file: a few kilobytes can be made to expand to gigabytes.
void check_expansion(std::size_t unpacked, const MappedFile& file) {
  constexpr std::size_t kMostRatio = 200;
  constexpr std::size_t kAlwaysAllowed = std::size_t{256} << 20U;
  if (unpacked <= kAlwaysAllowed || unpacked / kMostRatio <= file.bytes().size()) return;
  throw DataError(
      "archive expands to more than 200 times its size; if that is right, unpack it first",
      file.source());
}

std::string unpack_all(const MappedFile& file,
                       const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  std::string result;
  result.reserve(4 * file.bytes().size());
  const auto unpacker = make_unpacker(file);
  bool done = false;
  while (!done) {
    const std::size_t size = result.size();
    result.resize(size + kChunk);
    result.resize(size + unpacker->write(result.data() + size, kChunk, done));
    check_expansion(result.size(), file);
    if (progress) progress(file.bytes().size() - unpacker->left(), file.bytes().size());
  }
  return result;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : source_(path.string()) {
  const Descriptor file(source_);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail_open(source_);
  if (S_ISDIR(status.st_mode)) throw DataError("is a directory", source_);
  if (S_ISFIFO(status.st_mode) || ::isatty(file.number()) != 0) {
    piped_ = read_to_end(file, source_);
    if (piped_.empty()) throw DataError("is empty", source_);
    return;
  }
  if (!S_ISREG(status.st_mode)) throw DataError("is neither a file nor a pipe", source_);
  if (status.st_size == 0) throw DataError("is empty", source_);
  size_ = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) fail_open(source_);
  map_ = address;
  ::madvise(map_, size_, MADV_SEQUENTIAL);
}

void MappedFile::unmap() noexcept {
  if (map_ != nullptr) ::munmap(map_, size_);
  map_ = nullptr;
  size_ = 0;
  piped_ = {};
}

void MappedFile::release_before(std::size_t left) noexcept {
  if (map_ == nullptr) return;
  const std::size_t end = (size_ - left) / kChunk * kChunk;  // a whole number of pages
  if (end < released_) released_ = 0;                        // the file is read again
  if (end == released_) return;
  ::madvise(static_cast<char*>(map_) + released_, end - released_, MADV_DONTNEED);
  released_ = end;
}

bool is_compressed(const std::filesystem::path& path) {
  const MappedFile file(path);
  return is_gzip(file.bytes()) || is_xz(file.bytes());
}

FileBytes::FileBytes(const std::filesystem::path& path,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress)
    : file_(path) {
  if (!is_gzip(file_.bytes()) && !is_xz(file_.bytes())) return;
  unpacked_ = unpack_all(file_, progress);
  file_.unmap();
  if (unpacked_.empty()) throw DataError("is empty", source());
}

FileStream::FileStream(const std::filesystem::path& path)
    : file_(path), unpacker_(make_unpacker(file_)) {}

FileStream::~FileStream() = default;

std::uint64_t FileStream::done() const { return total() - unpacker_->left(); }

bool FileStream::append_to(std::string& text) {
  if (done_) return false;
  const std::size_t size = text.size();
  text.resize(size + kChunk);
  text.resize(size + unpacker_->write(text.data() + size, kChunk, done_));
  check_expansion(text.size(), file_);  // one endless line
  file_.release_before(unpacker_->left());
  return true;
}

}  // namespace adacvar
