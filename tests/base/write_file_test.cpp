#include "base/write_file.hpp"

#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using support::expect_words;
using support::TemporaryFolder;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t entries(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(WriteFile, pieces_become_one_file_that_replaces_the_old_one) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("f", "a longer text that was there before");
  write_file(path, [](const Write& write) {
    write("one ");
    write("");
    write(std::string_view("t\0o", 3));
  });
  EXPECT_EQ(bytes_of(path), std::string("one t\0o", 7));
  EXPECT_EQ(entries(folder), 1U);
}

TEST(WriteFile, the_old_file_is_there_until_all_is_written) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("f", "old");
  write_file(path, [&](const Write& write) {
    write(std::string(100'000, 'x'));
    EXPECT_EQ(bytes_of(path), "old");
  });
  EXPECT_EQ(bytes_of(path).size(), 100'000U);
}

TEST(WriteFile, exception_of_fill_propagates_and_changes_nothing) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("f", "old");
  const auto fail = [](const Write& write) {
    write("half of");
    throw std::domain_error("no more");
  };
  expect_words<std::domain_error>([&] { write_file(path, fail); }, "no more");
  EXPECT_EQ(bytes_of(path), "old");
  expect_words<std::domain_error>([&] { write_file(folder.path() / "new", fail); }, "no more");
  EXPECT_EQ(entries(folder), 1U) << "a partial file is left";
}

TEST(WriteFiles, none_is_replaced_unless_all_can_be_written) {
  const TemporaryFolder folder;
  const fs::path one = folder.write("one", "old");
  const fs::path two = folder.path() / "no" / "two";
  expect_words<OptionError>(
      [&] {
        write_files(std::vector<FileContent>{{one, "new"}, {two, "new"}});
      },
      "cannot write '" + two.string() + "': No such file");
  EXPECT_EQ(bytes_of(one), "old");
  EXPECT_EQ(entries(folder), 1U) << "a partial file is left";
  write_files(std::vector<FileContent>{{one, "new"}, {folder.path() / "two", "also"}});
  EXPECT_EQ(bytes_of(one), "new");
  EXPECT_EQ(bytes_of(folder.path() / "two"), "also");
  EXPECT_EQ(entries(folder), 2U);
}

TEST(WriteFile, unwritable_paths_are_refused_before_anything_is_written) {
  const TemporaryFolder folder;
  const std::string in_no_folder = (folder.path() / "no" / "f").string();
  const std::string is_folder = folder.path().string();
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string link = (folder.path() / "link").string();
  fs::create_symlink("pipe", link);
  const std::string too_long = (folder.path() / std::string(300, 'f')).string();
  const std::pair<std::string, std::string> cases[] = {
      {in_no_folder, "No such file or directory"}, {is_folder, "it is a folder"},
      {is_folder + "/", "it is a folder"},         {pipe, "it is not a regular file"},
      {link, "it is not a regular file"},          {too_long, "File name too long"},
  };
  for (const auto& [path, reason] : cases) {
    const std::string words = "cannot write '" + path + "': " + reason;
    expect_words<OptionError>([&] { check_writable(path); }, words);
    expect_words<OptionError>(
        [&] { write_file(path, [](const Write&) { ADD_FAILURE() << "fill is called"; }); }, words);
  }
  EXPECT_EQ(entries(folder), 2U);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteFile, check_leaves_no_file_and_keeps_an_existing_one) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("f", "old");
  check_writable(path);
  check_writable(folder.path() / "new");
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(WriteFile, partial_file_of_another_run_does_no_harm) {
  const TemporaryFolder folder;
  const std::string stale = "f.part-" + std::to_string(::getpid()) + "-0";
  (void)folder.write(stale, "stale");
  write_file(folder.path() / "f", [](const Write& write) { write("new"); });
  EXPECT_EQ(bytes_of(folder.path() / "f"), "new");
  EXPECT_EQ(bytes_of(folder.path() / stale), "stale");
}

/// A process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return child;
}

TEST(WriteFile, partial_files_of_processes_that_have_ended_are_removed) {
  const TemporaryFolder folder;
  const std::string ended = std::to_string(ended_process());
  (void)folder.write("f.part-" + ended + "-0", "stale");
  (void)folder.write("f.part-" + ended + "-12", "stale");
  const std::vector<std::string> others = {"g.part-" + ended + "-0",
                                           "f.part-" + ended,
                                           "f.part-" + ended + "-0.txt",
                                           "f.part-x-0",
                                           "f.part--0",
                                           "f.part-" + std::to_string(::getppid()) + "-0"};
  for (const std::string& name : others) (void)folder.write(name, "another file");
  write_file(folder.path() / "f", [](const Write& write) { write("new"); });
  EXPECT_EQ(bytes_of(folder.path() / "f"), "new");
  EXPECT_EQ(entries(folder), 1 + others.size());
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
}

TEST(WriteFile, permissions_are_those_of_any_new_file) {
  const TemporaryFolder folder;
  const auto permissions_under = [&](mode_t mask) {
    const mode_t before = ::umask(mask);
    write_file(folder.path() / "f", [](const Write& write) { write("x"); });
    ::umask(before);
    return static_cast<unsigned>(fs::status(folder.path() / "f").permissions());
  };
  EXPECT_EQ(permissions_under(022), 0644U);
  EXPECT_EQ(permissions_under(077), 0600U);
  EXPECT_EQ(permissions_under(002), 0664U);
}

}  // namespace
}  // namespace adacvar
