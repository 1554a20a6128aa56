#include "experiment/paper.hpp"
#include "experiment/study.hpp"

#include <gtest/gtest.h>

namespace adacvar {
namespace {

TEST(PaperFigures, are_all_there) {
  EXPECT_EQ(paper_figures().size(), 2U * 336U);  // two figures a line of the file
}

TEST(PaperFigures, are_those_printed) {
  const PaperFigure* figure = find_paper_figure("convex", "abalone", "adacvar", "cvar");
  ASSERT_NE(figure, nullptr);
  EXPECT_EQ(figure->mean, 8.92);
  EXPECT_EQ(figure->sd, 3.3);
  EXPECT_TRUE(figure->best);
  const PaperFigure* second = find_paper_figure("convex", "cpu-small", "mean", "loss");
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->mean, 0.30);
  const PaperFigure* shift =
      find_paper_figure("shift_double_upsample", "adult", "soft", "accuracy");
  ASSERT_NE(shift, nullptr);
  EXPECT_EQ(shift->mean, 0.72);
}

TEST(PaperFigures, none_for_what_the_paper_does_not_have) {
  EXPECT_EQ(find_paper_figure("convex", "abalone", "exact", "cvar"), nullptr);
}

TEST(PaperFigures, cover_every_set_of_our_studies) {
  for (const Experiment experiment : {Experiment::convex, Experiment::shift_train,
                                      Experiment::shift_test, Experiment::shift_double}) {
    const Study study = make_study(experiment, {});
    const char* metric = experiment == Experiment::convex ? "cvar" : "accuracy";
    for (const std::string& set : study.sets) {
      for (const char* algorithm : {"adacvar", "trunc", "soft", "mean"}) {
        EXPECT_NE(find_paper_figure(study.table, set, algorithm, metric), nullptr)
            << study.table << ' ' << set << ' ' << algorithm;
      }
    }
  }
}

}  // namespace
}  // namespace adacvar
