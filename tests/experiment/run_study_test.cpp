#include "experiment/run_study.hpp"

#include <adacvar/base/error.hpp>
#include "data/read_data.hpp"
#include "experiment/study_report.hpp"
#include "experiment/summary.hpp"

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::content_of;
using support::TemporaryFolder;

std::vector<RawData> made_sets(std::uint64_t rows) {
  return {read_data("normal", {.make_rows = rows}), read_data("sinc", {.make_rows = rows})};
}

const std::vector<RawData> kSmall = made_sets(120);

/// Three algorithms and the optimum on two small sets.
Study small_study() {
  Study study = make_study(Experiment::convex, {.seeds = 2, .sets = {"normal", "sinc"}});
  for (Contestant& contestant : study.contestants) {
    contestant.configs.resize(std::min<std::size_t>(contestant.configs.size(), 2));
    for (TrainOptions& options : contestant.configs) options.epochs = 3;
  }
  return study;
}

std::string tables_of(const Study& study, const ResultLog& log) {
  std::string text;
  const Summary summary = summarise(study, log);
  for (const ResultTable& table : study_tables(summary, nullptr)) text += table_markdown(table);
  return text + study_csv(summary);
}

TEST(RunStudy, threads_do_not_change_the_tables) {
  const TemporaryFolder folder;
  const Study study = small_study();
  ResultLog one(folder.path() / "one", "s");
  ResultLog two(folder.path() / "two", "s");
  ASSERT_TRUE(run_study(study, kSmall, 1, one));
  ASSERT_TRUE(run_study(study, kSmall, 2, two));
  EXPECT_EQ(one.size(), 2U * 2U * (5U * 2U + 1U));
  EXPECT_EQ(tables_of(study, one), tables_of(study, two));
}

TEST(RunStudy, resumes_where_it_was_stopped) {
  const TemporaryFolder folder;
  const Study study = small_study();
  ResultLog whole(folder.path() / "whole", "s");
  ASSERT_TRUE(run_study(study, kSmall, 1, whole));
  std::atomic<bool> stop = false;
  {
    ResultLog part(folder.path() / "part", "s");
    const StudyHooks hooks{.progress = [&](const StudyProgress& p) { stop = p.done >= 7; },
                           .stop = &stop};
    EXPECT_FALSE(run_study(study, kSmall, 1, part, hooks));
    EXPECT_EQ(part.size(), 7U);
    EXPECT_THROW((void)summarise(study, part), OptionError);
  }
  ResultLog part(folder.path() / "part", "s");
  std::vector<std::size_t> done;
  const StudyHooks hooks{.progress = [&](const StudyProgress& p) { done.push_back(p.done); }};
  EXPECT_TRUE(run_study(study, kSmall, 1, part, hooks));
  EXPECT_EQ(done.front(), 7U);
  EXPECT_EQ(done.size(), whole.size() - 7 + 1);  // only what was missing
  EXPECT_EQ(tables_of(study, part), tables_of(study, whole));
}

TEST(RunStudy, more_seeds_keep_the_runs_that_are_there) {
  const TemporaryFolder folder;
  Study study = small_study();
  ResultLog log(folder.path() / "log", "s");
  study.seeds = 1;
  ASSERT_TRUE(run_study(study, kSmall, 1, log));
  const std::string before = content_of(folder.path() / "log");
  study.seeds = 2;
  ASSERT_TRUE(run_study(study, kSmall, 1, log));
  EXPECT_TRUE(content_of(folder.path() / "log").starts_with(before));
}

TEST(RunStudy, refuses_data_that_has_changed) {
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "log", "s");
  ASSERT_TRUE(run_study(small_study(), kSmall, 1, log));
  EXPECT_THROW((void)run_study(small_study(), made_sets(130), 1, log), DataError);
}

}  // namespace
}  // namespace adacvar
