// What a user sees of a model: coefficients, confusion matrix and AUC, columns beside predictions,
// the models of a comparison.

#include "base/file_stem.hpp"
#include "report/text_table.hpp"
#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::content_of;
using support::Outcome;
using support::TemporaryFolder;
using Lines = std::vector<std::string>;

Outcome run(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.emplace_back("--quiet");
  return support::run_program(ADACVAR_PROGRAM, arguments, folder.path());
}

json run_json(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run(folder, std::move(arguments));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return json::parse(outcome.out);
}

Lines lines_of(const std::string& text) {
  std::istringstream in(text);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Lines fields_of(const std::string& line) {
  std::istringstream in(line);
  Lines fields;
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

/// cost = 1000 + 20 age + 300 in the north; missing ages; two, three or twelve kinds.
std::string claims(int rows) {
  std::string text = "id,region,age,cost,kind,letter\n";
  for (int i = 0; i < rows; ++i) {
    const int age = 20 + i * 7 % 50;
    const bool north = i % 3 == 0;
    text += "00" + std::to_string(i) + (north ? ",north," : ",south,") +
            (i % 10 == 9 ? "" : std::to_string(age)) + "," +
            std::to_string(1000 + 20 * age + (north ? 300 : 0)) + "," +
            (age > 55   ? "old"
             : age > 35 ? "mid"
                        : "young") +
            "," + std::string(1, static_cast<char>('a' + i % 12)) + "\n";
  }
  return text;
}

void expect_narrow(const std::string& text) {
  for (const std::string& line : lines_of(text)) EXPECT_LE(text_width(line), 80U) << line;
}

class ModelOutput : public testing::Test {
 protected:
  void SetUp() override { (void)folder_.write("c.csv", claims(300)); }

  TemporaryFolder folder_;
};

TEST_F(ModelOutput, coefficients_of_train_give_the_predictions) {
  const json found = run_json(folder_, {"train", "c.csv", "--target", "cost", "--drop",
                                        "id,kind,letter", "--epochs", "5", "--model", "m.json"});
  const json& all = found["coefficients"];
  ASSERT_EQ(all["columns"].size(), 2U);
  std::map<std::string, json> columns;
  double shares = 0;
  for (const json& column : all["columns"]) {
    columns[column["column"]] = column;
    shares += column["share"].get<double>();
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  std::map<std::string, double> levels;
  for (const json& level : columns["region"]["levels"])
    levels[level["level"]] = level["coefficient"];
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_FALSE(columns["region"].contains("missing"));
  (void)folder_.write("new.csv", "age,region\n30,north\n,south\n50,moon\n");
  const Lines lines = lines_of(run(folder_, {"predict", "m.json", "new.csv"}).out);
  ASSERT_EQ(lines.size(), 4U);
  const double intercept = all["intercept"];
  const double age = columns["age"]["coefficient"];
  const double fill = columns["age"]["missing_counts_as"];
  const double other = columns["region"]["other"];
  EXPECT_NEAR(std::stod(lines[1]), intercept + 30 * age + levels["north"], 1e-2);
  EXPECT_NEAR(std::stod(lines[2]), intercept + fill * age + levels["south"], 1e-2);
  EXPECT_NEAR(std::stod(lines[3]), intercept + 50 * age + other, 1e-2);
  // The evaluation of the saved model has the same.
  const json evaluated = run_json(folder_, {"evaluate", "m.json", "c.csv"});
  EXPECT_EQ(evaluated["coefficients"], all);
}

TEST_F(ModelOutput, train_shows_the_largest_coefficients) {
  const Outcome shown =
      run(folder_, {"train", "c.csv", "--target", "cost", "--drop", "id,kind", "--epochs", "2"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  expect_narrow(shown.out);
  EXPECT_NE(shown.out.find("coefficients: change of the predicted 'cost' per unit of a column"),
            std::string::npos)
      << shown.out;
  EXPECT_NE(shown.out.find("\nage "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("\n  north "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("... 8 more"), std::string::npos) << shown.out;  // of 12 letters
  EXPECT_NE(shown.out.find("share: standard deviation"), std::string::npos) << shown.out;
}

TEST_F(ModelOutput, wide_tables_show_the_first_ten) {
  const Outcome shown = run(folder_, {"train", "sinc", "--make-rows", "300", "--epochs", "2"});
  EXPECT_EQ(shown.out.find("more column"), std::string::npos) << shown.out;
  std::string text = "y";
  for (int c = 0; c < 30; ++c) text += ",a_long_name_of_a_column_of_numbers_" + std::to_string(c);
  for (int i = 0; i < 100; ++i) {
    text += '\n' + std::to_string(i * i % 31);
    for (int c = 0; c < 30; ++c) text += ',' + std::to_string((i + 3) * (c + 7) % 37);
  }
  (void)folder_.write("wide.csv", text + "\n");
  const Outcome wide = run(folder_, {"train", "wide.csv", "--target", "y", "--epochs", "2"});
  EXPECT_NE(wide.out.find("... 20 more columns"), std::string::npos) << wide.out;
  expect_narrow(wide.out);
}

TEST_F(ModelOutput, classes_have_auc_confusion_matrix_and_coefficients_each) {
  const json found = run_json(folder_, {"train", "c.csv", "--target", "kind", "--drop",
                                        "id,cost,letter", "--alpha", "1", "--model", "m.json"});
  EXPECT_EQ(found["classes"], (json{"mid", "old", "young"}));
  const json& test = found["risk"]["test"];
  EXPECT_GT(test["auc"], 0.8);
  double rows = 0;
  double correct = 0;
  ASSERT_EQ(test["confusion"].size(), 3U);
  for (std::size_t a = 0; a < 3; ++a) {
    for (const json& count : test["confusion"][a]) rows += count.get<double>();
    correct += test["confusion"][a][a].get<double>();
  }
  EXPECT_EQ(rows, found["rows"]["test"]);
  EXPECT_NEAR(correct / rows, test["accuracy"], 1e-12);
  EXPECT_EQ(found["coefficients"]["classes"], found["classes"]);
  EXPECT_EQ(found["coefficients"]["intercept"].size(), 3U);
  EXPECT_EQ(found["coefficients"]["columns"][0]["coefficient"].size(), 3U);
  const json evaluated =
      run_json(folder_, {"evaluate", "m.json", "c.csv", "--part", "test", "--group", "region"});
  EXPECT_EQ(evaluated["auc"], test["auc"]);
  EXPECT_EQ(evaluated["confusion"], test["confusion"]);
  EXPECT_TRUE(evaluated["groups"][0].contains("auc"));
  const Outcome shown = run(folder_, {"evaluate", "m.json", "c.csv"});
  expect_narrow(shown.out);
  EXPECT_NE(shown.out.find("(one versus rest)"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("confusion matrix of the rows"), std::string::npos) << shown.out;
}

TEST_F(ModelOutput, many_classes_fit_a_terminal) {
  const Outcome shown = run(folder_, {"train", "c.csv", "--target", "letter", "--drop", "id,cost",
                                      "--epochs", "2", "--task", "multiclass"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  expect_narrow(shown.out);
  EXPECT_NE(shown.out.find("of 12 classes"), std::string::npos) << shown.out;
  const Outcome compared =
      run(folder_, {"compare", "c.csv", "--target", "kind", "--drop", "id,cost", "--epochs", "2"});
  expect_narrow(compared.out);
  EXPECT_NE(compared.out.find("AUC: mean over the classes"), std::string::npos) << compared.out;
}

TEST_F(ModelOutput, predict_keeps_columns_as_they_are_written) {
  (void)run_json(folder_, {"train", "c.csv", "--target", "cost", "--drop", "id,kind,letter",
                           "--model", "m.json"});
  (void)folder_.write("new.csv",
                      "id,age,region,note,\"a,b\"\n"
                      "007,30.50,north,\"x, \"\"y\"\"\nz\",1e3\n"
                      "008,,south,NA,\n"
                      "id 9, 40 ,north,\" blank \",?\n");
  const Lines lines =
      lines_of(run(folder_, {"predict", "m.json", "new.csv", "--keep", "note,id,age,\"a,b\""}).out);
  const std::string plain = run(folder_, {"predict", "m.json", "new.csv"}).out;
  const Lines predictions = lines_of(plain);
  ASSERT_EQ(lines.size(), 5U);  // a line end in quotes
  EXPECT_EQ(lines[0], "note,id,age,\"a,b\",prediction");
  EXPECT_EQ(lines[1], "\"x, \"\"y\"\"");
  EXPECT_EQ(lines[2], "z\",007,30.50,1e3," + predictions[1]);
  EXPECT_EQ(lines[3], "NA,008,,," + predictions[2]);
  EXPECT_EQ(lines[4], "\" blank \",id 9,40,?," + predictions[3]);
}

TEST_F(ModelOutput, predict_keeps_columns_of_pipes_and_of_every_block) {
  (void)run_json(folder_, {"train", "c.csv", "--target", "kind", "--drop", "id,cost,letter",
                           "--model", "m.json"});
  // Several blocks of a stream, each of several megabytes.
  std::string text = "region,age,id,filler\n";
  const int rows = 150'000;
  const std::string filler(80, 'x');
  for (int i = 0; i < rows; ++i) {
    text += "north,30,number-" + std::to_string(i) + "," + filler + "\n";
  }
  (void)folder_.write("long.csv", text);
  ASSERT_EQ(run(folder_, {"predict", "m.json", "long.csv", "--keep", "id", "-o", "p.csv"}).code, 0);
  std::ifstream in(folder_.path() / "p.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "id,prediction,p_mid,p_old,p_young");
  int row = 0;
  for (; std::getline(in, line); ++row) {
    ASSERT_TRUE(line.starts_with("number-" + std::to_string(row) + ",")) << line;
  }
  EXPECT_EQ(row, rows);
  const Outcome piped = support::run_program(
      "/bin/sh", {"-c", "head -3 long.csv | " ADACVAR_PROGRAM " predict m.json - --keep id -q"},
      folder_.path());
  EXPECT_EQ(lines_of(piped.out).size(), 3U) << piped.err;
  EXPECT_TRUE(piped.out.starts_with("id,prediction,p_mid,p_old,p_young\nnumber-0,")) << piped.out;
}

TEST_F(ModelOutput, predict_keeps_columns_that_are_not_text) {
  (void)run_json(folder_,
                 {"train", "sinc", "--make-rows", "200", "--epochs", "2", "--model", "m.json"});
  const Lines lines = lines_of(
      run(folder_, {"predict", "m.json", "sinc", "--make-rows", "3", "--keep", "y,x2"}).out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "y,x2,prediction");
  EXPECT_EQ(fields_of(lines[1]).size(), 3U);
  // Without a header columns are numbered.
  (void)folder_.write("plain.csv",
                      "1,2,3\n2,5,4\n3,1,7\n4,0,1\n5,4,4\n6,6,2\n7,5,5\n8,2,1\n9,3,6\n0,9,2\n");
  (void)run_json(folder_,
                 {"train", "plain.csv", "--target", "c3", "--epochs", "1", "--model", "n.json"});
  const Outcome kept = run(folder_, {"predict", "n.json", "plain.csv", "--keep", "c1"});
  EXPECT_TRUE(kept.out.starts_with("c1,prediction\n1,")) << kept.out << kept.err;
}

TEST_F(ModelOutput, formats_without_names_keep_nothing) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += (i % 2 == 0 ? "1 1:" : "-1 1:") + std::to_string(i) + "\n";
  (void)folder_.write("s.svm", text);
  (void)run_json(folder_, {"train", "s.svm", "--epochs", "1", "--model", "m.json"});
  const Outcome refused = run(folder_, {"predict", "m.json", "s.svm", "--keep", "c1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_PRED2(support::has_words, refused.err, "keep = 'c1' ... s.svm ... LIBSVM");
  EXPECT_EQ(refused.out, "");
}

TEST_F(ModelOutput, compare_keeps_every_model) {
  const json found =
      run_json(folder_, {"compare", "c.csv", "--target", "cost", "--drop", "id,kind,letter",
                         "--epochs", "3", "--model", "models/of/claims"});
  ASSERT_GE(found["runs"].size(), 5U);
  for (const json& one : found["runs"]) {
    const std::string name = file_stem(one["label"].get<std::string>()) + ".json";
    EXPECT_EQ(one["model"], "models/of/claims/" + name);
    const json evaluated = run_json(folder_, {"evaluate", one["model"], "c.csv", "--part", "test"});
    EXPECT_EQ(evaluated["mean"], one["risk"]["test"]["mean"]);
    EXPECT_EQ(evaluated["coefficients"], one["coefficients"]);
  }
  const Outcome shown = run(folder_, {"compare", "c.csv", "--target", "cost", "--drop",
                                      "id,kind,letter", "--epochs", "1", "--model", "m"});
  EXPECT_NE(shown.out.find("models written to m: adacvar.json, trunc.json, soft.json, mean.json,"),
            std::string::npos)
      << shown.out;
  const json repeated =
      run_json(folder_, {"compare", "c.csv", "--target", "cost", "--drop", "id,kind,letter",
                         "--epochs", "1", "--seed", "3", "--repeats", "2", "--model", "r"});
  EXPECT_EQ(repeated["runs"][0]["model"], "r/adacvar-seed-3.json");
  EXPECT_EQ(repeated["runs"].back()["model"], "r/exact-seed-4.json");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "r" / "mean-seed-4.json"));
}

}  // namespace
}  // namespace adacvar
