// Boosted trees, used from the program.

#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

namespace adacvar {
namespace {

using nlohmann::json;
using support::content_of;
using support::Outcome;
using support::run_program;
using support::RunningProgram;
using support::TemporaryFolder;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Outcome adacvar(const std::string& line, const TemporaryFolder& folder) {
  return run_program(ADACVAR_PROGRAM, words_of(line), folder.path());
}

void expect_words(const std::string& text, const std::string& words) {
  EXPECT_PRED2(support::has_words, text, words);
}

// y = x + 2 [colour is red] + noise that grows with z; x is sometimes missing, and so is colour.
std::string made_table(std::size_t rows, std::uint64_t seed, const std::string& other = "blue") {
  Rng rng(seed);
  const std::vector<std::string> colours = {"red", "green", "", other};
  std::ostringstream out;
  out << "x,colour,z,w,y,sign,size\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = 2 * rng.uniform() - 1;
    const std::string& colour = colours[static_cast<std::size_t>(4 * rng.uniform())];
    const double z = rng.uniform();
    const double noise = rng.uniform() + rng.uniform() - 1;
    const double y = x + (colour == "red" ? 2 : 0) + z * noise;
    if (rng.uniform() > 0.1) out << x;
    out << ',' << colour << ',' << z << ',' << 1 + i % 3 << ',' << 10 * y + 100 << ','
        << (y < 0.5 ? "minus" : "plus") << ','
        << (y < 0     ? "low"
            : y < 1.5 ? "mid"
                      : "high")
        << '\n';
  }
  return out.str();
}

struct Task {
  const char* target;
  const char* drop;
};
constexpr Task kTasks[] = {{"y", "sign,size"}, {"sign", "y,size"}, {"size", "y,sign"}};

std::string training(const Task& task, const std::string& model = "model.json", int rounds = 60) {
  return std::string("train data.csv --target ") + task.target + " --drop " + task.drop +
         " --weight w --trees --rounds " + std::to_string(rounds) +
         " --depth 3 --tree-patience 10 --quiet --model " + model;
}

const TemporaryFolder& with_data(const TemporaryFolder& folder) {
  (void)folder.write("data.csv", made_table(1500, 1));
  (void)folder.write("new.csv", made_table(300, 2, "unseen"));
  return folder;
}

TEST(TreesProgram, saved_model_gives_the_same_figures) {
  const TemporaryFolder folder;
  with_data(folder);
  for (const Task& task : kTasks) {
    const Outcome trained = adacvar(training(task) + " --json", folder);
    ASSERT_EQ(trained.code, 0) << trained.err;
    const json before = json::parse(trained.out);
    EXPECT_GT(before.at("trees"), 1) << trained.out;
    const Outcome evaluated = adacvar("evaluate model.json data.csv --part test --json", folder);
    ASSERT_EQ(evaluated.code, 0) << evaluated.err;
    // To the last bit.
    EXPECT_NE(evaluated.out.find(before.at("risk").at("test").at("cvar").dump()), std::string::npos)
        << trained.out << evaluated.out;
    EXPECT_NE(evaluated.out.find(before.at("risk").at("test").at("mean").dump()),
              std::string::npos);
  }
}

TEST(TreesProgram, predicts_rows_with_missing_values_and_unseen_categories) {
  const TemporaryFolder folder;
  with_data(folder);
  for (const Task& task : kTasks) {
    ASSERT_EQ(adacvar(training(task), folder).code, 0);
    const Outcome predicted = adacvar("predict model.json new.csv", folder);
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 301);
    EXPECT_EQ(predicted.out.find("nan"), std::string::npos);
    expect_words(predicted.err, "colour ... not seen in training: treated as missing");
  }
}

