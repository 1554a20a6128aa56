#include "cli/download.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/version.hpp>

#include "base/partial_file.hpp"
#include "cli/sha256.hpp"

#include <curl/curl.h>
#include <fmt/core.h>

#include <array>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace adacvar {

namespace {

constexpr long kMostRedirects = 5;
constexpr long kLeastBytesPerSecond = 1;

// libcurl needs this once per process, before the first handle.
void start_curl() {
  struct Curl {
    CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);
    Curl() = default;
    ~Curl() { curl_global_cleanup(); }
    Curl(const Curl&) = delete;
    Curl& operator=(const Curl&) = delete;
    Curl(Curl&&) = delete;
    Curl& operator=(Curl&&) = delete;
  };
  static const Curl curl;
  if (curl.status != CURLE_OK) throw std::runtime_error("libcurl cannot be started");
}

/// A download in progress. curl's callbacks are C, which no exception may cross: the first one is
/// kept and rethrown after curl returns.
class Transfer {
 public:
  Transfer(const Download& request, const FetchObserver& observe)
      : request_(request),
        observe_(observe),
        name_(request.destination.filename().string()),
        file_(request.destination, PartialFile::Folders::created) {}

  void run(const DownloadLimits& limits);

 private:
  void configure(const DownloadLimits& limits);
  void check_status(CURLcode status);
  void check_content();

  void receive(std::string_view bytes);
  [[nodiscard]] bool should_continue();

  template <class Call>
  bool catch_errors(const Call& call) noexcept;
  static std::size_t on_bytes(char* bytes, std::size_t one, std::size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(curl_.get(), option, value) != CURLE_OK) {
      throw std::runtime_error(fmt::format("libcurl lacks option {}", static_cast<int>(option)));
    }
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& advice) const {
    throw DataError(problem + "; " + advice, request_.url);
  }
  [[nodiscard]] std::string manual_advice() const {
    return fmt::format("name a mirror, or put the file at {} yourself",
                       request_.destination.string());
  }

  const Download& request_;
  const FetchObserver& observe_;
  std::string name_;
  PartialFile file_;
  Sha256 sum_;
  std::uint64_t received_ = 0;
  std::exception_ptr thrown_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_{curl_easy_init(), curl_easy_cleanup};
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

void Transfer::run(const DownloadLimits& limits) {
  if (curl_ == nullptr) throw std::runtime_error("libcurl cannot be started");
  configure(limits);
  const CURLcode status = curl_easy_perform(curl_.get());
  if (thrown_) std::rethrow_exception(thrown_);
  check_status(status);
  check_content();
  file_.commit();
}

void Transfer::configure(const DownloadLimits& limits) {
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMostRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_USERAGENT, "adacvar/" ADACVAR_VERSION);
  set(CURLOPT_CONNECTTIMEOUT, limits.connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, limits.stall_seconds);
  set(CURLOPT_NOSIGNAL, 1L);  // a timeout must not be a signal to the whole process
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(CURLOPT_XFERINFODATA, this);
}

void Transfer::check_status(CURLcode status) {
  long answer = 0;
  curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &answer);
  if (status == CURLE_HTTP_RETURNED_ERROR || (status == CURLE_OK && answer != 200)) {
    fail(fmt::format("HTTP status {} instead of 200", answer), "has it moved? " + manual_advice());
  }
  if (status == CURLE_ABORTED_BY_CALLBACK) fail("cancelled", "fetch again to get the file");
  if (status == CURLE_OK) return;
  const std::string words =
      error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(status);
  if (status == CURLE_UNSUPPORTED_PROTOCOL || status == CURLE_TOO_MANY_REDIRECTS) {
    fail(words, fmt::format("only http and https, and {} redirects, are followed: {}",
                            kMostRedirects, manual_advice()));
  }
  fail("cannot be fetched: " + words, "no network? " + manual_advice());
}

void Transfer::check_content() {
  const std::string sum = sum_.hex();
  if (received_ == request_.bytes && sum == request_.sha256) return;
  fail(fmt::format("{} bytes with sha256 {} instead of {} bytes with sha256 {}", received_, sum,
                   request_.bytes, request_.sha256),
       "the server has another version of the file: " + manual_advice());
}

void Transfer::receive(std::string_view bytes) {
  received_ += bytes.size();
  // An endless response must not fill the disk.
  if (received_ > request_.bytes) {
    fail(fmt::format("more than the {} bytes of sha256 {}", request_.bytes, request_.sha256),
         "the server has another version of the file: " + manual_advice());
  }
  file_.write(bytes);
  sum_.update(bytes);
}

bool Transfer::should_continue() {
  return !observe_ || observe_({.file = name_, .received = received_, .total = request_.bytes});
}

template <class Call>
bool Transfer::catch_errors(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    return false;
  }
}

std::size_t Transfer::on_bytes(char* bytes, std::size_t one, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const bool accepted = transfer.catch_errors([&] {
    transfer.receive({bytes, one * count});
    return true;
  });
  return accepted ? one * count : CURL_WRITEFUNC_ERROR;
}

int Transfer::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.catch_errors([&] { return transfer.should_continue(); }) ? 0 : 1;
}

}  // namespace

void download(const Download& request, const FetchObserver& observe, const DownloadLimits& limits) {
  start_curl();
  try {
    Transfer(request, observe).run(limits);
  } catch (const std::system_error& error) {
    throw DataError(fmt::format("{}; name a writable folder with {} bytes of free space",
                                error.what(), request.bytes),
                    request.url);
  }
}

}  // namespace adacvar
