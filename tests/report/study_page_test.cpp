#include <adacvar/report/study_page.hpp>

#include <adacvar/report/study_report.hpp>

#include "support/experiment_data.hpp"

#include <gtest/gtest.h>

#include <variant>

namespace adacvar {
namespace {

Summary made_summary(Experiment experiment, const std::string& set) {
  Summary summary{.study = make_study(experiment, {.seeds = 2, .sets = {set}}), .selected = {}};
  summary.selected.resize(1);
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    const auto cvar = static_cast<float>(c + 1);
    Selected selected;
    selected.readings = {support::made_reading(50, cvar, 0.5F, cvar),
                         support::made_reading(50, cvar, 0.5F, cvar + 0.125F)};
    summary.selected[0].push_back(selected);
  }
  return summary;
}

StudyResult result_of(Summary summary) {
  auto tables = study_tables(summary, nullptr);
  return {std::move(summary), std::move(tables)};
}

TEST(StudyPage, says_who_is_among_the_best) {
  const Page page = study_page({result_of(made_summary(Experiment::convex, "abalone"))}, {});
  EXPECT_EQ(page.verdict,
            "Among the best by test CVaR on 1 regression set: gain 1, centred 0, trunc 0, soft 0, "
            "mean 0.");
  ASSERT_EQ(page.sections.size(), 2U);
  EXPECT_EQ(page.sections[0].title, "convex, alpha 0.01");
  EXPECT_EQ(figure_files(page)[0].name, "convex-regression-scores.svg");
}

TEST(StudyPage, tables_sort_by_the_number_that_a_cell_begins_with) {
  const Page page = study_page({result_of(made_summary(Experiment::convex, "abalone"))}, {});
  for (const PageItem& item : page.sections[0].items) {
    const auto* table = std::get_if<PageTable>(&item);
    if (table == nullptr) continue;
    EXPECT_EQ(table->rows[0][2].text, "8.92±3.3");
    EXPECT_EQ(table->rows[0][2].value, 8.92);
    EXPECT_TRUE(table->rows[0][2].marked);
    EXPECT_FALSE(table->rows[1][2].value);  // the paper has none
    EXPECT_FALSE(table->rows[0][0].value);
    return;
  }
  FAIL() << "there is no table";
}

TEST(StudyPage, several_studies_have_a_section_each) {
  const Page page = study_page({result_of(made_summary(Experiment::shift_train, "monks")),
                                result_of(made_summary(Experiment::tradeoff, "monks"))},
                               {});
  ASSERT_EQ(page.sections.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<PageText>(page.sections[0].items[0]));
  EXPECT_EQ(std::get<PageText>(page.sections[1].items[0]).text,
            "monks: from alpha 1 to 0.1 the CVaR goes from 7.062 to 4.062, the mean from 1.766 to "
            "1.016 (test rows).");
  EXPECT_LT(html(page).size(), 1'000'000U);
}

}  // namespace
}  // namespace adacvar
