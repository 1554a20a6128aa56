#include "cli/fetch.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"

#include "cli/sha256.hpp"
#include "data/file_bytes.hpp"
#include "support/expect_words.hpp"
#include "support/local_server.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using support::http_answer;
using support::LocalServer;
using support::message_of;
using support::TemporaryFolder;

/// ADACVAR_DATA, or the folder beside the repository.
fs::path real_folder() {
  return std::getenv("ADACVAR_DATA") != nullptr ? data_folder() : ADACVAR_TEST_DATA;
}

class FetchNamedSet : public testing::Test {
 protected:
  // A proxy from the environment would intercept the requests.
  static void SetUpTestSuite() { ::setenv("no_proxy", "*", 1); }

  TemporaryFolder folder_;
  LocalServer nothing_{[](const std::string&) { return http_answer("404 Not Found", ""); }};
};

/// The files of the real data folder, unpacked, under /mirror/.
class FetchRealSets : public FetchNamedSet {
 protected:
  void SetUp() override {
    if (!fs::is_directory(real_folder())) {
      GTEST_SKIP() << "there is no data folder " << real_folder() << "; set ADACVAR_DATA";
    }
  }

  static std::string serve(const std::string& url) {
    const NamedFile file{.path = url.substr(std::string("/mirror/").size())};
    const fs::path path = find_named_file(file, real_folder());
    if (!fs::exists(path)) return http_answer("404 Not Found", "");
    return file.path.ends_with(".gz") ? http_answer("200 OK", MappedFile(path).bytes())
                                      : http_answer("200 OK", FileBytes(path).text());
  }

  LocalServer server_{serve};
};

TEST_F(FetchRealSets, every_set_is_fetched_and_loads) {
  const FetchOptions options{.folder = folder_.path() / "data", .mirror = server_.url("/mirror/")};
  for (const std::string& name : named_sets()) {
    if (named_set_info(name).image.size() > 0) continue;  // larger; below
    const std::vector<FetchedFile> fetched = fetch_named_set(name, options);
    const NamedSetInfo& info = named_set_info(name);
    ASSERT_EQ(fetched.size(), info.files.size()) << name;
    for (std::size_t i = 0; i < fetched.size(); ++i) {
      EXPECT_EQ(fetched[i].path, options.folder / info.files[i].path);
      EXPECT_FALSE(fetched[i].already_there) << name;
      EXPECT_EQ(fs::file_size(fetched[i].path), info.files[i].bytes) << name;
    }
    EXPECT_EQ(load_named_set(name, options.folder).table.rows, info.rows) << name;
  }
}

// Its originals are compressed and stay so; their checksums are those of the compressed files.
TEST_F(FetchRealSets, mnist_is_fetched_as_it_is_published) {
  if (!fs::exists(real_folder() / "mnist")) GTEST_SKIP() << "no mnist in " << real_folder();
  const FetchOptions options{.folder = folder_.path() / "data", .mirror = server_.url("/mirror/")};
  for (const FetchedFile& file : fetch_named_set("mnist", options)) {
    EXPECT_EQ(file.path.extension(), ".gz");
    EXPECT_FALSE(file.already_there);
  }
  for (const FetchedFile& file : fetch_named_set("mnist", options)) {
    EXPECT_TRUE(file.already_there);
  }
  EXPECT_EQ(load_named_images("mnist", options.folder).rows(), 70'000U);
}

TEST_F(FetchRealSets, existing_files_are_kept) {
  const FetchOptions options{.folder = folder_.path(), .mirror = server_.url("/mirror")};
  (void)fetch_named_set("monks", options);
  fs::remove(folder_.path() / "monks-1/monks-1.test");
  const std::size_t asked = server_.requests().size();
  const std::vector<FetchedFile> again = fetch_named_set("monks", options);
  EXPECT_TRUE(again[0].already_there);
  EXPECT_FALSE(again[1].already_there);
  EXPECT_EQ(server_.requests().size(), asked + 1);
}

TEST_F(FetchRealSets, compressed_file_counts_as_present) {
  fs::copy(real_folder() / "adult", folder_.path() / "adult");
  ASSERT_FALSE(fs::exists(folder_.path() / "adult/adult.data")) << "the data folder has it packed";
  const auto fetched =
      fetch_named_set("adult", {.folder = folder_.path(), .mirror = nothing_.url("/")});
  EXPECT_EQ(fetched[0].path, folder_.path() / "adult/adult.data.gz");
  for (const FetchedFile& file : fetched) EXPECT_TRUE(file.already_there) << file.path;
  EXPECT_TRUE(nothing_.requests().empty());
}

TEST_F(FetchRealSets, force_replaces_a_wrong_file) {
  fs::create_directory(folder_.path() / "monks-1");
  const fs::path wrong = folder_.write("monks-1/monks-1.train", "wrong");
  const fs::path damaged = folder_.write("monks-1/monks-1.test.gz", "\x1f\x8b damaged");
  const auto fetched = fetch_named_set(
      "monks", {.folder = folder_.path(), .mirror = server_.url("/mirror"), .force = true});
  EXPECT_EQ(fetched[0].path, wrong);
  EXPECT_FALSE(fetched[0].already_there);
  EXPECT_EQ(load_named_set("monks", folder_.path()).table.rows, 556U);
  EXPECT_TRUE(fs::exists(damaged));
}

TEST_F(FetchNamedSet, wrong_file_in_place_is_an_error) {
  fs::create_directory(folder_.path() / "monks-1");
  const fs::path wrong = folder_.write("monks-1/monks-1.test", "wrong");
  const auto fetch = [&] {
    return fetch_named_set("monks", {.folder = folder_.path(), .mirror = nothing_.url("/")});
  };
  EXPECT_PRED2(support::has_words, message_of<DataError>(fetch),
               wrong.string() + ": ... sha256 " + sha256("wrong") + " ... " +
                   named_set_info("monks").files[1].sha256 + " ... --force");
  // Checked before anything is fetched.
  EXPECT_TRUE(nothing_.requests().empty());
  (void)folder_.write("monks-1/monks-1.test", "");
  EXPECT_PRED2(support::has_words, message_of<DataError>(fetch),
               wrong.string() + ": is empty ... --force");
}

TEST_F(FetchNamedSet, failure_leaves_nothing) {
  const std::string words = message_of<DataError>([&] {
    return fetch_named_set("abalone",
                           {.folder = folder_.path() / "new", .mirror = nothing_.url("/x/")});
  });
  EXPECT_PRED2(support::has_words, words,
               nothing_.url("/x/abalone/abalone.data") + ": HTTP status 404 ... mirror ... " +
                   (folder_.path() / "new/abalone/abalone.data").string());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(FetchNamedSet, set_without_url_names_its_origin) {
  EXPECT_PRED2(support::has_words, message_of<DataError>([&] {
                 return fetch_named_set("phoneme", {.folder = folder_.path()});
               }),
               "phoneme/phoneme.dat: ... KEEL ... phoneme.zip ... " +
                   (folder_.path() / "phoneme/phoneme.dat").string() + " ... mirror");
}

TEST_F(FetchNamedSet, bad_options_are_refused) {
  EXPECT_PRED2(support::has_words, message_of<OptionError>([&] {
                 return fetch_named_set("monks", {.folder = folder_.path(), .mirror = "ftp://x/"});
               }),
               "mirror = 'ftp://x/' ... http:// ... https://");
  EXPECT_THROW((void)fetch_named_set("iris", {.folder = folder_.path()}), OptionError);
}

}  // namespace
}  // namespace adacvar