// With fewer rows there is one thread.
TEST(TreesProgram, same_bytes_on_any_number_of_threads) {
  const TemporaryFolder folder;
  (void)folder.write("data.csv", made_table(18'000, 1));
  for (const Task& task : kTasks) {
    ASSERT_EQ(adacvar(training(task, "one.json", 8) + " --threads 1", folder).code, 0);
    ASSERT_EQ(adacvar(training(task, "two.json", 8) + " --threads 2", folder).code, 0);
    EXPECT_TRUE(content_of(folder.path() / "one.json.xgb.json") ==
                content_of(folder.path() / "two.json.xgb.json"))
        << task.target;
    json one = json::parse(content_of(folder.path() / "one.json"));
    json two = json::parse(content_of(folder.path() / "two.json"));
    for (json* model : {&one, &two}) {
      model->at("model").erase("xgboost");  // its name
      model->erase("crc64");                // depends on the name
    }
    EXPECT_EQ(one, two);
  }
}

TEST(TreesProgram, xgboost_in_python_predicts_the_same) {
  const TemporaryFolder folder;
  with_data(folder);
  (void)folder.write("check.py", R"(
import csv, json, math, sys
import numpy, xgboost
target = sys.argv[1]
model = json.load(open('model.json'))
columns = model['preprocessing']['columns']
booster = xgboost.Booster({'nthread': 1}, model_file='model.json.xgb.json')
def feature(column, text):
    if column['kind'] == 'categorical':
        return column['levels'].index(text) if text in column['levels'] else math.nan
    return float(text) if text else math.nan
rows = list(csv.DictReader(open('new.csv')))
names = booster.feature_names
by_name = {c['name']: c for c in columns}
x = numpy.array([[feature(by_name[n], row[n]) for n in names] for row in rows], numpy.float32)
matrix = xgboost.DMatrix(x, feature_names=names, feature_types=booster.feature_types,
                         enable_categorical=True, nthread=1)
theirs = booster.predict(matrix)
ours = list(csv.DictReader(open('p.csv')))
if target == 'y':
    p = numpy.array([float(row['prediction']) for row in ours])
    scale = numpy.abs(p).max()
else:
    classes = model['preprocessing']['classes']
    p = numpy.array([[float(row['p_' + c]) for c in classes] for row in ours])
    if target == 'sign': p = p[:, 1]
    scale = 1
error = numpy.abs(theirs - p).max() / scale
assert error < 2e-6, error
)");
  if (run_program(ADACVAR_PYTHON, {"-c", "import numpy, xgboost"}, folder.path()).code != 0) {
    GTEST_SKIP() << "no xgboost for " << ADACVAR_PYTHON << " (Debian: python3-xgboost)";
  }
  for (const Task& task : kTasks) {
    ASSERT_EQ(adacvar(training(task), folder).code, 0);
    const Outcome predicted = adacvar("predict model.json new.csv -o p.csv", folder);
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    const Outcome checked = run_program(ADACVAR_PYTHON, {"check.py", task.target}, folder.path());
    EXPECT_EQ(checked.code, 0) << checked.err << content_of(folder.path() / "p.csv").substr(0, 200);
  }
}

TEST(TreesProgram, compare_shows_plain_and_tail_trees) {
  const TemporaryFolder folder;
  with_data(folder);
  const Outcome compared = adacvar(
      "compare data.csv --target y --drop sign,size --trees --rounds 40 --tree-patience 10 --json",
      folder);
  ASSERT_EQ(compared.code, 0) << compared.err;
  const json results = json::parse(compared.out);
  EXPECT_EQ(compared.out.find("trunc"), std::string::npos);
  EXPECT_EQ(compared.out.find("exact"), std::string::npos);
  EXPECT_NE(compared.out.find("adacvar"), std::string::npos);
}

TEST(TreesProgram, tune_tries_tree_parameters) {
  const TemporaryFolder folder;
  with_data(folder);
  const Outcome tuned = adacvar(
      "train data.csv --target y --drop sign,size --trees --rounds 20 --tree-patience 5 --tune "
      "--json",
      folder);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_GT(json::parse(tuned.out).at("trials"), 1);
}

TEST(TreesProgram, frontier_mixes_two_trainings) {
  const TemporaryFolder folder;
  with_data(folder);
  const std::string line =
      "frontier data.csv --target y --drop sign,size --trees --rounds 30 --quiet --at mean=+5% "
      "--model model.json --csv points.csv --report page.html --json";
  const Outcome traced = adacvar(line, folder);
  ASSERT_EQ(traced.code, 0) << traced.err;
  const json curve = json::parse(traced.out);
  const json& points = curve.at("points");
  ASSERT_EQ(points.size(), 11U);
  const json& mean = points[0].at("risk").at("valid");
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_DOUBLE_EQ(points[i].at("share").get<double>(), static_cast<double>(i) / 10);
    EXPECT_FALSE(points[i].contains("gamma"));
  }
  // The choice has the least validation CVaR within the budget.
  const json& chosen = points[curve.at("chosen").at("point").get<std::size_t>()].at("risk");
  EXPECT_LE(chosen.at("valid").at("mean"), 1.05 * mean.at("mean").get<double>());
  for (const json& point : points) {
    const json& risk = point.at("risk").at("valid");
    if (risk.at("mean") > 1.05 * mean.at("mean").get<double>()) continue;
    EXPECT_LE(chosen.at("valid").at("cvar"), risk.at("cvar"));
  }
  const Outcome evaluated = adacvar("evaluate model.json data.csv --part test --json", folder);
  EXPECT_NE(evaluated.out.find(chosen.at("test").at("cvar").dump()), std::string::npos);
  EXPECT_TRUE(content_of(folder.path() / "points.csv").starts_with("share,marks,"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "page.html"));
  const Outcome refused = adacvar("frontier data.csv --target y --trees --at gamma=0.5", folder);
  EXPECT_EQ(refused.code, 2);
  expect_words(refused.err, "gamma=0.5 ... share ... knee or mean=");
}

TEST(TreesProgram, few_validation_rows_leave_plain_boosting_with_a_note) {
  const TemporaryFolder folder;
  (void)folder.write("data.csv", made_table(400, 1));  // 120 of them for validation
  const Outcome trained =
      adacvar("train data.csv --target y --drop sign,size --trees --rounds 10 --json", folder);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_FALSE(json::parse(trained.out).contains("blend"));
  expect_words(trained.out, "plain boosting ... 20 validation rows in the tail ... 120");
  expect_words(trained.err, "round 1/");
  EXPECT_EQ(trained.err.find("epoch"), std::string::npos);
}

TEST(TreesProgram, shows_importance_and_dependence) {
  const TemporaryFolder folder;
  with_data(folder);
  const std::string line = "train data.csv --target y --drop sign,size --trees --rounds 20 --quiet";
  const Outcome text = adacvar(line, folder);
  ASSERT_EQ(text.code, 0) << text.err;
  expect_words(text.out, "importance: ... column ... share ... colour");
  EXPECT_EQ(text.out.find("coefficients"), std::string::npos);
  const Outcome found = adacvar(line + " --json --report page.html", folder);
  ASSERT_EQ(found.code, 0) << found.err;
  const json importance = json::parse(found.out).at("importance");
  EXPECT_EQ(importance[0].at("column"), "colour");
  EXPECT_EQ(importance[0].at("dependence").at("levels").size(), 3U);
  double sum = 0;
  for (const json& column : importance) sum += column.at("share").get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  expect_words(content_of(folder.path() / "page.html"), "Importance ... Dependence on");
}

// Kills twice, each time once the checkpoint `watched` has changed.
void expect_same_after_kills(const std::string& watched) {
  const std::string line =
      "train data.csv --target y --drop sign,size --trees --rounds 400 --depth 3 --subsample 0.7 "
      "--tree-patience 0 --threads 1 --quiet --model model.json";
  const TemporaryFolder whole;
  ASSERT_EQ(adacvar(line, with_data(whole)).code, 0);
  const TemporaryFolder folder;
  with_data(folder);
  for (int kills = 0; kills < 2; ++kills) {
    const std::string before = content_of(folder.path() / watched);
    const RunningProgram running(ADACVAR_PROGRAM, words_of(line + " --checkpoint state"),
                                 folder.path());
    while (content_of(folder.path() / watched) == before) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    running.send(SIGKILL);
    ASSERT_EQ(running.wait().code, 128 + SIGKILL);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "model.json"));
  }
  const Outcome resumed = adacvar(line + " --checkpoint state", folder);
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const char* file : {"model.json", "model.json.xgb.json"}) {
    EXPECT_TRUE(content_of(folder.path() / file) == content_of(whole.path() / file)) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state"));  // it has done its work
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "state.tail"));
}

