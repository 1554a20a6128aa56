#include "report/text_table.hpp"
#include "support/expect_words.hpp"
#include "support/made_images.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <set>
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

Outcome run(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  return support::run_program(ADACVAR_PROGRAM, arguments, folder.path());
}

json run_json(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Outcome outcome = run(folder, arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\n'), outcome.out.size() - 1) << "one line";
  return json::parse(outcome.out);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Two clouds of points around (0, 0) and (3, 3); optionally a third around (6, 0).
std::string clouds(int rows, int kinds) {
  std::string text = "u,v,colour,kind\n";
  for (int i = 0; i < rows; ++i) {
    const int kind = i % kinds;
    const double u = 3.0 * kind + std::sin(i * 1.7);
    const double v = (kind == 1 ? 3.0 : 0.0) + std::cos(i * 2.3);
    text += std::to_string(u) + "," + std::to_string(v) + "," + (i % 5 == 0 ? "red" : "blue") +
            "," + std::string(1, static_cast<char>('a' + kind)) + "\n";
  }
  return text;
}

TEST(Program, train_prints_the_promised_object) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"train", "pareto", "--make-rows", "1000", "--alpha", "0.05",
                                       "--seed", "3", "--model", "m.json"});
  EXPECT_EQ(found["algorithm"], "adacvar");
  EXPECT_EQ(found["task"], "regression");
  EXPECT_EQ(found["loss"], "squared");
  EXPECT_EQ(found["alpha"], 0.05);
  EXPECT_EQ(found["seed"], 3);
  EXPECT_EQ(found["rows"], (json{{"train", 500}, {"valid", 300}, {"test", 200}}));
  EXPECT_EQ(found["stop_reason"], "epochs");
  EXPECT_EQ(found["model"], "m.json");
  EXPECT_GT(found["seconds"], 0);
  for (const char* part : {"train", "valid", "test"}) {
    const json& risk = found["risk"][part];
    EXPECT_GT(risk["mean"], 0);
    EXPECT_GT(risk["cvar"], risk["var"]);
    EXPECT_GT(risk["var"], risk["mean"]);
    EXPECT_FALSE(risk.contains("accuracy"));
  }
}

TEST(Program, classes_have_accuracy_and_probabilities) {
  const TemporaryFolder folder;
  (void)folder.write("c.csv", clouds(300, 3));
  const json found = run_json(
      folder, {"train", "c.csv", "--target", "kind", "--algorithm", "mean", "--model", "m.json"});
  EXPECT_EQ(found["task"], "multiclass");
  EXPECT_EQ(found["loss"], "softmax");
  EXPECT_GT(found["risk"]["test"]["accuracy"], 0.9);
  EXPECT_GT(found["risk"]["test"]["min_class_precision"], 0.8);

  const Outcome predicted = run(folder, {"predict", "m.json", "c.csv"});
  const auto lines = lines_of(predicted.out);
  ASSERT_EQ(lines.size(), 301U);
  EXPECT_EQ(lines[0], "prediction,p_a,p_b,p_c");
  std::istringstream row(lines[2]);
  std::string cell;
  std::getline(row, cell, ',');
  EXPECT_EQ(cell, "b");
  double sum = 0;
  while (std::getline(row, cell, ',')) sum += std::stod(cell);
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Program, same_seed_gives_the_same_model_on_any_number_of_threads) {
  const TemporaryFolder folder;
  const std::vector<std::string> base = {"train",    "pareto", "--make-rows", "400",
                                         "--epochs", "5",      "--tune",      "--quiet"};
  for (const std::string threads : {"1", "2", "5"}) {
    auto arguments = base;
    arguments.insert(arguments.end(), {"--threads", threads, "--model", threads + ".json"});
    ASSERT_EQ(run(folder, arguments).code, 0);
  }
  const std::string one = content_of(folder.path() / "1.json");
  EXPECT_EQ(one, content_of(folder.path() / "2.json"));
  EXPECT_EQ(one, content_of(folder.path() / "5.json"));
}

TEST(Program, a_model_file_gives_the_risks_that_training_printed) {
  const TemporaryFolder folder;
  (void)folder.write("c.csv", clouds(200, 2));
  const json trained = run_json(
      folder, {"train", "c.csv", "--target", "kind", "--loss", "hinge", "--model", "m.json"});
  const json evaluated = run_json(
      folder, {"evaluate", "m.json", "c.csv", "--part", "test", "--alphas", "0.1", "--worst", "3"});
  EXPECT_EQ(evaluated["rows"], 40);
  EXPECT_DOUBLE_EQ(evaluated["mean"], trained["risk"]["test"]["mean"]);
  EXPECT_DOUBLE_EQ(evaluated["tails"][0]["cvar"], trained["risk"]["test"]["cvar"]);
  EXPECT_DOUBLE_EQ(evaluated["tails"][0]["var"], trained["risk"]["test"]["var"]);
  EXPECT_EQ(evaluated["accuracy"], trained["risk"]["test"]["accuracy"]);
  EXPECT_EQ(evaluated["worst"].size(), 3U);
  EXPECT_GE(evaluated["worst"][0]["loss"], evaluated["worst"][1]["loss"]);

  const auto lines = lines_of(run(folder, {"predict", "m.json", "c.csv"}).out);
  EXPECT_EQ(lines.at(0), "prediction,score");
}

