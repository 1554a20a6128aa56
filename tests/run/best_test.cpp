#include <adacvar/run/best.hpp>

#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/report/best.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

// Without networks and trees: those have tests of the program.
std::string made_csv(std::size_t rows, int classes) {
  Rng rng(3);
  std::string text = "a,b,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = support::normal(rng);
    const double b = rng.uniform();
    const double y = a + (1 + 3 * b) * support::normal(rng);
    text += fmt::format("{},{},", a, b);
    text += classes == 0   ? fmt::format("{}\n", y)
            : classes == 2 ? (y > 0 ? "yes\n" : "no\n")
                           : (y > 1    ? "high\n"
                              : y > -1 ? "middle\n"
                                       : "low\n");
  }
  return text;
}

DataOptions data_of(const std::filesystem::path& path) {
  DataOptions data;
  data.data = path.string();
  data.target = "y";
  return data;
}

BestReport best_of(const DataOptions& data, const BestOptions& options = {}) {
  return best(data, options).value();
}

TEST(Best, numbers) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(400, 0)));
  const BestReport report = best_of(data);
  ASSERT_EQ(report.bases.size(), 2U);
  EXPECT_EQ(report.bases[0].name, "linear");
  EXPECT_NEAR(report.bases[0].weight + report.bases[1].weight, 1, 1e-9);
  EXPECT_EQ(report.training_rows, 320U);
  EXPECT_EQ(report.test->rows, 80U);
  // Stacking cannot be worse than a base on the rows that chose the weights.
  for (const BestBase& base : report.bases) {
    EXPECT_LE(report.stack.held_out.risk.mean, base.held_out.risk.mean * (1 + 1e-7));
  }
  EXPECT_LE(report.held_out.risk.cvar, report.stack.held_out.risk.cvar * (1 + 1e-12));
  EXPECT_EQ(report.notes.size(), 2U);  // parts that are not there
  EXPECT_FALSE(report.is_interrupted);
}

// The budget of the held-out mean holds with room for its error, so at every point of the curve.
TEST(Best, corrections_keep_their_budgets) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(900, 2)));
  const BestReport report = best_of(data, {.alpha = 0.2, .mean_budget = 0.1});
  const TailRisk& stack = report.stack.held_out.risk;
  ASSERT_EQ(report.frontier.size(), 4U);
  double cvar = stack.cvar * (1 + 1e-12);
  int corrected = 0;
  for (const BestPoint& point : report.frontier) {
    EXPECT_LE(point.held_out.cvar, cvar);  // what a smaller budget allows is allowed
    cvar = point.held_out.cvar;
    EXPECT_EQ(point.is_corrected, point.fitted_budget.has_value());
    if (!point.is_corrected) continue;
    ++corrected;
    EXPECT_LE(*point.fitted_budget, point.mean_budget);
    EXPECT_LT(point.held_out.mean, (1 + point.mean_budget) * stack.mean);
  }
  EXPECT_GE(corrected, 1);
  EXPECT_EQ(report.is_corrected, report.frontier.back().is_corrected);
  EXPECT_EQ(report.stack_losses.size(), report.is_corrected ? 180U : 0U);
}

TEST(Best, too_few_rows_to_judge_a_tail_are_not_corrected) {
  const TemporaryFolder folder;
  const BestReport report = best_of(data_of(folder.write("t.csv", made_csv(200, 0))));
  EXPECT_FALSE(report.is_corrected);
  EXPECT_TRUE(report.frontier.empty());
  EXPECT_NE(report.notes.back().find("fewer than 20"), std::string::npos);
}

