// The command frontier as a user runs it.

#include "report/text_table.hpp"
#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::content_of;
using support::Outcome;
using support::TemporaryFolder;

Outcome run(const TemporaryFolder& folder, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return support::run_program(ADACVAR_PROGRAM, words, folder.path());
}

TEST(FrontierCommand, writes_table_json_csv_page_figures_and_the_chosen_model) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder,
          "frontier pareto --make-rows 400 --points 5 --json --quiet --csv curve.csv --report "
          "r.html --figures fig --model m.json --at mean=+2%");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["chosen"]["mark"], "+2 %");
  EXPECT_EQ(found["model"], "m.json");
  const json& chosen = found["points"][found["chosen"]["point"].get<std::size_t>()];
  EXPECT_LE(chosen["risk"]["train"]["mean"].get<double>(),
            1.02 * found["points"][0]["risk"]["train"]["mean"].get<double>() * (1 + 1e-9));
  std::istringstream csv(content_of(folder.path() / "curve.csv"));
  std::size_t lines = 0;
  for (std::string line; std::getline(csv, line);) ++lines;
  EXPECT_EQ(lines, 1 + found["points"].size());
  const std::string page = content_of(folder.path() / "r.html");
  EXPECT_NE(page.find(">Curve</h2>"), std::string::npos);
  EXPECT_NE(page.find("adacvar frontier pareto --points 5 --at mean=+2% --make-rows 400"),
            std::string::npos)
      << page.substr(page.find("adacvar frontier"), 100);
  EXPECT_TRUE(content_of(folder.path() / "fig" / "frontier.svg").starts_with("<svg "));
  // The model is the point: the same risk on the same training rows.
  const Outcome again =
      run(folder, "evaluate m.json pareto --make-rows 400 --part train --json --quiet");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NEAR(json::parse(again.out)["mean"].get<double>(),
              chosen["risk"]["train"]["mean"].get<double>(), 1e-9);
}

TEST(FrontierCommand, prints_at_most_80_columns) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "frontier pareto --make-rows 300 --points 4 --quiet");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80U) << line;
  EXPECT_TRUE(support::has_words(outcome.out, "5 % more mean loss ... change of the mean"));
}

TEST(FrontierCommand, traces_by_runs) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder,
                              "frontier pareto --make-rows 300 --algorithm adacvar --epochs 3 "
                              "--points 3 --certify no --json --quiet --at knee --model m.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["algorithm"], "adacvar");
  EXPECT_EQ(found["points"].size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "m.json"));
}

TEST(FrontierCommand, one_file_is_not_written_twice) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "frontier pareto --model a --csv a");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(support::has_words(outcome.err, "would overwrite")) << outcome.err;
}

TEST(FrontierCommand, an_interrupt_keeps_the_points_so_far) {
  const TemporaryFolder folder;
  const support::RunningProgram program(
      ADACVAR_PROGRAM,
      {"frontier", "pareto", "--make-rows", "4000", "--points", "1000", "--tolerance", "1e-11",
       "--json", "--model", "m.json"},
      folder.path());
  // Progress is printed for each tenth: point 101 comes second.
  while (program.printed_so_far().find("point 10") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["interrupted"], true);
  EXPECT_LT(found["points"].size(), 1000U);
  EXPECT_NE(outcome.err.find("stopped early"), std::string::npos);
}

}  // namespace
}  // namespace adacvar