TEST(Program, split_is_reproduced_despite_dropped_columns) {
  const TemporaryFolder folder;
  (void)folder.write("c.csv", clouds(200, 2));
  const json trained = run_json(folder, {"train", "c.csv", "--target", "kind", "--drop", "colour",
                                         "--categorical", "v", "--model", "m.json"});
  const json evaluated = run_json(folder, {"evaluate", "m.json", "c.csv", "--part", "valid"});
  EXPECT_DOUBLE_EQ(evaluated["mean"], trained["risk"]["valid"]["mean"]);
}

TEST(Program, evaluate_reports_groups) {
  const TemporaryFolder folder;
  (void)folder.write("c.csv", clouds(200, 2));
  (void)run_json(folder,
                 {"train", "c.csv", "--target", "kind", "--drop", "colour", "--model", "m.json"});
  const json evaluated = run_json(folder, {"evaluate", "m.json", "c.csv", "--group", "colour"});
  ASSERT_EQ(evaluated["groups"].size(), 2U);
  EXPECT_EQ(evaluated["group"], "colour");
  // The larger CVaR first, small groups too.
  EXPECT_EQ(evaluated["groups"][0]["value"], "red");
  EXPECT_EQ(evaluated["groups"][0]["rows"], 40);
  EXPECT_EQ(evaluated["groups"][1]["value"], "blue");
  const double red = evaluated["groups"][0]["mean"];
  const double blue = evaluated["groups"][1]["mean"];
  EXPECT_NEAR(evaluated["mean"], 0.8 * blue + 0.2 * red, 1e-12);
}

TEST(Program, predictions_are_in_the_units_of_the_target) {
  const TemporaryFolder folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i) + "," + std::to_string(1000 + 50 * i) + "\n";
  }
  (void)folder.write("line.csv", text);
  (void)run_json(folder, {"train", "line.csv", "--target", "y", "--model", "m.json"});
  (void)folder.write("new.csv", "x\n0\n100\n?\n");
  ASSERT_EQ(run(folder, {"predict", "m.json", "new.csv", "-o", "p.csv"}).code, 0);
  const auto lines = lines_of(content_of(folder.path() / "p.csv"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "prediction");
  EXPECT_NEAR(std::stod(lines[1]), 1000, 20);
  EXPECT_NEAR(std::stod(lines[2]), 6000, 20);
}

// Predictions f of y that are too low where x is large.
std::string predicted(int rows) {
  std::string text = "x,f,kind,y,c,p\n";
  for (int i = 0; i < rows; ++i) {
    const double x = i % 17;
    const double f = 100 + i % 23;
    const double y = f + (x > 12 ? 10 : 0) + std::sin(i * 1.3);
    const double p = 0.02 + 0.96 * (i % 2);
    text += std::to_string(x) + "," + std::to_string(f) + "," + (i % 3 == 0 ? "a" : "b") + "," +
            std::to_string(y) + "," + ((i % 2 == 1) == (i % 9 != 0) ? "yes" : "no") + "," +
            std::to_string(p + 0.001 * (i % 7)) + "\n";
  }
  return text;
}

TEST(Program, correct_writes_a_model_of_predictions_and_features) {
  const TemporaryFolder folder;
  (void)folder.write("f.csv", predicted(500));
  const json found =
      run_json(folder, {"correct", "f.csv", "--target", "y", "--prediction", "f", "--drop", "c,p",
                        "--mean-budget", "5%", "--model", "m.json"});
  EXPECT_EQ(found["chosen"], "correction");
  EXPECT_EQ(found["mean_budget"], 0.05);
  EXPECT_EQ(found["columns"], 6);  // 1, f, f^2, x, kind = a, b
  EXPECT_EQ(found["prediction"], (json{{"column", "f"}, {"scale", "value"}}));
  EXPECT_EQ(found["risk"]["train"]["rows"], 400);
  EXPECT_FALSE(found["risk"].contains("valid"));
  const json& test = found["risk"]["test"];
  EXPECT_LT(test["corrected"]["cvar"], 0.6 * test["given"]["cvar"].get<double>());
  EXPECT_LT(test["difference"]["interval"][1], 0);
  EXPECT_LE(found["certificate"]["relative_gap"], 1e-6);
  EXPECT_LT(found["cross_validation"]["corrected"]["cvar"],
            found["cross_validation"]["given"]["cvar"]);
  const json evaluated = run_json(folder, {"evaluate", "m.json", "f.csv", "--part", "test"});
  EXPECT_NEAR(evaluated["mean"], test["corrected"]["mean"], 1e-9);
  (void)folder.write("new.csv", "f,kind,x\n105,a,16\n105,a,2\n");
  ASSERT_EQ(run(folder, {"predict", "m.json", "new.csv", "-o", "p.csv"}).code, 0);
  const auto lines = lines_of(content_of(folder.path() / "p.csv"));
  EXPECT_GT(std::stod(lines.at(1)), 107);
  EXPECT_GT(std::stod(lines[1]), std::stod(lines.at(2)) + 2);
  (void)folder.write("gap.csv", "f,kind,x\n105,a,16\n,a,2\n");
  const Outcome gap = run(folder, {"predict", "m.json", "gap.csv"});
  EXPECT_EQ(gap.code, 3);
  EXPECT_PRED2(support::has_words, gap.err, "prediction 'f' ... row 2");
}

