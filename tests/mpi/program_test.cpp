// adacvar-mpi as a user runs it, under mpirun.

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

using support::content_of;
using support::Outcome;
using support::RunningProgram;
using support::TemporaryFolder;

std::vector<std::string> job(std::size_t ranks, const std::vector<std::string>& arguments,
                             const std::string& program = ADACVAR_MPI_PROGRAM) {
  std::vector<std::string> all = {"-q", "--allow-run-as-root", "--oversubscribe",
                                  "-n", std::to_string(ranks), program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

/// A folder with a table: numbers, a category, missing values and a constant column.
class Program : public testing::Test {
 protected:
  Program() {
    Rng rng(1);
    std::string text = "x,city,constant,y\n";
    for (int i = 0; i < 500; ++i) {
      const double x = rng.uniform() - 0.5;
      const double noise = std::exp(3 * rng.uniform());
      text += (i % 17 == 0 ? "" : std::to_string(x)) + "," + (i % 3 == 0 ? "Bern" : "\"Biel,\n\"") +
              ",1," + std::to_string(3 * x + noise) + "\n";
    }
    (void)folder_.write("t.csv", text);
  }

  Outcome run(std::size_t ranks, const std::vector<std::string>& arguments) const {
    return support::run_program(ADACVAR_MPIRUN, job(ranks, arguments), folder_.path());
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    return content_of(folder_.path() / name);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(folder_.path() / name);
  }

  TemporaryFolder folder_;
};

// The time of the run is the only difference.
std::string without_seconds(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("seconds") == std::string::npos) result += line + "\n";
  }
  return result;
}

TEST_F(Program, same_model_and_report_on_any_number_of_ranks) {
  std::string report;
  std::string model;
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    const Outcome outcome = run(ranks, {"train", "t.csv", "--target", "y", "--alpha", "0.2",
                                        "--epochs", "5", "--model", "m.json", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    if (model.empty()) model = content("m.json");
    if (report.empty()) report = without_seconds(outcome.out);
    EXPECT_EQ(content("m.json"), model) << ranks;
    EXPECT_EQ(without_seconds(outcome.out), report) << ranks;
  }
  const Outcome evaluated =
      support::run_program(ADACVAR_PROGRAM, {"evaluate", "m.json", "t.csv"}, folder_.path());
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
}

TEST_F(Program, one_process_prints) {
  const Outcome help = run(3, {"train", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.out.find("Trains a linear model"), help.out.rfind("Trains a linear model"));
  const Outcome bad = run(3, {"train", "t.csv", "--target", "y", "--alpha", "2"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err, "adacvar: alpha = 2 is outside (0, 1]\n");
}

// An error of one part of the file: only its rank has it.
TEST_F(Program, an_error_names_its_rank) {
  (void)folder_.write("bad.csv", content("t.csv") + "1,2\n");
  const Outcome outcome = run(2, {"train", "bad.csv", "--target", "y", "--model", "m.json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(outcome.err.starts_with("adacvar: rank 1 on ")) << outcome.err;
  EXPECT_NE(outcome.err.find("bad.csv:835: 2 columns, header has 4"), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(has("m.json"));
}

TEST_F(Program, what_is_not_supported_is_refused) {
  const std::vector<std::string> train = {"train", "t.csv", "--target", "y"};
  const auto error_of = [&](std::vector<std::string> arguments) {
    const Outcome outcome = run(2, arguments);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_EQ(error_of({"frontier", "t.csv", "--target", "y"}),
            "adacvar: frontier is not supported with adacvar-mpi; use adacvar\n");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--algorithm", "exact"}, {"--mean-budget", "5%"}, {"--tune"}, {"--certify", "yes"}}) {
    std::vector<std::string> arguments = train;
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_NE(error_of(arguments).find(" is not supported with adacvar-mpi"), std::string::npos);
  }
  EXPECT_EQ(error_of({"train", "t.csv", "--target", "y", "--shards", "1"}),
            "adacvar: shards = 1 is less than the number of ranks, 2\n");
  const Outcome single = support::run_program(
      ADACVAR_PROGRAM, {"train", "t.csv", "--target", "y", "--shards", "8"}, folder_.path());
  EXPECT_EQ(single.err, "adacvar: shards has no effect: it is used by adacvar-mpi only\n");
}

// Processes of adacvar that do not know of each other would write the same model.
TEST_F(Program, adacvar_under_mpirun_is_adacvar_mpi) {
  const Outcome outcome = support::run_program(
      ADACVAR_MPIRUN, job(2, {"train", "t.csv", "--target", "y", "--epochs", "2"}, ADACVAR_PROGRAM),
      folder_.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string words = "the model was not saved";
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(words), outcome.err.rfind(words));
  const Outcome refused = support::run_program(
      ADACVAR_MPIRUN, job(2, {"frontier", "t.csv", "--target", "y"}, ADACVAR_PROGRAM),
      folder_.path());
  EXPECT_EQ(refused.err, "adacvar: frontier is not supported with adacvar-mpi; use adacvar\n");
}

/// Processes of a job, by their parent.
std::vector<pid_t> processes_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream status(entry.path() / "stat");
    std::string pid;
    std::string program;
    std::string state;
    pid_t its_parent = 0;
    status >> pid >> program >> state >> its_parent;
    if (its_parent == parent && program == "(adacvar-mpi)") found.push_back(std::stoi(pid));
  }
  std::ranges::sort(found);
  return found;
}

/// Starts a long training, sends a signal to a process once it trains, and waits for the end.
Outcome ended_by(int signal, std::size_t rank, const std::filesystem::path& folder) {
  std::filesystem::remove(folder / ".err");  // of an earlier job
  const RunningProgram program(
      ADACVAR_MPIRUN,
      job(3, {"train", "t.csv", "--target", "y", "--epochs", "1000000", "--model", "m.json"}),
      folder);
  // A note on the data is printed when training begins.
  while (program.printed_so_far().find("'constant'") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::vector<pid_t> processes = processes_of(program.process());
  EXPECT_EQ(processes.size(), 3U);
  ::kill(processes.size() > rank ? processes[rank] : program.process(), signal);
  return program.wait();
}

TEST_F(Program, a_killed_rank_ends_the_job) {
  const Outcome outcome = ended_by(SIGKILL, 1, folder_.path());
  // Whether mpirun or another rank notices first.
  EXPECT_TRUE(outcome.code == 128 + SIGKILL || outcome.code == 72) << outcome.code << outcome.err;
  EXPECT_FALSE(has("m.json"));
}

TEST_F(Program, a_stopped_rank_ends_the_job) {
  for (const std::size_t rank : {0U, 2U}) {
    const Outcome outcome = ended_by(SIGSTOP, rank, folder_.path());
    EXPECT_EQ(outcome.code, 72) << outcome.err;
    const std::string words = "rank " + std::to_string(rank) + " on ";
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("has not answered for 6 s"), std::string::npos) << outcome.err;
    EXPECT_FALSE(has("m.json"));
  }
}

}  // namespace
}  // namespace adacvar
