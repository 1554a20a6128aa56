#include "report/text_table.hpp"
#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::content_of;
using support::has_words;
using support::Outcome;
using support::TemporaryFolder;

Outcome run(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.emplace_back("--quiet");
  return support::run_program(ADACVAR_PROGRAM, arguments, folder.path());
}

void expect_sections(const std::string& page, const std::vector<std::string>& titles) {
  std::size_t from = page.find("<nav");
  for (const std::string& title : titles) {
    const std::size_t at = page.find(">" + title + "</h2>", from);
    ASSERT_NE(at, std::string::npos) << title;
    from = at;
  }
}

bool has_section(const std::string& page, const std::string& title) {
  return page.find(">" + title + "</h2>") != std::string::npos;
}

TEST(Report, compare_has_all_sections_in_their_order) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"compare", "pareto", "--make-rows", "500", "--epochs", "3",
                                       "--report", "r.html", "--figures", "fig"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "r.html");
  expect_sections(
      page, {"Losses", "Tail shares", "Mean and tail", "Predicted against actual", "Coefficients",
             "Training", "The sampler", "Worst rows", "Reproduce this run"});
  EXPECT_TRUE(has_words(page, "worst 10 % ... Ada-CVaR"));
  EXPECT_NE(page.find("adacvar compare pareto --make-rows 500 --epochs 3 --report r.html --figures "
                      "fig --quiet</pre>"),
            std::string::npos);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "fig")) {
    names.insert(entry.path().filename().string());
    EXPECT_TRUE(content_of(entry.path()).starts_with("<svg ")) << entry.path();
  }
  EXPECT_TRUE(names.contains("losses.svg"));
  EXPECT_TRUE(names.contains("trade-off.svg"));
  EXPECT_TRUE(names.contains("predicted-ada-cvar.svg"));
  EXPECT_TRUE(names.contains("predicted-mean.svg"));
  EXPECT_TRUE(names.contains("certified-gap.svg"));
  EXPECT_TRUE(names.contains("effective-rows.svg"));
}

TEST(Report, repeats_come_first_then_the_first_of_them) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"compare", "pareto", "--make-rows", "300", "--epochs", "2",
                                       "--repeats", "2", "--report", "r.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has_words(outcome.out, "2 seeds"));
  const std::string page = content_of(folder.path() / "r.html");
  expect_sections(page, {"Repeats", "Losses", "Mean and tail", "Reproduce this run"});
  EXPECT_TRUE(has_words(page, "2 seeds"));
}

TEST(Report, a_report_does_not_change_the_results) {
  const TemporaryFolder folder;
  const std::vector<std::string> plain = {"train", "pareto", "--make-rows", "400", "--epochs", "3"};
  std::vector<std::string> reported = plain;
  reported.insert(reported.end(), {"--report", "r.html", "--model", "b.json"});
  std::vector<std::string> saved = plain;
  saved.insert(saved.end(), {"--model", "a.json"});
  ASSERT_EQ(run(folder, saved).code, 0);
  ASSERT_EQ(run(folder, reported).code, 0);
  EXPECT_EQ(content_of(folder.path() / "a.json"), content_of(folder.path() / "b.json"));
}