TEST(Program, correct_says_first_what_was_chosen_and_whose_probability_it_is) {
  const TemporaryFolder folder;
  (void)folder.write("p.csv", predicted(500));
  const Outcome outcome = run(folder, {"correct", "p.csv", "--target", "c", "--prediction", "p",
                                       "--drop", "f,y", "--report", "r.html", "--features", "no"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("corrected: in 5-fold cross-validation")) << outcome.out;
  EXPECT_NE(outcome.out.find("'p' is the probability of 'yes'"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("columns: 1, p, p^2\n"), std::string::npos) << outcome.out;
  EXPECT_NE(content_of(folder.path() / "r.html").find("Weights of the"), std::string::npos);
  const Outcome noise =
      run(folder, {"correct", "p.csv", "--target", "x", "--prediction", "f", "--drop", "y,c,p"});
  ASSERT_EQ(noise.code, 0) << noise.err;
  EXPECT_PRED2(support::has_words, noise.err, "units of 'x'");
}

TEST(Program, sparse_rows_are_trained_on_and_predicted) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += (i % 2 == 0 ? "+1 1:" : "-1 2:") + std::to_string(1 + i % 3) + " 7:1\n";
  }
  (void)folder.write("s.svm", text);
  const json found = run_json(folder, {"train", "s.svm", "--model", "m.json"});
  EXPECT_EQ(found["task"], "binary");
  EXPECT_EQ(found["risk"]["test"]["accuracy"], 1.0);
  (void)folder.write("new.svm", "0 1:2\n0 2:2\n");  // labels that training had not
  const auto lines = lines_of(run(folder, {"predict", "m.json", "new.svm"}).out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "prediction,p_-1,p_1");
  EXPECT_TRUE(lines[1].starts_with("1,"));
  EXPECT_TRUE(lines[2].starts_with("-1,"));
}

TEST(Program, images_are_trained_on_evaluated_and_predicted) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;
  for (unsigned i = 0; i < 60; ++i) {
    const auto label = static_cast<std::uint8_t>(i % 3);
    labels.push_back(label);
    for (unsigned p = 0; p < 4; ++p) {
      pixels.push_back(static_cast<std::uint8_t>((p == label ? 200 : 20) + i * 7 % 23));
    }
  }
  (void)folder.write("a-images-idx3", support::idx_images(60, 2, 2, pixels));
  (void)folder.write("a-labels-idx1", support::idx_labels(labels));
  const json found =
      run_json(folder, {"train", "a-images-idx3", "--model", "m.json", "--report", "r.html"});
  EXPECT_EQ(found["task"], "multiclass");
  EXPECT_EQ(found["loss"], "softmax");
  EXPECT_EQ(found["risk"]["test"]["accuracy"], 1);

  const json evaluated =
      run_json(folder, {"evaluate", "m.json", "a-images-idx3", "--part", "test", "--worst", "2"});
  EXPECT_EQ(evaluated["rows"], found["rows"]["test"]);
  EXPECT_NEAR(evaluated["mean"].get<double>(), found["risk"]["test"]["mean"].get<double>(), 1e-9);
  EXPECT_EQ(evaluated["worst"].size(), 2U);
  const Outcome grouped = run(folder, {"evaluate", "m.json", "a-images-idx3", "--group", "g"});
  EXPECT_EQ(grouped.code, 2);
  EXPECT_PRED2(support::has_words, grouped.err, "group = 'g' ... a-images-idx3 ... images");

  const auto lines = lines_of(run(folder, {"predict", "m.json", "a-images-idx3"}).out);
  ASSERT_EQ(lines.size(), 61U);
  EXPECT_EQ(lines[0], "prediction,p_0,p_1,p_2");
  EXPECT_TRUE(lines[1].starts_with("0,"));
  EXPECT_TRUE(lines[3].starts_with("2,"));
  // New images have no labels; a name without `images` has no file of labels.
  for (const char* const name : {"new-images-idx3", "new"}) {
    (void)folder.write(name, support::idx_images(60, 2, 2, pixels));
    EXPECT_EQ(lines_of(run(folder, {"predict", "m.json", name}).out), lines) << name;
    EXPECT_EQ(run(folder, {"predict", "m.json", name, "-o", "p.csv"}).code, 0) << name;
    const Outcome unlabelled = run(folder, {"evaluate", "m.json", name});
    EXPECT_EQ(unlabelled.code, 3);
    EXPECT_NE(unlabelled.err.find("labels"), std::string::npos) << unlabelled.err;
  }
  const std::string described = run(folder, {"data", "describe", "a-images-idx3"}).out;
  EXPECT_PRED2(support::has_words, described,
               "a-images-idx3: 60 images ... 1 x 2 x 2 ... 3 classes ... 'label'");
}

