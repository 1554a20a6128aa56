#include "report/confusion_report.hpp"

#include "report/text_table.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

TEST(ConfusionReport, text_has_counts_recall_and_precision) {
  const std::vector<double> counts = {1200, 300, 50, 150};
  const std::vector<std::string> classes = {"no", "yes"};
  EXPECT_EQ(confusion_text({counts, classes}, "test rows"),
            "confusion matrix of the test rows: actual classes by predicted\n"
            "actual        no    yes  recall\n"
            "no         1,200    300   0.800\n"
            "yes           50    150   0.750\n"
            "precision  0.960  0.333\n");
}

TEST(ConfusionReport, weights_need_not_be_whole_and_empty_classes_have_no_shares) {
  const std::vector<double> counts = {2.5, 0, 1, 0};
  const std::vector<std::string> classes = {"a", "b"};
  const std::string text = confusion_text({counts, classes}, "rows");
  EXPECT_NE(text.find("a            2.5  0   1.000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("precision  0.714\n"), std::string::npos) << text;
  EXPECT_EQ(confusion_json(counts).dump(), "[[2.5,0],[1,0]]");
}

TEST(ConfusionReport, of_many_classes_those_with_the_most_errors_are_shown) {
  constexpr std::size_t kClasses = 40;
  std::vector<double> counts(kClasses * kClasses);
  std::vector<std::string> classes;
  for (std::size_t c = 0; c < kClasses; ++c) {
    classes.push_back("class number " + std::to_string(c));
    counts[c * kClasses + c] = 1000;
  }
  counts[7 * kClasses + 31] = 5;
  const std::string text = confusion_text({counts, classes}, "rows");
  EXPECT_NE(text.find("class number 7 "), std::string::npos) << text;
  EXPECT_NE(text.find("class number 31 "), std::string::npos) << text;
  EXPECT_NE(text.find(" of 40 classes, those with the most errors"), std::string::npos) << text;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80U) << line;
}

TEST(ConfusionReport, table_has_the_chosen_classes) {
  const std::vector<double> counts = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::string> classes = {"a", "b", "c"};
  const PageTable table = confusion_table({counts, classes}, std::vector<std::size_t>{0, 2}, "x");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"actual", "predicted a", "predicted c"}));
  EXPECT_EQ(table.rows[1][0].text, "c");
  EXPECT_EQ(table.rows[1][1].value, 7);
  EXPECT_EQ(table.rows[1][2].value, 9);
}

}  // namespace
}  // namespace adacvar
