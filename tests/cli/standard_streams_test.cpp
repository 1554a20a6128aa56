// No result is lost when the terminal closes, a pipe is closed or the disk is full.

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::content_of;
using support::Outcome;
using support::RunningProgram;
using support::TemporaryFolder;

Outcome shell(const TemporaryFolder& folder, const std::string& script) {
  return support::run_program("/bin/sh", {"-c", script}, folder.path());
}

bool is_model(const TemporaryFolder& folder, const std::string& name) {
  const Outcome used = support::run_program(
      ADACVAR_PROGRAM, {"predict", name, "pareto", "--make-rows", "5"}, folder.path());
  return used.code == 0;
}

const std::vector<std::string> kEndless = {"train",    "pareto",    "--make-rows", "2000",
                                           "--epochs", "100000000", "--decay",     "1",
                                           "--model",  "m.json"};

void wait_for_first_epoch(const RunningProgram& program) {
  while (program.printed_so_far().find("epoch 1/") == std::string::npos) std::this_thread::yield();
}

TEST(LostTerminal, a_hangup_keeps_the_best_model_as_an_interrupt_does) {
  const TemporaryFolder folder;
  auto words = kEndless;
  words.emplace_back("--json");
  const RunningProgram program(ADACVAR_PROGRAM, words, folder.path());
  wait_for_first_epoch(program);
  // A shell and the terminal may both send it.
  program.send(SIGHUP);
  program.send(SIGHUP);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "interrupted");
  EXPECT_TRUE(is_model(folder, "m.json"));
}

TEST(LostTerminal, nohup_continues) {
  const TemporaryFolder folder;
  const std::string script =
      "trap '' HUP; " ADACVAR_PROGRAM
      " train pareto --make-rows 2000 --epochs 400 --json --model m.json & pid=$!; "
      "while ! grep -q 'epoch 1/' .err; do :; done; kill -HUP $pid; wait $pid";
  const Outcome outcome = shell(folder, script);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "epochs");
}

// Runs `command` when the reader of its standard output is gone; gives its exit code.
std::string code_without_reader(const TemporaryFolder& folder, const std::string& command) {
  const Outcome outcome = shell(folder, "{ while [ ! -e gone ]; do :; done; " + command +
                                            "; echo $? >code; } | { exec <&-; touch gone; }");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return content_of(folder.path() / "code");
}

TEST(LostTerminal, messages_that_nobody_reads_end_training_with_the_best_model) {
  const TemporaryFolder folder;
  std::string line = ADACVAR_PROGRAM;
  for (const std::string& word : kEndless) line += " " + word;
  EXPECT_EQ(code_without_reader(folder, line + " --json 2>&1 >out.json"), "0\n");
  EXPECT_EQ(json::parse(content_of(folder.path() / "out.json"))["stop_reason"], "interrupted");
  EXPECT_TRUE(is_model(folder, "m.json"));
}

TEST(LostTerminal, a_program_started_to_ignore_closed_pipes_continues) {
  const TemporaryFolder folder;
  const std::string line =
      "trap '' PIPE; " ADACVAR_PROGRAM " train pareto --make-rows 100 --model m.json";
  EXPECT_EQ(code_without_reader(folder, line + " --json 2>&1 >out.json"), "0\n");
  EXPECT_EQ(json::parse(content_of(folder.path() / "out.json"))["stop_reason"], "epochs");
  fs::remove(folder.path() / "gone");
  EXPECT_EQ(code_without_reader(folder, line + " 2>/dev/null"), "2\n") << "the table is lost";
}