TEST(Program, unknown_categories_are_counted_and_reported) {
  const TemporaryFolder folder;
  (void)folder.write("c.csv", clouds(200, 2));
  (void)run_json(folder, {"train", "c.csv", "--target", "kind", "--model", "m.json"});
  (void)folder.write("new.csv", "u,v,colour\n0,0,green\n3,3,red\n1,1,grey\n");
  const Outcome outcome = run(folder, {"predict", "m.json", "new.csv"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_PRED2(support::has_words, outcome.err, "note: ... 2 values ... colour ... training");
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
}

TEST(Program, constant_columns_and_small_tails_are_noted) {
  const TemporaryFolder folder;
  std::string text = "x,same,y\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + ",1," + std::to_string(i * i) + "\n";
  (void)folder.write("t.csv", text);
  const json found =
      run_json(folder, {"train", "t.csv", "--target", "y", "--alpha", "0.01", "--split", "1,0,0"});
  EXPECT_EQ(found["rows"], (json{{"train", 50}, {"valid", 0}, {"test", 0}}));
  EXPECT_FALSE(found["risk"].contains("test"));
  const auto note = [&](std::size_t n) { return found["notes"].at(n).get<std::string>(); };
  EXPECT_PRED2(support::has_words, note(0), "'same' ... constant");
  EXPECT_PRED2(support::has_words, note(1), "alpha = 0.01 ... 50 training rows ... 0.5 rows");
}

TEST(Program, a_config_file_gives_options_and_the_command_line_overrules_it) {
  const TemporaryFolder folder;
  (void)folder.write("run.toml",
                     "data = \"normal\"\nmake-rows = 300\nalpha = 0.3\n\n[train]\nalpha = 0.2\n"
                     "split = [0.6, 0.2, 0.2]\nnesterov = true\n[compare]\nepochs = 2\n");
  const json found = run_json(folder, {"train", "--config", "run.toml"});
  EXPECT_EQ(found["alpha"], 0.2);
  EXPECT_EQ(found["rows"]["train"], 180);
  EXPECT_EQ(run_json(folder, {"train", "--config", "run.toml", "--alpha", "0.4"})["alpha"], 0.4);
  const json compared = run_json(folder, {"compare", "--config", "run.toml"});
  EXPECT_EQ(compared["runs"][0]["alpha"], 0.3);
  EXPECT_EQ(compared["runs"][0]["epochs"], 2);
  (void)folder.write("bad.toml", "alpha = 0.1\nalpah = 3\n");
  const Outcome refused = run(folder, {"train", "normal", "--config", "bad.toml"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.starts_with("adacvar: bad.toml:2: key 'alpah' is not one of: data, "))
      << refused.err;
}

TEST(Program, compare_repeats_with_other_seeds_and_splits) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"compare", "pareto", "--make-rows", "300", "--epochs", "2",
                                       "--seed", "5", "--repeats", "3", "--tune"});
  EXPECT_EQ(found["repeats"]["seeds"], (json{5, 6, 7}));
  EXPECT_EQ(found["runs"].size(), 18U);
  EXPECT_EQ(found["repeats"]["algorithms"].size(), 6U);
  EXPECT_NE(found["runs"][0]["risk"]["test"]["mean"], found["runs"][6]["risk"]["test"]["mean"]);
  // A trace belongs to a single run: train has no repeats, compare no trace.
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"train", "pareto", "--repeats", "2", "--model", "m.json"},
           {"compare", "pareto", "--repeats", "2", "--trace", "t.json"},
           {"compare", "pareto", "--repeats", "0"}}) {
    EXPECT_EQ(run(folder, arguments).code, 2);
  }
}

TEST(Program, compare_reports_every_algorithm_on_the_same_rows) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"compare", "pareto", "--make-rows", "600", "--epochs", "5"});
  const std::vector<std::string> names = {"adacvar", "trunc",       "soft",
                                          "mean",    "adacvar +5%", "exact"};
  ASSERT_EQ(found["runs"].size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const json& certificate = found["runs"][i]["certificate"];
    // Among models within the budget the least CVaR is larger.
    if (names[i] == "adacvar +5%") {
      EXPECT_GT(certificate["lower"], found["runs"][5]["certificate"]["lower"]);
    } else {
      EXPECT_EQ(certificate["lower"], found["runs"][5]["certificate"]["lower"]);
    }
    EXPECT_GE(certificate["upper"], certificate["lower"]);
    EXPECT_DOUBLE_EQ(certificate["upper"], found["runs"][i]["risk"]["train"]["cvar"]);
    EXPECT_EQ(found["runs"][i]["label"], names[i]);
    EXPECT_EQ(found["runs"][i]["rows"], found["runs"][0]["rows"]);
  }
  const Outcome shown = run(folder, {"compare", "pareto", "--make-rows", "600", "--epochs", "5"});
  EXPECT_NE(shown.out.find("120 test"), std::string::npos) << shown.out;
  for (const std::string& line : lines_of(shown.out)) EXPECT_LE(text_width(line), 80U) << line;
}

