#include "report/result_table.hpp"

#include "report/text_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace adacvar {
namespace {

ResultTable made_table() {
  return {.title = "Some 5 % of_all",
          .header = {"set", "loss"},
          .rows = {{{"a|b"}, {"1.0±0.1", true}}, {{"c"}, {"–"}}},
          .notes = {"A note."}};
}

TEST(TableText, marks_the_best_and_keeps_digits_in_line) {
  EXPECT_EQ(table_text(made_table()),
            "Some 5 % of_all\n\n"
            "set     loss\n"
            "a|b  1.0±0.1*\n"
            "c          –\n"
            "A note.\n");
}

TEST(TableMarkdown, is_a_table_with_the_best_in_bold) {
  EXPECT_EQ(table_markdown(made_table()),
            "### Some 5 % of_all\n\n"
            "| set | loss |\n|---|---|\n"
            "| a\\|b | **1.0±0.1** |\n"
            "| c | – |\n"
            "\nA note.\n");
}

TEST(TableLatex, signs_of_order_are_mathematics) {
  EXPECT_NE(table_latex({"p > 0.05 > x < 1", {"a"}, {}}).find("p $>$ 0.05 $>$ x $<$ 1"),
            std::string::npos);
}

TEST(TableLatex, escapes_and_typesets) {
  EXPECT_EQ(table_latex(made_table()),
            "\\begin{table}[htbp]\n\\centering\\scriptsize\n\\caption{Some 5 \\% of\\_all}\n"
            "\\begin{tabular}{ll}\n\\toprule\nset & loss \\\\\n\\midrule\n"
            "a|b & \\textbf{1.0$\\pm$0.1} \\\\\nc & -- \\\\\n"
            "\\bottomrule\n\\end{tabular}\n\\\\[2pt] A note.\n\\end{table}\n");
}

TEST(TableText, holds_80_columns) {
  const std::string config = "adam 0.05, batch 64, eta auto, gamma 0.1, constant, early";
  const std::string text =
      table_text({.title = "What was chosen of the many configurations that there were, in words "
                           "that go on and on",
                  .header = {"set", "algorithm", "configuration", "overflows"},
                  .rows = {{{"abalone"}, {"centred"}, {config}, {"0 of 48"}},
                           {{"sinc"}, {"mean"}, {""}, {"0 of 24"}}},
                  .notes = {"A note that is longer than a line of a terminal and so has to be "
                            "broken somewhere."}});
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 80U) << line;
  EXPECT_NE(text.find("gamma 0.1,    0 of 48\n"), std::string::npos) << text;
  EXPECT_NE(text.find("sinc          mean"), std::string::npos) << text;
}

}  // namespace
}  // namespace adacvar