TEST(LostTerminal, a_table_that_nobody_reads_costs_no_file) {
  const TemporaryFolder folder;
  const std::string line = ADACVAR_PROGRAM
      " train pareto --make-rows 100 --quiet --model m.json --report r.html --trace t.jsonl";
  EXPECT_EQ(code_without_reader(folder, line), std::to_string(128 + SIGPIPE) + "\n");
  EXPECT_TRUE(is_model(folder, "m.json"));
  EXPECT_TRUE(fs::exists(folder.path() / "r.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "t.jsonl"));
}

TEST(ClosedStreams, messages_do_not_go_into_files) {
  const TemporaryFolder folder;
  const std::string train =
      ADACVAR_PROGRAM " train pareto --make-rows 100 --model m.json --report r.html";
  for (const std::string closed : {"2>&-", "0<&- 2>&-", "0<&- 1>&- 2>&-"}) {
    (void)shell(folder, train + " " + closed);
    EXPECT_TRUE(is_model(folder, "m.json")) << closed;
    EXPECT_TRUE(content_of(folder.path() / "r.html").starts_with("<!DOCTYPE html>")) << closed;
    fs::remove(folder.path() / "m.json");
    fs::remove(folder.path() / "r.html");
  }
  EXPECT_EQ(shell(folder, train + " --quiet 1>&-").code, 2)
      << "the table is lost, and that is told";
}

TEST(FullDisk, a_report_that_does_not_fit_costs_neither_table_nor_model) {
  const TemporaryFolder folder;
  // The limit on the size of files stands for a disk that is full: the page has 200 KB and more.
  const std::string train = "ulimit -f 64; " ADACVAR_PROGRAM
                            " train pareto --make-rows 100 --model m.json --report r.html";
  const Outcome outcome = shell(folder, train);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("training CVaR"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("model written to m.json"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("cannot write 'r.html'"), std::string::npos) << outcome.err;
  EXPECT_TRUE(is_model(folder, "m.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "r.html"));
  EXPECT_EQ(shell(folder, train + " --figures f").code, 2);
  EXPECT_TRUE(fs::exists(folder.path() / "f" / "losses.svg")) << "these do fit";
  for (const std::string command :
       {"compare pareto --make-rows 100 --epochs 2", "evaluate m.json pareto --make-rows 100"}) {
    const Outcome other =
        shell(folder, "ulimit -f 64; " ADACVAR_PROGRAM " " + command + " --report r.html");
    EXPECT_EQ(other.code, 2) << command << other.err;
    EXPECT_NE(other.out.find("CVaR"), std::string::npos) << other.out;
    EXPECT_NE(other.err.find("cannot write 'r.html'"), std::string::npos) << other.err;
  }
}

TEST(FullDisk, a_checkpoint_that_does_not_fit_costs_neither_table_nor_model) {
  const TemporaryFolder folder;
  // The state of the sampler alone is 16 bytes and more for each of 10,000 rows.
  const std::string train =
      " train pareto --make-rows 20000 --epochs 3 --model m.json --checkpoint c.bin";
  const Outcome outcome = shell(folder, "ulimit -f 64; " ADACVAR_PROGRAM + train);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("training CVaR"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("model written to m.json"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("cannot write 'c.bin'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("continued without checkpoints"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.path() / "c.bin"));
  const std::string cut_short = content_of(folder.path() / "m.json");
  EXPECT_EQ(shell(folder, ADACVAR_PROGRAM + train).code, 0);
  EXPECT_EQ(content_of(folder.path() / "m.json"), cut_short) << "the same model";
}

TEST(FullDisk, saved_model_is_named_when_the_table_is_lost) {
  const TemporaryFolder folder;
  const Outcome outcome = shell(folder, ADACVAR_PROGRAM
                                " train pareto --make-rows 100 --quiet --model m.json --report "
                                "r.html >/dev/full");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("model written to m.json"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
  EXPECT_TRUE(is_model(folder, "m.json"));
  EXPECT_TRUE(fs::exists(folder.path() / "r.html"));
}

TEST(FullDisk, a_model_that_does_not_fit_does_not_cost_the_table) {
  const TemporaryFolder folder;
  const Outcome outcome = shell(folder, "ulimit -f 1; " ADACVAR_PROGRAM
                                        " train pareto --make-rows 100 --quiet --model m.json");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("training"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("model written"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("cannot write 'm.json'"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder.path() / "m.json"));
}

}  // namespace
}  // namespace adacvar