TEST(Program, exact_is_certified_and_at_alpha_one_the_mean) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"train", "normal", "--make-rows", "500", "--algorithm",
                                       "exact", "--alphas", "0.05,0.3,1", "--tolerance", "1e-9"});
  ASSERT_EQ(found["runs"].size(), 3U);
  for (const json& run : found["runs"]) {
    EXPECT_EQ(run["stop_reason"], "optimal");
    EXPECT_LE(run["certificate"]["relative_gap"], 1e-9);
  }
  EXPECT_EQ(found["runs"][0]["alpha"], 0.05);
  EXPECT_DOUBLE_EQ(found["runs"][2]["risk"]["train"]["mean"],
                   found["runs"][2]["risk"]["train"]["cvar"]);
  const json one = run_json(folder, {"train", "normal", "--make-rows", "500", "--algorithm",
                                     "exact", "--alpha", "0.05", "--model", "m.json"});
  EXPECT_NEAR(one["risk"]["train"]["cvar"], found["runs"][0]["risk"]["train"]["cvar"], 1e-6);
  EXPECT_EQ(run(folder, {"predict", "m.json", "normal", "--make-rows", "3"}).code, 0);
}

TEST(Program, separable_classes_are_noted) {
  const TemporaryFolder folder;
  std::string text = "x,kind\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + (i < 30 ? ",a\n" : ",b\n");
  (void)folder.write("s.csv", text);
  const json found =
      run_json(folder, {"train", "s.csv", "--target", "kind", "--algorithm", "exact"});
  EXPECT_EQ(found["stop_reason"], "not_attained");
  EXPECT_TRUE(found["certificate"]["relative_gap"].is_null());
  EXPECT_NE(found["notes"].dump().find("the classes are separable"), std::string::npos);
}

TEST(Program, a_perfect_fit_has_a_sentence_and_no_percentage) {
  const TemporaryFolder folder;
  std::string text = "x,z,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(0.1 * i) + ',' + std::to_string(i % 7) + ',' +
            std::to_string(0.2 * i + 3 * (i % 7) - 1) + '\n';
  }
  (void)folder.write("p.csv", text);
  for (const std::string loss : {"squared", "absolute"}) {
    const std::vector<std::string> arguments = {"train",  "p.csv", "--target",    "y",
                                                "--loss", loss,    "--algorithm", "exact"};
    const Outcome outcome = run(folder, arguments);
    EXPECT_EQ(outcome.code, 0);
    if (loss == "squared") {
      EXPECT_NE(outcome.out.find(": 0 up to rounding, the least possible\n"), std::string::npos)
          << outcome.out;
      EXPECT_GT(outcome.out.find('%'), outcome.out.find("coefficients:")) << outcome.out;
    }
    EXPECT_EQ(run_json(folder, arguments)["stop_reason"], "optimal");
  }
}

TEST(Program, a_certified_gap_ends_training_and_the_trace_tells_the_game) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"train", "pareto", "--make-rows", "1000", "--until-gap",
                                       "0.05", "--trace", "t.jsonl"});
  EXPECT_EQ(found["stop_reason"], "gap");
  EXPECT_LE(found["certificate"]["relative_gap"], 0.05);
  const auto lines = lines_of(content_of(folder.path() / "t.jsonl"));
  ASSERT_EQ(lines.size(), found["epochs"].get<std::size_t>());
  for (const std::string& line : lines) {
    const json record = json::parse(line);
    const double upper = record["certificate"]["upper"];
    const double lower = record["certificate"]["lower"];
    const double regrets =
        record["sampler_regret"].get<double>() + record["learner_regret"].get<double>();
    EXPECT_LE(lower, upper);
    // The regrets bound the gap of the mean model only up to the difference between the model at
    // the end of an epoch and the mean over it.
    EXPECT_GT(regrets, 0);
  }
}

TEST(Program, the_leader_needs_no_steps) {
  const TemporaryFolder folder;
  const std::vector<std::string> base = {"train", "normal",    "--make-rows",
                                         "400",   "--learner", "btl"};
  const json bandit = run_json(folder, base);
  EXPECT_LT(bandit["certificate"]["relative_gap"], 0.1);
  auto full = base;
  full.insert(full.end(), {"--information", "full"});
  const json first = run_json(folder, full);
  EXPECT_LT(first["certificate"]["relative_gap"], 0.02);
  full.insert(full.end(), {"--seed", "0"});
  EXPECT_EQ(run_json(folder, full)["risk"], first["risk"]);
}

TEST(Program, evaluate_certifies_a_model_on_other_rows) {
  const TemporaryFolder folder;
  (void)run_json(folder, {"train", "pareto", "--make-rows", "600", "--model", "m.json"});
  const json evaluated = run_json(folder, {"evaluate", "m.json", "pareto", "--make-rows", "300",
                                           "--make-seed", "5", "--certify", "--alphas", "0.1"});
  EXPECT_DOUBLE_EQ(evaluated["certificate"]["upper"], evaluated["tails"][0]["cvar"]);
  EXPECT_LT(evaluated["certificate"]["lower"], evaluated["certificate"]["upper"]);
  EXPECT_GT(evaluated["certificate"]["lower"], 0);
}

