#include "experiment/result_log.hpp"

#include <adacvar/base/error.hpp>

#include "support/expect_words.hpp"
#include "support/experiment_data.hpp"
#include "support/message_of.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <string>

namespace adacvar {
namespace {

using support::content_of;
using support::message_of;
using support::TemporaryFolder;

const TrialKey kKey{"abalone", 3, "gain", 17};

TrialResult made_result() {
  return {.last = support::made_reading(50, 0.1F, 0.7F, 1.0F / 3),
          .early = support::made_reading(7, 0.05F, 0.8F, 2.0F / 3),
          .bound = 0.3F,
          .seconds = 0.25F};
}

TEST(ResultLog, gives_back_what_was_added) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  const TrialResult plain{.last = made_result().last, .early = made_result().last};
  {
    ResultLog log(path, "s");
    EXPECT_EQ(log.find(kKey), nullptr);
    log.add(kKey, made_result());
    log.add({"abalone", 4, "gain", 17}, {.diverged = true, .seconds = 1});
    log.add({"abalone", 5, "gain", 17}, plain);
  }
  const ResultLog log(path, "s");
  EXPECT_EQ(log.size(), 3U);
  ASSERT_NE(log.find(kKey), nullptr);
  EXPECT_EQ(*log.find(kKey), made_result());
  EXPECT_TRUE(log.find({"abalone", 4, "gain", 17})->diverged);
  EXPECT_EQ(*log.find({"abalone", 5, "gain", 17}), plain);
  EXPECT_EQ(log.find({"abalone", 3, "gain", 18}), nullptr);
}

TEST(ResultLog, survives_being_cut_off_anywhere) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultLog log(path, "s");
    log.add(kKey, made_result());
    log.add({"boston", 0, "mean", 0}, made_result());
  }
  const std::string whole = content_of(path);
  const std::size_t second = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    (void)folder.write("results.jsonl", whole.substr(0, length));
    ResultLog log(path, "s");
    EXPECT_EQ(log.find({"boston", 0, "mean", 0}), nullptr) << length;
    EXPECT_EQ(log.find(kKey) != nullptr, length >= second) << length;
    log.add({"boston", 0, "mean", 0}, made_result());
  }
  (void)folder.write("results.jsonl", whole.substr(0, whole.size() - 5));
  { ResultLog(path, "s").add({"boston", 0, "mean", 0}, made_result()); }
  EXPECT_EQ(content_of(path), whole);
}

TEST(ResultLog, refuses_another_study) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  { ResultLog(path, "begun by mistake").check_data("adult", "00ff"); }
  { ResultLog(path, "convex, grid small").add(kKey, made_result()); }  // no result was lost
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return ResultLog(path, "convex, grid paper").size(); }),
               path.string() + ":1: ... 'convex, grid small' ... 'convex, grid paper' ... --out");
}

TEST(ResultLog, refuses_other_data) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  { ResultLog(path, "s").check_data("adult", "00ff"); }
  ResultLog log(path, "s");
  EXPECT_NO_THROW(log.check_data("adult", "00ff"));
  EXPECT_THROW(log.check_data("adult", "00fe"), DataError);
}

TEST(ResultLog, names_the_line_that_is_damaged) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultLog log(path, "s");
    log.add(kKey, made_result());
  }
  const std::string whole = content_of(path);
  for (const std::string& damaged :
       {whole + "{\"set\": 1}\n", whole + "nonsense\n", whole + "\n"}) {
    (void)folder.write("results.jsonl", damaged);
    EXPECT_PRED2(support::has_words,
                 message_of<DataError>([&] { return ResultLog(path, "s").size(); }),
                 path.string() + ":3: ... not a line");
  }
  (void)folder.write("results.jsonl", "hello\n");
  EXPECT_PRED2(support::has_words,
               message_of<DataError>([&] { return ResultLog(path, "s").size(); }),
               path.string() + ":1: ... not a line");
}

// Also a digit of a result, which would still be a number.
TEST(ResultLog, any_altered_byte_of_a_result_is_refused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  {
    ResultLog log(path, "s");
    log.check_data("abalone", "00ff");
    log.add(kKey, made_result());
    log.add({"abalone", 4, "gain", 17}, made_result());
  }
  const std::string whole = content_of(path);
  const std::size_t first = whole.find('\n') + 1;
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  const std::string key = "\"crc64\"";
  for (std::size_t at = first; at < last; ++at) {
    // Without the key, a line of an earlier version: the rest of it is intact.
    const std::size_t near = whole.rfind(key, at);
    if (near != std::string::npos && at < near + key.size()) continue;
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 1);
    (void)folder.write("results.jsonl", altered);
    EXPECT_PRED2(support::has_words,
                 message_of<DataError>([&] { return ResultLog(path, "s").size(); }),
                 path.string() + ": ... not a line of a log")
        << at << ": " << altered[at];
  }
}

TEST(ResultLog, lines_of_earlier_versions_have_no_checksum) {
  const TemporaryFolder folder;
  const auto path = folder.write(
      "results.jsonl",
      "{\"format\":\"adacvar results\",\"study\":\"s\",\"version\":1}\n"
      "{\"algorithm\":\"gain\",\"config\":17,\"diverged\":true,\"seconds\":1.0,\"seed\":3,"
      "\"set\":\"abalone\"}\n");
  const ResultLog log(path, "s");
  ASSERT_NE(log.find(kKey), nullptr);
  EXPECT_TRUE(log.find(kKey)->diverged);
}

// No test of ours may fill a disk: the size of files is limited instead.
TEST(ResultLog, a_line_that_cannot_be_written_leaves_the_log_whole) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  ResultLog log(path, "s");
  log.add(kKey, made_result());
  const std::string before = content_of(path);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit small { before.size() + 40, limit.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string words = message_of<OptionError>([&] {
    log.add({"abalone", 4, "gain", 17}, made_result());
  });
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_PRED2(support::has_words, words, "cannot write " + path.string());
  EXPECT_EQ(content_of(path), before);
  log.add({"abalone", 4, "gain", 17}, made_result());
  EXPECT_EQ(content_of(path).find(before), 0U);
}

TEST(ResultLog, leaves_files_that_are_not_its_own_alone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  for (const std::string text : {"my notes", "line one\nand two"}) {
    (void)folder.write("results.jsonl", text);
    EXPECT_THROW(ResultLog(path, "s"), DataError) << text;
    EXPECT_EQ(content_of(path), text);
  }
  EXPECT_THROW(ResultLog(folder.path(), "s"), OptionError);
}

TEST(ResultLog, is_open_once_at_a_time) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "results.jsonl";
  const ResultLog log(path, "s");
  EXPECT_PRED2(support::has_words,
               message_of<OptionError>([&] { return ResultLog(path, "s").size(); }),
               path.string() + " is in use");
}

TEST(ResultLog, says_where_it_cannot_write) {
  EXPECT_THROW(ResultLog("/nowhere/results.jsonl", "s"), OptionError);
}

}  // namespace
}  // namespace adacvar
