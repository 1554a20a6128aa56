#include "experiment/study_page.hpp"

#include "experiment/study_report.hpp"

#include "support/expect_words.hpp"
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

TEST(StudyPage, names_the_best) {
  const Page page = study_page({result_of(made_summary(Experiment::convex, "abalone"))}, {});
  EXPECT_PRED2(
      support::has_words, page.verdict,
      "By test CVaR Ada-CVaR (gain) is best ... on 1 of 1 regression set, Ada-CVaR (centred) on "
      "none, Trunc-CVaR on none, Soft-CVaR on none, Mean on none.");
  ASSERT_EQ(page.sections.size(), 2U);
  EXPECT_EQ(page.sections[0].title, "convex, alpha 0.01");
  EXPECT_EQ(figure_files(page)[0].name, "convex-regression-scores.svg");
}

TEST(StudyPage, algorithms_are_ordered_by_wins_and_ties_are_named) {
  Summary summary{
      .study = make_study(Experiment::convex, {.seeds = 2, .sets = {"abalone", "sinc"}}),
      .selected = {}};
  for (std::size_t set = 0; set < 2; ++set) {
    auto& row = summary.selected.emplace_back();
    for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
      // The later the better on the first set, all alike on the second.
      const float cvar = set == 0 ? 9 - static_cast<float>(c) : 1;
      Selected selected;
      selected.readings = {support::made_reading(50, cvar, 0.5F, cvar),
                           support::made_reading(50, cvar, 0.5F, cvar + 0.125F)};
      row.push_back(selected);
    }
  }
  EXPECT_PRED2(support::has_words, study_page({result_of(summary)}, {}).verdict,
               "By test CVaR Mean is best ... on 1 of 2 regression sets, Ada-CVaR (gain) on none, "
               "Ada-CVaR (centred) on none, Trunc-CVaR on none, Soft-CVaR on none; on 1 ... do not "
               "differ");
  summary.selected[0] = summary.selected[1];
  EXPECT_PRED2(support::has_words, study_page({result_of(summary)}, {}).verdict,
               "By test CVaR ... do not differ ... splits of the 2 regression sets.");
}

TEST(StudyPage, the_end_has_the_fingerprint_of_every_set_once) {
  StudyResult result = result_of(made_summary(Experiment::shift_train, "monks"));
  result.data = {{.rows = 1234, .columns = 7, .crc64 = "0123456789abcdef"}};
  const Page page = study_page({result, result}, {.command = "x", .options = {}});
  const auto& facts = std::get<PageTable>(page.sections.back().items[2]);
  EXPECT_EQ(facts.rows[0][0].text, "data fingerprint of monks");
  EXPECT_EQ(facts.rows[0][1].text, "1,234 rows, 7 columns, CRC-64 0123456789abcdef");
  EXPECT_EQ(facts.rows[1][0].text, "seeds of the splits");
  EXPECT_EQ(facts.rows[1][1].text, "0 to 1");
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