TEST(Program, the_uniform_optimum_is_explained) {
  const TemporaryFolder folder;
  std::string text = "x,kind\n";  // overlapping classes
  for (int i = 0; i < 200; ++i) text += std::to_string(i * 7 % 13) + (i % 2 == 0 ? ",a\n" : ",b\n");
  (void)folder.write("s.csv", text);
  const Outcome outcome =
      run(folder, {"compare", "s.csv", "--target", "kind", "--alpha", "0.05", "--json"});
  const json found = json::parse(outcome.out);
  EXPECT_NE(found["notes"].dump().find("no linear model has a training CVaR below 0.6931 = log 2"),
            std::string::npos)
      << found["notes"];
}

TEST(Program, tuning_never_picks_worse_than_the_options_given) {
  const TemporaryFolder folder;
  const std::vector<std::string> base = {"train", "pareto", "--make-rows", "600", "--epochs", "5"};
  auto tuned = base;
  tuned.emplace_back("--tune");
  const json with = run_json(folder, tuned);
  const json without = run_json(folder, base);
  EXPECT_EQ(with["trials"], 30);
  EXPECT_LE(with["risk"]["valid"]["cvar"], without["risk"]["valid"]["cvar"]);
}

TEST(Program, a_diverging_run_keeps_a_finite_model_and_says_so) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, {"train", "normal", "--make-rows", "200", "--optimizer", "adam",
                   "--learning-rate", "1e300", "--model", "m.json", "--json"});
  EXPECT_EQ(outcome.code, 4);
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["stop_reason"], "diverged");
  EXPECT_FALSE(found.contains("certificate"));
  EXPECT_EQ(found["no_certificate"], "training diverged");
  EXPECT_NE(outcome.err.find("note: adacvar diverged after "), std::string::npos) << outcome.err;
  EXPECT_EQ(run(folder, {"predict", "m.json", "normal", "--make-rows", "5"}).code, 0);
}

TEST(Program, losses_with_bounded_derivatives_diverge_with_a_status_too) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, {"train", "normal", "--make-rows", "200", "--loss", "absolute", "--optimizer",
                   "adam", "--learning-rate", "1e6", "--json", "--quiet"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "diverged");
}

TEST(Program, compare_says_which_algorithm_diverged) {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, {"compare", "normal", "--make-rows", "200", "--optimizer",
                                       "adam", "--learning-rate", "1e300"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.out.find("  trunc (diverged) "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  exact  "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("note: trunc diverged after "), std::string::npos) << outcome.err;
}

TEST(Program, blanks_in_lists_and_commas_in_names) {
  const TemporaryFolder folder;
  std::string text = "\"size, in cm\",x,id,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i % 7) + "," + std::to_string(i % 5) + ",r" + std::to_string(i) + "," +
            std::to_string(i * 5 % 17) + "\n";
  }
  (void)folder.write("t.csv", text);
  (void)folder.write("list.toml", "drop = [\"size, in cm\", \"id\"]\nsplit = [0.5, 0.25, 0.25]\n");
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--drop", "\"size, in cm\", id", "--split", "0.5, 0.25, 0.25"},
        std::vector<std::string>{"--config", "list.toml"}}) {
    std::vector<std::string> arguments = {"train", "t.csv", "--target", "y", "--model", "m.json"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    EXPECT_EQ(run_json(folder, arguments)["rows"],
              (json{{"train", 20}, {"valid", 10}, {"test", 10}}));
    const json model = json::parse(content_of(folder.path() / "m.json"));
    ASSERT_EQ(model["preprocessing"]["columns"].size(), 1U);
    EXPECT_EQ(model["preprocessing"]["columns"][0]["name"], "x");
  }
}

// The other end of a pipe that a program reads.
void write_to_pipe(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(Program, pipes_are_read_as_files_are) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(folder, {"data", "make", "normal", "--rows", "300", "-o", "t.csv"}).code, 0);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  std::string sparse = "1\n";  // no features: still LIBSVM
  for (int i = 0; i < 60; ++i) {
    sparse += std::to_string(i % 9) + " 1:" + std::to_string(i % 7) + " 3:0.5\n";
  }
  (void)folder.write("t.svm", sparse);
  const auto from_pipe = [&](const std::string& file, std::vector<std::string> arguments) {
    const support::RunningProgram program(ADACVAR_PROGRAM, arguments, folder.path());
    write_to_pipe(folder.path() / "pipe", content_of(folder.path() / file));
    return program.wait();
  };
  for (const char* file : {"t.csv", "t.svm"}) {
    const std::string target = file == std::string("t.csv") ? "y" : "target";
    const auto arguments = [&](const std::string& name) {
      return std::vector<std::string>{"train",      name,      "--target", target,   "--task",
                                      "regression", "--model", "m.json",   "--json", "--quiet"};
    };
    const Outcome piped = from_pipe(file, arguments("pipe"));
    EXPECT_EQ(piped.code, 0) << piped.err;
    EXPECT_EQ(json::parse(piped.out)["risk"], run_json(folder, arguments(file))["risk"]);
    const Outcome predicted = from_pipe(file, {"predict", "m.json", "pipe"});
    EXPECT_EQ(predicted.out, run(folder, {"predict", "m.json", file}).out);
  }
}

TEST(Program, an_interrupt_while_data_is_read_ends_the_program) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* command : {"train", "compare"}) {
    const support::RunningProgram program(ADACVAR_PROGRAM, {command, "pipe", "--target", "y"},
                                          folder.path());
    std::ofstream writer(pipe);  // waits for the program to open the other end
    program.send(SIGINT);
    EXPECT_EQ(program.wait().code, 128 + SIGINT) << command;
  }
}