TEST(TreesProgram, killed_in_plain_boosting_it_ends_in_the_same_trees) {
  expect_same_after_kills("state");
}

TEST(TreesProgram, killed_while_it_boosts_the_tail_it_ends_in_the_same_trees) {
  expect_same_after_kills("state.tail");
}

TEST(TreesProgram, bad_input_is_refused_with_key_words) {
  const TemporaryFolder folder;
  with_data(folder);
  struct Case {
    const char* line;
    int code;
    const char* words;
  };
  for (const Case& given : {
           Case{"--rounds 0", 2, "rounds = 0 is outside [1, "},
           Case{"--depth 31", 2, "depth = 31 is outside [0, 30]"},
           Case{"--depth 0", 2, "depth = 0 and leaves = 0"},
           Case{"--tree-rate 0", 2, "tree-rate = 0 is outside (0, 1]"},
           Case{"--subsample 0", 2, "subsample = 0 is outside (0, 1]"},
           Case{"--bins 1", 2, "bins = 1 is outside"},
           Case{"--split 0.8,0,0.2", 2, "validation rows ... none ... tree-patience = 0"},
           Case{"--algorithm exact", 2, "algorithm = exact is not supported with trees"},
           Case{"--algorithm trunc", 2, "algorithm = trunc is not supported with trees"},
           Case{"--algorithm soft", 2, "algorithm = soft is not supported with trees"},
           Case{"--network mlp", 2, "network has no effect: not with trees"},
           Case{"--epochs 3", 2, "epochs has no effect ... trees"},
           Case{"--learning-rate 0.1", 2, "learning-rate has no effect ... trees"},
           Case{"--ridge 1", 2, "ridge has no effect: not with network or trees"},
           Case{"--learner btl", 2, "learner has no effect"},
           Case{"--cvar-limit 1", 2, "cvar-limit"},
       }) {
    const Outcome outcome = adacvar(
        std::string("train data.csv --target y --drop sign,size --trees ") + given.line, folder);
    EXPECT_EQ(outcome.code, given.code) << given.line << outcome.err;
    expect_words(outcome.err, given.words);
    EXPECT_EQ(outcome.out, "") << given.line;
  }
}

