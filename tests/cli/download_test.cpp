#include "cli/download.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/version.hpp>

#include "cli/sha256.hpp"
#include "support/local_server.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using support::http_answer;
using support::http_redirect;
using support::LocalServer;

const std::string kBody = "1,2,3\n4,5,6\n";

void expect_begins(const std::string& text, const std::string& words) {
  EXPECT_EQ(text.substr(0, words.size()), words);
}

void expect_has(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DownloadTest : public testing::Test {
 protected:
  // A proxy from the environment would intercept the requests.
  static void SetUpTestSuite() { ::setenv("no_proxy", "*", 1); }

  /// kBody from `url`, to a folder that is not there yet.
  [[nodiscard]] Download wanted(const std::string& url) const {
    return {url, kBody.size(), sha256(kBody), folder_.path() / "data/set/file.csv"};
  }

  /// The message of a download that must fail and leave nothing; it begins with the address.
  std::string failure(const Download& what, const FetchObserver& observe = {},
                      const DownloadLimits& limits = {}) {
    const std::string words = support::message_of<DataError>([&] {
      download(what, observe, limits);
      return 0;
    });
    expect_begins(words, what.url + ": ");
    EXPECT_TRUE(fs::is_empty(folder_.path())) << "left behind after: " << words;
    return words.substr(std::min(words.size(), what.url.size() + 2));
  }

  [[nodiscard]] std::string by_hand() const {
    return "name a mirror, or put the file at " + (folder_.path() / "data/set/file.csv").string() +
           " yourself";
  }

  support::TemporaryFolder folder_;
};

TEST_F(DownloadTest, puts_the_file_in_place) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  const Download what = wanted(server.url("/a/file.csv"));
  std::uint64_t last = 0;
  download(what, [&](const FetchProgress& progress) {
    EXPECT_EQ(progress.file, "file.csv");
    EXPECT_EQ(progress.total, kBody.size());
    EXPECT_GE(progress.received, last);
    last = progress.received;
    return true;
  });
  EXPECT_EQ(content(what.destination), kBody);
  EXPECT_EQ(last, kBody.size());
  const auto files = fs::directory_iterator(what.destination.parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  ASSERT_EQ(server.requests().size(), 1U);
  expect_begins(server.requests()[0], "GET /a/file.csv HTTP/1.1\r\n");
  expect_has(server.requests()[0], "User-Agent: adacvar/" ADACVAR_VERSION "\r\n");
}

TEST_F(DownloadTest, file_has_the_rights_of_any_new_file) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  const Download what = wanted(server.url("/"));
  download(what);
  const fs::path plain = folder_.write("plain", "x");
  EXPECT_EQ(fs::status(what.destination).permissions(), fs::status(plain).permissions());
}

TEST_F(DownloadTest, replaces_what_was_there_and_follows_redirects) {
  const LocalServer server([](const std::string& path) {
    return path == "/moved" ? http_redirect("/here") : http_answer("200 OK", kBody);
  });
  Download what = wanted(server.url("/moved"));
  what.destination = folder_.write("file.csv", "old");
  download(what);
  EXPECT_EQ(content(what.destination), kBody);
}