TEST(Program, odd_columns_and_parts_without_rows_are_noted) {
  const TemporaryFolder folder;
  std::string text = "id,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += "r" + std::to_string(i) + "," + std::to_string(i % 9) + "," + std::to_string(i) + "\n";
  }
  (void)folder.write("t.csv", text);
  const json found = run_json(
      folder, {"train", "t.csv", "--target", "y", "--split", "0.98,0.019,0.001", "--epochs", "1"});
  EXPECT_PRED2(support::has_words, found["notes"][1].get<std::string>(), "0.001 ... test");
  const std::string note = found["notes"][0];
  EXPECT_NE(note.find("'id'"), std::string::npos) << note;
  EXPECT_NE(note.find("--categorical id"), std::string::npos) << note;
}

TEST(Program, an_interrupt_saves_the_best_model_so_far) {
  const TemporaryFolder folder;
  const support::RunningProgram program(
      ADACVAR_PROGRAM,
      {"train", "pareto", "--make-rows", "2000", "--epochs", "100000000", "--decay", "1", "--model",
       "m.json", "--json"},
      folder.path());
  while (program.printed_so_far().find("epoch 1/") == std::string::npos) std::this_thread::yield();
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "interrupted");
  EXPECT_NE(outcome.err.find("note: stopped early"), std::string::npos) << outcome.err;
  EXPECT_EQ(run(folder, {"predict", "m.json", "pareto", "--make-rows", "5"}).code, 0);
}

TEST(Program, an_interrupted_prediction_leaves_nothing_behind) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(folder, {"train", "normal", "--make-rows", "50", "--model", "m.json"}).code, 0);
  std::string text = "x1,x2,x3,x4,x5\n";
  while (text.size() < 60'000'000) text += "0.25,0.5,-0.75,1,-1.25\n";
  (void)folder.write("big.csv", text);
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  };
  const std::set<std::string> before = files();
  const support::RunningProgram program(ADACVAR_PROGRAM,
                                        {"predict", "m.json", "big.csv", "-o", "p"}, folder.path());
  while (files() == before) std::this_thread::yield();
  program.send(SIGINT);
  EXPECT_EQ(program.wait().code, 128 + SIGINT);
  EXPECT_EQ(files(), before);
}

TEST(Program, reproduce_writes_tables_and_figures) {
  const TemporaryFolder folder;
  const json found = run_json(folder, {"reproduce", "convex", "--sets", "sinc", "--make-rows", "60",
                                       "--seeds", "2", "--out", "r"})["experiments"][0];
  EXPECT_EQ(found["experiment"], "convex");
  const json& row = found["tables"][0]["rows"][0];
  EXPECT_EQ(row["set"], "sinc");
  EXPECT_EQ(row["algorithm"], "gain");
  EXPECT_EQ(row["paper CVaR"]["value"], 7.7);
  EXPECT_EQ(row["paper CVaR"]["sd"], 3.1);
  EXPECT_EQ(row["paper CVaR"]["text"], "7.70±3.1");
  EXPECT_TRUE(row["our CVaR"]["value"].is_number());
  EXPECT_TRUE(found["tables"][0]["rows"][1]["paper CVaR"].is_null());
  for (const char* file : {"results.jsonl", "tables.md", "tables.tex", "tables.csv",
                           "regression-scores.svg", "regression-cvar.svg"}) {
    EXPECT_GT(content_of(folder.path() / "r" / file).size(), 100U) << file;
  }
}

TEST(Program, reproduce_removes_figures_of_sets_that_are_out) {
  const TemporaryFolder folder;
  const auto reproduce = [&](const std::string& sets) {
    return run(folder, {"reproduce", "tradeoff", "--sets", sets, "--make-rows", "60", "--seeds",
                        "1", "--out", "r"});
  };
  ASSERT_EQ(reproduce("normal,sinc").code, 0);
  ASSERT_TRUE(std::filesystem::exists(folder.path() / "r" / "normal-alpha.svg"));
  ASSERT_EQ(reproduce("sinc").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "r" / "normal-alpha.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "r" / "sinc-alpha.svg"));
}

TEST(Program, help_distinguishes_folders_from_files) {
  const TemporaryFolder folder;
  const std::string help = run(folder, {"reproduce", "--help"}).out;
  EXPECT_NE(help.find("--out DIR"), std::string::npos);
  EXPECT_NE(help.find("--data-dir DIR"), std::string::npos);
  EXPECT_NE(help.find("--report FILE"), std::string::npos);
  EXPECT_NE(run(folder, {"compare", "--help"}).out.find("--figures DIR"), std::string::npos);
}

TEST(Program, a_killed_reproduction_resumes_and_gives_the_same_tables) {
  const TemporaryFolder folder;
  const auto words = [](const std::string& out) {
    return std::vector<std::string>{"reproduce", "convex",  "--sets", "normal", "--make-rows",
                                    "400",       "--seeds", "2",      "--out",  out};
  };
  ASSERT_EQ(run(folder, words("whole")).code, 0);
  const support::RunningProgram program(ADACVAR_PROGRAM, words("part"), folder.path());
  const auto log = folder.path() / "part" / "results.jsonl";
  while (lines_of(content_of(log)).size() < 10) std::this_thread::yield();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().code, 128 + SIGKILL);
  const std::size_t kept = lines_of(content_of(log)).size();
  ASSERT_LT(kept, lines_of(content_of(folder.path() / "whole" / "results.jsonl")).size());
  ASSERT_EQ(run(folder, words("part")).code, 0);
  for (const char* file : {"tables.md", "tables.tex", "tables.csv", "regression-scores.svg"}) {
    EXPECT_EQ(content_of(folder.path() / "part" / file), content_of(folder.path() / "whole" / file))
        << file;
  }
}