TEST(TreesProgram, constant_features_alone_are_refused) {
  const TemporaryFolder folder;
  std::string csv = "x,c,y\n";
  for (int i = 0; i < 600; ++i) csv += "7,same," + std::to_string(i % 7) + "\n";
  (void)folder.write("flat.csv", csv);
  const Outcome trained = adacvar("train flat.csv --target y --trees --model m.json", folder);
  EXPECT_EQ(trained.code, 3) << trained.out << trained.err;
  expect_words(trained.err, "constant");
}

TEST(TreesProgram, trees_that_are_not_those_of_the_model_are_refused) {
  const TemporaryFolder folder;
  with_data(folder);
  ASSERT_EQ(adacvar(training(kTasks[0]), folder).code, 0);
  const auto trees = folder.path() / "model.json.xgb.json";
  const std::string good = content_of(trees);
  std::string bytes = good;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  (void)folder.write("model.json.xgb.json", bytes);
  const Outcome changed = adacvar("predict model.json new.csv", folder);
  EXPECT_EQ(changed.code, 3);
  expect_words(changed.err, "model.json.xgb.json: does not hold the trees");
  std::filesystem::remove(trees);
  const Outcome missing = adacvar("predict model.json new.csv", folder);
  EXPECT_EQ(missing.code, 3);
  expect_words(missing.err, "model.json.xgb.json");
}

TEST(TreesProgram, model_of_a_newer_version_is_refused) {
  const TemporaryFolder folder;
  with_data(folder);
  ASSERT_EQ(adacvar(training(kTasks[0]), folder).code, 0);
  json model = json::parse(content_of(folder.path() / "model.json"));
  model["version"] = 99;
  (void)folder.write("model.json", model.dump());
  const Outcome outcome = adacvar("predict model.json new.csv", folder);
  EXPECT_EQ(outcome.code, 3);
  expect_words(outcome.err, "version 99 ... reads versions up to");
}

}  // namespace
}  // namespace adacvar
