// Commands that are killed at random moments and started again end in the same bytes.

#include <adacvar/base/rng.hpp>

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adacvar::cli {
namespace {

using support::RunningProgram;
using support::TemporaryFolder;

struct Killed {
  std::string name;
  std::string line;  // writes its results to out/
  int kills = 50;
  bool has_checkpoint = true;  // else the results themselves are resumed from
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

/// All files under a folder, by name, but the log of `reproduce`, which has times.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && name != "results.jsonl") {
      files[name] = support::content_of(entry.path());
    }
  }
  return files;
}

class Kill : public testing::TestWithParam<Killed> {};

TEST_P(Kill, at_random_moments_does_not_change_the_result) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "out");
  const std::vector<std::string> plain = words_of(GetParam().line);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ASSERT_EQ(support::run_program(ADACVAR_PROGRAM, plain, folder.path()).code, 0)
      << support::content_of(folder.path() / ".err");
  const auto length = Clock::now() - begin;  // only decides where the kills fall
  const std::map<std::string, std::string> expected = files_in(folder.path() / "out");
  ASSERT_FALSE(expected.empty());

  std::vector<std::string> resumable = plain;
  if (GetParam().has_checkpoint) resumable.insert(resumable.end(), {"--checkpoint", "state"});
  const int wanted = std::getenv("ADACVAR_LONG_TESTS") != nullptr ? 50 : GetParam().kills;
  Rng rng(7);
  int finished = 0;
  for (int kills = 0; kills < wanted;) {
    const RunningProgram program(ADACVAR_PROGRAM, resumable, folder.path());
    std::this_thread::sleep_for(
        std::chrono::duration_cast<std::chrono::microseconds>(length * rng.uniform()));
    program.send(SIGKILL);
    const support::Outcome outcome = program.wait();
    if (outcome.code == 128 + SIGKILL) {
      ++kills;
      continue;
    }
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(files_in(folder.path() / "out"), expected);
    std::filesystem::remove_all(folder.path() / "state");
    std::filesystem::remove_all(folder.path() / "out");
    std::filesystem::create_directory(folder.path() / "out");
    ++finished;
  }
  ASSERT_EQ(support::run_program(ADACVAR_PROGRAM, resumable, folder.path()).code, 0);
  EXPECT_EQ(files_in(folder.path() / "out"), expected) << "finished before: " << finished;
}

std::vector<Killed> commands() {
  const std::string common = " --make-rows 2000 -q";
  std::vector<Killed> all{
      {"linear", "train pareto --epochs 20 --model out/m.json" + common},
      {"tune", "train pareto --epochs 5 --tune --model out/m.json" + common},
      {"compare", "compare pareto --epochs 10 --model out/models" + common},
      {"frontier",
       "frontier pareto --algorithm adacvar --epochs 4 --model out/m.json --csv out/c.csv" +
           common},
      {"reproduce", "reproduce convex --sets sinc --make-rows 200 --seeds 2 --out out -q", 50,
       false},
#ifdef ADACVAR_WITH_TREES
      {"trees", "train pareto --trees --rounds 20 --model out/m.json" + common},
#endif
#ifdef ADACVAR_WITH_NETWORKS
      {"network", "train pareto --network mlp:8 --epochs 5 --model out/m.json" + common, 20},
#endif
      // Linear models, and networks and trees where they are built; seconds each.
      {"best", "best pareto --folds 2 --model out/m.json --make-rows 200 -q", 10},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Commands, Kill, testing::ValuesIn(commands()),
                         [](const auto& killed) { return killed.param.name; });

}  // namespace
}  // namespace adacvar::cli