TEST(Program, quiet_is_silent_and_progress_goes_to_standard_error) {
  const TemporaryFolder folder;
  const Outcome loud = run(folder, {"train", "normal", "--make-rows", "200", "--epochs", "10"});
  EXPECT_NE(loud.err.find("epoch 10/10, validation CVaR "), std::string::npos) << loud.err;
  EXPECT_EQ(loud.err.find('\r'), std::string::npos) << "no bar where no terminal is";
  EXPECT_EQ(loud.out.find("epoch"), std::string::npos);
  EXPECT_EQ(run(folder, {"train", "normal", "--make-rows", "200", "-q"}).err, "");
}

TEST(Program, data_made_and_written_reads_back_as_the_same) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      run(folder, {"data", "make", "sinc", "--rows", "50", "--seed", "4", "-o", "s.csv"}).code, 0);
  const json from_file = run_json(folder, {"train", "s.csv", "--target", "y", "--epochs", "3"});
  const json direct =
      run_json(folder, {"train", "sinc", "--make-rows", "50", "--make-seed", "4", "--epochs", "3"});
  EXPECT_EQ(from_file["risk"], direct["risk"]);
}

TEST(Program, names_with_line_ends_are_described_in_a_line_each) {
  const TemporaryFolder folder;
  (void)folder.write("n.csv", "\"two\nlines\",k\n1,\"a\nb\"\n2,c\n");
  const Outcome outcome = run(folder, {"data", "describe", "n.csv"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "n.csv: 2 rows, 2 columns\n\n"
            "column          kind  missing\n"
            "two\\nlines    number        0  1 to 2, mean 1.5\n"
            "k           category        0  2 values: a\\nb, c\n");
}

TEST(Program, unwritable_standard_output_is_an_error) {
  const TemporaryFolder folder;
  const Outcome outcome = support::run_program(
      "/bin/sh", {"-c", ADACVAR_PROGRAM " data make normal --rows 9 >/dev/full"}, folder.path());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_PRED2(support::has_words, outcome.err, "adacvar: ... standard output ... No space left");
}

TEST(Program, unwritable_standard_error_is_ignored) {
  const TemporaryFolder folder;
  for (const std::string where : {"/dev/full", "&-"}) {
    const std::string command =
        ADACVAR_PROGRAM " train normal --make-rows 50 --json --model m.json 2>" + where;
    const Outcome outcome = support::run_program("/bin/sh", {"-c", command}, folder.path());
    EXPECT_EQ(outcome.code, 0) << where;
    EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "epochs");
    const std::string bad = ADACVAR_PROGRAM " train no.csv 2>" + where;
    EXPECT_EQ(support::run_program("/bin/sh", {"-c", bad}, folder.path()).code, 3) << where;
  }
}

TEST(Program, every_help_page_fits_80_columns) {
  const TemporaryFolder folder;
  std::vector<std::vector<std::string>> pages = {{"--help"}};
  for (const std::string name : {"train", "compare", "evaluate", "predict"}) {
    pages.push_back({name, "--help"});
  }
  for (const std::string name : {"list", "describe", "make", "fetch"}) {
    pages.push_back({"data", name, "-h"});
  }
  for (const auto& page : pages) {
    const Outcome outcome = run(folder, page);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("Usage: adacvar "), std::string::npos);
    for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Program, the_page_of_options_is_up_to_date) {
  const TemporaryFolder folder;
  EXPECT_EQ(content_of(ADACVAR_SOURCE "/docs/options.md"), run(folder, {"options"}).out)
      << "adacvar options > docs/options.md";
}

TEST(Program, bash_completes_commands_options_and_values) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash";
  const TemporaryFolder folder;
  (void)folder.write("c.bash", run(folder, {"completion", "bash"}).out);
  const auto complete = [&](const std::string& words, int place) {
    const std::string script = "source c.bash; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(place) +
                               "; _adacvar; echo ${COMPREPLY[@]}";
    return support::run_program("/bin/bash", {"-c", script}, folder.path()).out;
  };
  EXPECT_EQ(complete("adacvar com", 1), "compare\n");
  EXPECT_EQ(complete("adacvar data d", 2), "describe\n");
  EXPECT_EQ(complete("adacvar train x.csv --algo", 3), "--algorithm\n");
  EXPECT_EQ(complete("adacvar train x.csv --algorithm t", 4), "trunc\n");
}

}  // namespace
}  // namespace adacvar