TEST(Report, evaluate_has_groups_and_nothing_of_training) {
  const TemporaryFolder folder;
  std::string table = "x,side,y\n";
  for (int i = 0; i < 200; ++i) {
    table += std::to_string(i % 17) + "," + (i % 2 == 0 ? "left" : "right") + "," +
             std::to_string(i % 17 + i % 3) + "\n";
  }
  (void)folder.write("t.csv", table);
  ASSERT_EQ(
      run(folder, {"train", "t.csv", "--target", "y", "--epochs", "2", "--model", "m.json"}).code,
      0);
  const Outcome outcome =
      run(folder, {"evaluate", "m.json", "t.csv", "--group", "side", "--report", "e.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "e.html");
  expect_sections(page, {"Losses", "Tail shares", "Predicted against actual", "Coefficients",
                         "Worst rows", "Groups", "Reproduce this run"});
  EXPECT_TRUE(has_words(page, "largest losses"));
  EXPECT_FALSE(has_section(page, "Training"));
  EXPECT_FALSE(has_section(page, "The sampler"));
  EXPECT_TRUE(has_words(page, "m.json, SHA-256"));
  EXPECT_TRUE(has_words(page, "alpha 0.1, seed 0"));
  EXPECT_TRUE(has_words(page, "seed ... bootstrap</td><td>0</td>"));
  EXPECT_TRUE(has_words(outcome.out, "squared loss"));
}

TEST(Report, evaluate_has_guarantees_and_another_model) {
  const TemporaryFolder folder;
  for (const std::string algorithm : {"adacvar", "mean"}) {
    ASSERT_EQ(run(folder, {"train", "normal", "--algorithm", algorithm, "--epochs", "2", "--model",
                           algorithm + ".json"})
                  .code,
              0);
  }
  const Outcome outcome =
      run(folder, {"evaluate", "adacvar.json", "normal", "--part", "test", "--guarantee", "0.95",
                   "--loss-max", "500", "--against", "mean.json", "--json", "--report", "e.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(found["guarantee"]["confidence"], 0.95);
  EXPECT_EQ(found["guarantee"]["loss_max"], 500);
  EXPECT_EQ(found["guarantee"]["tails"].size(), found["tails"].size());
  EXPECT_GT(found["guarantee"]["tails"][2]["cvar_at_most"], found["tails"][2]["cvar"]);
  EXPECT_EQ(found["against"]["model"], "mean.json");
  EXPECT_EQ(found["against"]["tails"].size(), found["tails"].size());
  const nlohmann::json& difference = found["against"]["tails"][2];
  EXPECT_EQ(difference["alpha"], 0.1);
  EXPECT_EQ(difference["better"], false);
  EXPECT_GT(difference["difference_at_most"], difference["difference"]);
  const std::string page = content_of(folder.path() / "e.html");
  expect_sections(page, {"Losses", "Tail shares", "Against another model", "Reproduce this run"});
  EXPECT_TRUE(has_words(page, "CVaR of new rows"));
  EXPECT_TRUE(has_words(page, "Not shown to be better ... mean.json"));
  EXPECT_TRUE(has_words(page, "mean.json, SHA-256"));
}

TEST(Report, reproduce_has_fingerprints_and_the_command) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"reproduce", "convex", "--sets", "sinc", "--make-rows", "60",
                                       "--seeds", "2", "--out", "r", "--report", "r.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "r.html");
  EXPECT_TRUE(has_words(page, "fingerprint of sinc"));
  EXPECT_TRUE(has_words(page, "60 rows, 11 columns, CRC-64"));
  EXPECT_NE(page.find("adacvar reproduce convex --seeds 2 --sets sinc --out r --make-rows 60 "
                      "--report r.html --quiet</pre>"),
            std::string::npos);
}

TEST(Report, several_tail_shares_are_all_named) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"train", "normal", "--make-rows", "200", "--algorithm",
                                       "exact", "--alphas", "0.1,0.5", "--report", "r.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "r.html");
  EXPECT_TRUE(has_words(page, "2 tail shares"));
  EXPECT_TRUE(has_words(page, "0.1, 0.5"));
  EXPECT_TRUE(has_words(page, "exact optimum ... tail share 0.1"));
}

TEST(Evaluate, holds_80_columns_with_long_names) {
  const TemporaryFolder folder;
  const std::string group = "the column whose values divide the rows into groups of their own";
  std::string table = "x," + group + ",kind\n";
  for (int i = 0; i < 240; ++i) {
    table += std::to_string(i % 17) + "," + std::string(60, 'g') + std::to_string(i % 2) +
             ",a class with a name that is rather long " + std::to_string(i % 17 / 6) + "\n";
  }
  (void)folder.write("t.csv", table);
  ASSERT_EQ(
      run(folder, {"train", "t.csv", "--target", "kind", "--epochs", "2", "--model", "m.json"})
          .code,
      0);
  const Outcome outcome = run(folder, {"evaluate", "m.json", "t.csv", "--group", group});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80U) << line;
  EXPECT_NE(outcome.out.find("ggg0 "), std::string::npos) << outcome.out;
}

TEST(Report, classes_have_precision_recall_and_calibration) {
  const TemporaryFolder folder;
  std::string table = "u,</script><img src=x onerror=alert(1)>,kind\n";
  for (int i = 0; i < 240; ++i) {
    table += std::to_string(i % 3 + i % 7 * 0.3) + "," + std::to_string(i % 11) + "," +
             std::string(1, static_cast<char>('a' + i % 3)) + "\n";
  }
  (void)folder.write("t.csv", table);
  const Outcome outcome = run(folder, {"train", "t.csv", "--target", "kind", "--epochs", "2",
                                       "--report", "r.html", "--figures", "f"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = content_of(folder.path() / "r.html");
  EXPECT_TRUE(has_section(page, "Classes"));
  EXPECT_TRUE(has_words(page, "calibration error"));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "f" / "calibration.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "f" / "validation-accuracy.svg"));
}

TEST(Report, of_a_million_rows_is_below_a_megabyte) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"train", "pareto", "--make-rows", "1000000", "--epochs", "1",
                                       "--certify", "no", "--report", "r.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(std::filesystem::file_size(folder.path() / "r.html"), 1'000'000U);
}

TEST(Report, what_cannot_be_written_is_refused_before_training) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"compare", "pareto", "--report", "none/r.html"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  (void)folder.write("file", "");
  EXPECT_EQ(run(folder, {"train", "pareto", "--figures", "file"}).code, 2);
}

TEST(Histograms, are_plain_text_where_there_is_no_terminal) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"compare", "pareto", "--make-rows", "300", "--epochs", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has_words(outcome.out, "m mean ... v VaR ... C CVaR"));
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace adacvar