TEST_F(DownloadTest, failure_leaves_the_old_file) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", "other"); });
  Download what = wanted(server.url("/"));
  what.destination = folder_.write("file.csv", "old");
  EXPECT_THROW(download(what), DataError);
  EXPECT_EQ(content(what.destination), "old");
  const auto files = fs::directory_iterator(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(DownloadTest, status_of_the_answer_is_named) {
  const LocalServer server([](const std::string& path) {
    return http_answer(path == "/none" ? "404 Not Found" : "204 No Content", "");
  });
  EXPECT_EQ(failure(wanted(server.url("/none"))),
            "HTTP status 404 instead of 200; has it moved? " + by_hand());
  EXPECT_EQ(failure(wanted(server.url("/empty"))),
            "HTTP status 204 instead of 200; has it moved? " + by_hand());
}

TEST_F(DownloadTest, wrong_content_is_refused_with_both_sums) {
  const std::string other = "1,2,3\n4,5,7\n";
  const LocalServer server([&](const std::string& path) {
    return http_answer("200 OK", path == "/other" ? other : other.substr(1));
  });
  EXPECT_EQ(failure(wanted(server.url("/other"))),
            "12 bytes with sha256 " + sha256(other) + " instead of 12 bytes with sha256 " +
                sha256(kBody) + "; the server has another version of the file: " + by_hand());
  EXPECT_EQ(failure(wanted(server.url("/short"))),
            "11 bytes with sha256 " + sha256(other.substr(1)) +
                " instead of 12 bytes with sha256 " + sha256(kBody) +
                "; the server has another version of the file: " + by_hand());
}

TEST_F(DownloadTest, too_much_is_refused) {
  const LocalServer server(
      [](const std::string&) { return http_answer("200 OK", std::string(1U << 20U, 'x')); });
  EXPECT_EQ(failure(wanted(server.url("/"))),
            "more than the 12 bytes of sha256 " + sha256(kBody) +
                "; the server has another version of the file: " + by_hand());
}

TEST_F(DownloadTest, truncated_body_is_refused) {
  const LocalServer server(
      [](const std::string&) { return http_answer("200 OK", kBody.substr(0, 5), kBody.size()); });
  const std::string words = failure(wanted(server.url("/")));
  expect_begins(words, "cannot be fetched: ");
  expect_has(words, "7 bytes remaining");
  expect_has(words, by_hand());
}

TEST_F(DownloadTest, only_http_is_followed) {
  const fs::path secret = fs::temp_directory_path();
  const LocalServer server(
      [&](const std::string&) { return http_redirect("file://" + secret.string()); });
  expect_has(failure(wanted(server.url("/"))),
             "; only http and https, and 5 redirects, are followed: " + by_hand());
  expect_has(failure(wanted("file://" + secret.string())),
             "; only http and https, and 5 redirects, are followed: " + by_hand());
}

TEST_F(DownloadTest, loop_of_redirects_ends) {
  const LocalServer server([](const std::string&) { return http_redirect("/again"); });
  expect_has(failure(wanted(server.url("/"))), "5 redirects");
  EXPECT_EQ(server.requests().size(), 6U);
}

TEST_F(DownloadTest, can_be_cancelled) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  expect_begins(failure(wanted(server.url("/")), [](const FetchProgress&) { return false; }),
                "cancelled");
  expect_begins(failure(wanted(server.url("/")),
                        [](const FetchProgress& progress) { return progress.received == 0; }),
                "cancelled");
}

TEST_F(DownloadTest, exception_of_the_observer_propagates) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  EXPECT_THROW(download(wanted(server.url("/")),
                        [](const FetchProgress&) -> bool { throw std::logic_error("mine"); }),
               std::logic_error);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DownloadTest, refused_connection_is_named) {
  const support::BoundSocket deaf;
  const std::string words = failure(wanted(deaf.url("/")));
  expect_begins(words, "cannot be fetched: Failed to connect to 127.0.0.1");
  expect_has(words, "; no network? " + by_hand());
}

// A label of more than 63 letters is refused by the resolver itself: no packet leaves.
TEST_F(DownloadTest, unknown_host_is_named) {
  const std::string host = std::string(70, 'a') + ".invalid";
  const std::string words = failure(wanted("http://" + host + "/"));
  expect_has(words, "resolve host");
  expect_has(words, "; no network? " + by_hand());
}

// The outcome does not depend on the clock: the server is silent for as long as we listen.
TEST_F(DownloadTest, silent_server_times_out) {
  const LocalServer server([](const std::string&) { return std::string(); });
  const std::string words = failure(wanted(server.url("/")), {}, {.stall_seconds = 1});
  expect_begins(words, "cannot be fetched: Operation too slow");
}

TEST_F(DownloadTest, folder_that_cannot_be_created_is_named) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  const support::TemporaryFolder other;
  Download what = wanted(server.url("/"));
  what.destination = other.write("file", "") / "set/file.csv";
  const std::string words = failure(what);
  expect_has(words, "Not a directory");
  expect_has(words, (other.path() / "file").string());
  expect_has(words, "writable folder with 12 bytes");
  EXPECT_TRUE(server.requests().empty());
}

// A limit on the size of files stands in for a full disk.
TEST_F(DownloadTest, full_disk_is_named) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 5, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string words = support::message_of<DataError>([&] {
    download(wanted(server.url("/")));
    return 0;
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  expect_has(words, "cannot write");
  expect_has(words, "12 bytes of free space");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(DownloadTest, folder_in_the_way_stays) {
  const LocalServer server([](const std::string&) { return http_answer("200 OK", kBody); });
  Download what = wanted(server.url("/"));
  what.destination = folder_.path() / "set";
  fs::create_directory(what.destination);
  EXPECT_THROW(download(what), DataError);
  EXPECT_TRUE(fs::is_empty(what.destination));
  const auto files = fs::directory_iterator(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace adacvar