TEST(Best, classes) {
  const TemporaryFolder folder;
  for (const int classes : {2, 3}) {
    const DataOptions data = data_of(folder.write("t.csv", made_csv(600, classes)));
    const BestReport report = best_of(data);
    EXPECT_GT(report.test->accuracy.value(), 0.4);
    EXPECT_LE(report.held_out.risk.cvar, report.stack.held_out.risk.cvar * (1 + 1e-12));
    EXPECT_EQ(report.frontier.empty(), classes == 3);
    EXPECT_EQ(report.temperature == 1, classes == 2);
    const nlohmann::json json = nlohmann::json::parse(best_json(report));
    EXPECT_EQ(json["bases"].size(), report.bases.size());
    EXPECT_NE(best_text(report).find("stack"), std::string::npos);
  }
}

TEST(Best, saved_model_has_the_same_scores) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(300, 0)));
  const BestReport report = best_of(data);
  report.model.save(folder.path() / "m.json");
  const Model again = Model::load(folder.path() / "m.json");
  const std::vector<double> x = {0.5, 0.25, -1, 0.75};
  EXPECT_EQ(again.predict({x, 2, 2}), report.model.predict({x, 2, 2}));
  expect_words<OptionError>([&] { (void)again.coefficients(); }, "stack");
}

TEST(Best, same_on_any_number_of_threads_and_from_a_checkpoint) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(300, 2)));
  const std::filesystem::path store = folder.path() / "store";
  const auto text_of = [&](const BestOptions& options) {
    best_of(data, options).model.save(folder.path() / "m.json");
    std::ifstream in(folder.path() / "m.json");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string first = text_of({.threads = 1, .checkpoint = store.string()});
  EXPECT_TRUE(text_of({.threads = 2}) == first);
  EXPECT_TRUE(text_of({.checkpoint = store.string()}) == first);
  expect_words<DataError>([&] { (void)best_of(data, {.seed = 1, .checkpoint = store.string()}); },
                          "linear-0.json ... other data or options");
  std::ofstream(store / "linear-1.json") << "{";
  expect_words<DataError>([&] { (void)best_of(data, {.checkpoint = store.string()}); },
                          "linear-1.json ... damaged");
}

TEST(Best, stops_with_the_bases_that_are_complete) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(300, 0)));
  std::atomic<bool> stop = true;
  EXPECT_FALSE(best(data, {}, {.stop = &stop}));
  stop = false;
  const auto stop_at = [&](const BestProgress& progress) { stop = progress.done == 5; };
  const std::optional<BestReport> report = best(data, {}, {.progress = stop_at, .stop = &stop});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->bases.size(), 1U);
  EXPECT_TRUE(report->is_interrupted);
  EXPECT_NE(report->headlines.back().find("linear for the tail"), std::string::npos);
  // No time at all: the first kind as far as it came, and words about that.
  const BestReport cut = best_of(data, {.time = "0.000001s"});
  EXPECT_EQ(cut.bases.size(), 1U);
  EXPECT_TRUE(cut.is_interrupted);
  EXPECT_NE(cut.headlines.back().find("stopped before they were complete"), std::string::npos);
}

TEST(Best, row_weights_count_as_copies) {
  const TemporaryFolder folder;
  Rng rng(4);
  std::string text = "a,w,y\n";
  for (int i = 0; i < 200; ++i) {
    const double a = rng.uniform();
    text += fmt::format("{},{},{}\n", a, i % 3, a + rng.uniform());
  }
  DataOptions data = data_of(folder.write("t.csv", text));
  data.weight = "w";
  const BestReport report = best_of(data);
  EXPECT_GT(report.held_out.weight, static_cast<double>(report.held_out.rows));
}

TEST(Best, nothing_is_left_to_correct) {
  const TemporaryFolder folder;
  std::string line = "a,y\n";
  std::string noise = "a,y\n";
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    line += fmt::format("{},{}\n", i, 2 * i + 1);
    noise += fmt::format("{},{}\n", i % 2, i / 2 % 2 == 0 ? "yes" : "no");
  }
  EXPECT_FALSE(best_of(data_of(folder.write("line.csv", line))).is_corrected);
  EXPECT_FALSE(best_of(data_of(folder.write("noise.csv", noise))).is_corrected);
}

