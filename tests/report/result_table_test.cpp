#include <adacvar/report/result_table.hpp>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace adacvar