TEST(Best, guarantee) {
  const TemporaryFolder folder;
  const DataOptions data = data_of(folder.write("t.csv", made_csv(300, 0)));
  const BestReport report = best_of(data, {.guarantee = 0.95, .loss_max = 1000});
  EXPECT_GT(report.bound.value(), report.test->risk.cvar);
  // One that a test row breaks is said, and nothing is lost.
  const BestReport without = best_of(data, {.guarantee = 0.95, .loss_max = 1e-3});
  EXPECT_FALSE(without.bound);
  EXPECT_NE(without.headlines.back().find("loss-max"), std::string::npos);
}

TEST(Best, rows_of_a_matrix_give_the_model_of_the_same_file) {
  const TemporaryFolder folder;
  std::string text = "x1,x2,y\n";
  std::vector<double> x;
  std::vector<double> y;
  Rng rng(5);
  for (std::size_t i = 0; i < 200; ++i) {
    const double a = std::round(1e4 * support::normal(rng)) / 1e4;
    const double b = std::round(1e4 * rng.uniform()) / 1e4;
    const double target = std::round(1e4 * (a + (1 + 3 * b) * support::normal(rng))) / 1e4;
    const bool is_missing = i % 9 == 0;
    x.insert(x.end(), {a, is_missing ? std::nan("") : b});
    y.push_back(target);
    text += fmt::format("{},{},{}\n", a, is_missing ? "" : fmt::format("{}", b), target);
  }
  DataOptions file = data_of(folder.write("t.csv", text));
  file.split = {1, 0, 0};
  const BestReport of_file = best_of(file);
  const BestReport of_matrix = best(MatrixView(x, y.size(), 2), y, {}, {}).value();
  EXPECT_EQ(of_matrix.held_out.risk.cvar, of_file.held_out.risk.cvar);
  EXPECT_EQ(of_matrix.model.predict(MatrixView(x, y.size(), 2)),
            of_file.model.predict(MatrixView(x, y.size(), 2)));
  EXPECT_EQ(Model::from_text(of_matrix.model.to_text()).predict(MatrixView(x, y.size(), 2)),
            of_matrix.model.predict(MatrixView(x, y.size(), 2)));
  EXPECT_EQ(of_matrix.model.kind(), Model::Kind::stack);
  expect_words<OptionError>(
      [&] { (void)best(MatrixView(x, y.size(), 2), y, {}, {.checkpoint = "c"}); }, "checkpoint");
}

TEST(Best, bad_input) {
  const TemporaryFolder folder;
  const DataOptions few = data_of(folder.write("few.csv", "a,y\n1,2\n2,3\n3,5\n4,4\n5,5\n"));
  expect_words<DataError>([&] { (void)best_of(few); }, "folds");
  const DataOptions rare = data_of(folder.write(
      "rare.csv", "a,y\n1,a\n2,a\n3,a\n4,a\n5,b\n6,b\n7,a\n8,a\n9,b\n10,a\n11,a\n12,a\n"));
  expect_words<DataError>([&] { (void)best_of(rare); }, "class 'b' ... folds");
  const DataOptions data = data_of(folder.write("t.csv", made_csv(100, 0)));
  expect_words<OptionError>([&] { (void)best_of(data, {.folds = 1}); }, "folds = 1");
  expect_words<OptionError>([&] { (void)best_of(data, {.guarantee = 0.9}); }, "loss-max");
  expect_words<OptionError>([&] { (void)best_of(data, {.time = "soon"}); }, "soon ... 90s");
  DataOptions with_valid = data;
  with_valid.split = {0.5, 0.3, 0.2};
  expect_words<OptionError>([&] { (void)best_of(with_valid); }, "validation rows");
  DataOptions whole = data;
  whole.split = {1, 0, 0};
  expect_words<OptionError>([&] { (void)best_of(whole, {.guarantee = 0.9, .loss_max = 9}); },
                            "test rows");
  EXPECT_FALSE(best_of(whole).test);
}

}  // namespace
}  // namespace adacvar
