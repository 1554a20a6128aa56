#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::Outcome;
using support::TemporaryFolder;
using Words = std::vector<std::string>;

class OfficeTables : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { (void)folder_.write(name, text); }
  [[nodiscard]] std::string read(const std::string& name) const {
    return support::content_of(folder_.path() / name);
  }
  [[nodiscard]] Outcome run(const Words& arguments) const {
    return support::run_program(ADACVAR_PROGRAM, arguments, folder_.path());
  }
  // Standard input from a file.
  [[nodiscard]] Outcome run_with_input(const std::string& file, Words arguments) const {
    std::string command = "exec " + std::string(ADACVAR_PROGRAM);
    for (const std::string& argument : arguments) command += " " + argument;
    return support::run_program("/bin/sh", {"-c", "cat " + file + " | { " + command + "; }"},
                                folder_.path());
  }
  // `x`, a price that grows with it, and where.
  static std::string sales(int rows, const char* between, const std::string& (*price)(int)) {
    std::string text = std::string("x") + between + "where" + between + "price\n";
    for (int i = 0; i < rows; ++i) {
      text += std::to_string(i % 23) + between + (i % 3 == 0 ? "north" : "south") + between +
              price(i) + "\n";
    }
    return text;
  }

 private:
  TemporaryFolder folder_;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string& dollars(int i) {
  static std::string text;
  text = "$" + std::to_string(1 + i % 23) + "," + std::to_string(100 + i % 7) + ".50";
  return text;
}

const std::string& euros(int i) {
  static std::string text;
  text = std::to_string(1 + i % 23) + "." + std::to_string(100 + i % 7) + ",50";
  return text;
}

TEST_F(OfficeTables, prices_are_learned_and_predicted_as_they_are_written) {
  write("us.csv", sales(120, "|", dollars));
  write("de.csv", sales(120, ";", euros));
  json risks = json::array();
  for (const std::string name : {"us", "de"}) {
    const Outcome trained = run({"train", name + ".csv", "--target", "price", "--model",
                                 name + ".json", "--json", "--epochs", "3"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_EQ(json::parse(trained.out)["task"], "regression");
    risks.push_back(json::parse(trained.out)["risk"]);
    EXPECT_TRUE(has(trained.err, "is 1100.5")) << trained.err;
    const Outcome evaluated = run({"evaluate", name + ".json", name + ".csv", "--part", "test"});
    EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  }
  EXPECT_EQ(risks[0], risks[1]) << "the same numbers, written in two ways";
}

TEST_F(OfficeTables, predict_reads_numbers_as_training_did) {
  std::string text = "x;y\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + ",5;" + std::to_string(2 * i) + "\n";
  write("t.csv", text);
  ASSERT_EQ(run({"train", "t.csv", "--target", "y", "--model", "m.json", "--epochs", "3"}).code, 0);
  write("comma.csv", "x\n\"1.007,0\"\n\"3,5\"\n");
  write("point.csv", "x\n1007\n3.5\n");
  const Outcome comma = run({"predict", "m.json", "comma.csv"});
  EXPECT_EQ(comma.code, 0) << comma.err;
  const Outcome point = run({"predict", "m.json", "point.csv", "--decimal", "point"});
  EXPECT_EQ(point.code, 0) << point.err;
  EXPECT_EQ(comma.out, point.out);
}

TEST_F(OfficeTables, classes_that_are_numbers_are_read_as_training_did) {
  std::string text = "x;grade\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i) + (i % 3 == 0 ? ";1,250\n" : i % 3 == 1 ? ";2,5\n" : ";3\n");
  }
  write("t.csv", text);
  const Outcome trained = run({"train", "t.csv", "--target", "grade", "--task", "multiclass",
                               "--model", "m.json", "--epochs", "1"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(json::parse(read("m.json"))["preprocessing"]["classes"], (json{"1.25", "2.5", "3"}));
  write("few.csv", "x;grade\n7;1,250\n9;1,250\n");  // alone it might be 1250
  const Outcome evaluated = run({"evaluate", "m.json", "few.csv"});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
}

TEST_F(OfficeTables, an_id_is_named_before_training_and_costs_no_memory) {
  std::string text = "id,x,y\n";
  for (int i = 0; i < 30'000; ++i) {
    text += "customer-" + std::to_string(i) + "," + std::to_string(i % 9) + "," +
            std::to_string(i % 13 * 0.5) + "\n";
  }
  write("t.csv", text);
  const Outcome outcome = run({"train", "t.csv", "--target", "y", "--epochs", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t note = outcome.err.find("--categorical id");
  ASSERT_NE(note, std::string::npos) << outcome.err;
  EXPECT_LT(note, outcome.err.find("epoch 1/1")) << outcome.err;
  EXPECT_EQ(outcome.err.find("--categorical id", note + 1), std::string::npos) << "said once";
  EXPECT_EQ(run({"train", "t.csv", "--target", "y", "--algorithm", "exact"}).code, 0);
  const Outcome exact =
      run({"train", "t.csv", "--target", "y", "--algorithm", "exact", "--categorical", "id"});
  EXPECT_EQ(exact.code, 2);
  EXPECT_TRUE(has(exact.err, "5000") || has(exact.err, "5,000")) << exact.err;
}

TEST_F(OfficeTables, more_columns_than_the_exact_solver_takes_are_trained_without_a_certificate) {
  std::string text = "y";
  for (int c = 0; c < 5001; ++c) text += ",x" + std::to_string(c);
  for (int row = 0; row < 40; ++row) {
    text += "\n" + std::to_string(row);
    for (int c = 0; c < 5001; ++c) text += "," + std::to_string(row * (c % 6 + 1) % 7);
  }
  write("wide.csv", text + "\n");
  const Words options = {"--target", "y", "--epochs", "1", "--json", "--quiet"};
  for (const std::string command : {"train", "compare"}) {
    Words words = {command, "wide.csv"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(run(words).code, 0) << run(words).err;
    words.insert(words.end(), {"--certify", "yes"});
    words.erase(std::ranges::find(words, "--quiet"));
    const Outcome refused = run(words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(has(refused.err, "5000")) << refused.err;
    EXPECT_FALSE(has(refused.err, "epoch 1/1")) << "before training, not after it";
  }
}

TEST_F(OfficeTables, missing_words_are_remembered_by_the_model) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 8 == 1   ? std::string("unbekannt")
             : i % 8 == 2 ? "-1"
                          : std::to_string(i)) +
            "," + std::to_string(2 * i) + "\n";
  }
  write("t.csv", text);
  const Outcome trained = run({"train", "t.csv", "--target", "y", "--missing", "unbekannt,-1",
                               "--model", "m.json", "--epochs", "2"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  write("new.csv", "x\nunbekannt\n-1\n3\nnull\n");
  const Outcome outcome = run({"predict", "m.json", "new.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 5U);
  EXPECT_TRUE(has(outcome.err, "3 numbers of x")) << outcome.err;
  EXPECT_EQ(run({"evaluate", "m.json", "t.csv", "--part", "train"}).code, 0);
}

TEST_F(OfficeTables, predict_takes_text_for_missing_and_says_so) {
  write("t.csv", "x,z,y\n1,2,3\n4,5,7\n7,9,1\n3,3,3\n");
  ASSERT_EQ(run({"train", "t.csv", "--target", "y", "--task", "regression", "--split", "1,0,0",
                 "--model", "m.json", "--epochs", "1"})
                .code,
            0);
  write("new.csv", "x,z\n1,2\nabc,\n7,1\n");
  const Outcome outcome = run({"predict", "m.json", "new.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 4U);
  EXPECT_TRUE(has(outcome.err, "'abc' in line 3")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "1 number of z")) << outcome.err;
  write("words.csv", "x,z\nabc,2\ndef,3\n");
  const Outcome words = run({"predict", "m.json", "words.csv"});
  EXPECT_EQ(words.code, 3) << "a column without any number is another column";
  EXPECT_TRUE(has(words.err, "numeric in training")) << words.err;
}

TEST_F(OfficeTables, a_header_alone_has_predictions_without_rows) {
  write("t.csv", "x,c,y\n1,a,3\n4,b,7\n7,a,1\n3,b,3\n");
  ASSERT_EQ(run({"train", "t.csv", "--target", "y", "--task", "regression", "--split", "1,0,0",
                 "--model", "m.json", "--epochs", "1"})
                .code,
            0);
  write("new.csv", "x,c\n");
  const Outcome outcome = run({"predict", "m.json", "new.csv", "-o", "out.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read("out.csv"), "prediction\n");
  EXPECT_EQ(run_with_input("new.csv", {"predict", "m.json", "-"}).out, "prediction\n");
  EXPECT_EQ(run({"evaluate", "m.json", "new.csv"}).code, 3);
  write("other.csv", "x\n");
  EXPECT_EQ(run({"predict", "m.json", "other.csv"}).code, 3);
}

TEST_F(OfficeTables, standard_input_is_a_table) {
  ASSERT_EQ(run({"data", "make", "normal", "--rows", "60", "-o", "t.csv"}).code, 0);
  const Words options = {"--target", "y", "--json", "--quiet", "--epochs", "2"};
  Words piped = {"train", "-", "--model", "m.json"};
  Words named = {"train", "t.csv"};
  piped.insert(piped.end(), options.begin(), options.end());
  named.insert(named.end(), options.begin(), options.end());
  const Outcome outcome = run_with_input("t.csv", piped);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["risk"], json::parse(run(named).out)["risk"]);
  EXPECT_EQ(run_with_input("t.csv", {"predict", "m.json", "-"}).out,
            run({"predict", "m.json", "t.csv"}).out);
  EXPECT_EQ(run_with_input("t.csv", {"evaluate", "m.json", "-"}).code, 0);
}

TEST_F(OfficeTables, an_index_without_a_name_is_left_out) {
  std::string text = ",x,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(3 * i) + "\n";
  }
  write("t.csv", text);
  const Outcome trained =
      run({"train", "t.csv", "--target", "y", "--model", "m.json", "--epochs", "1"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err, "index")) << trained.err;
  EXPECT_EQ(json::parse(read("m.json"))["model"]["features"], 1);
  EXPECT_EQ(lines_in(run({"predict", "m.json", "t.csv"}).out), 41U);
}

TEST_F(OfficeTables, the_model_file_knows_the_column_of_weights) {
  std::string text = "x,exposure,y\n";
  for (int i = 0; i < 60; ++i) {
    text +=
        std::to_string(i % 7) + "," + std::to_string(i % 4) + "," + std::to_string(i % 11) + "\n";
  }
  write("t.csv", text);
  const Outcome trained =
      run({"train", "t.csv", "--target", "y", "--weight", "exposure", "--model", "m.json"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err, "15 of 60 rows have weight 0")) << trained.err;
  const Outcome judged = run({"evaluate", "m.json", "t.csv"});
  EXPECT_EQ(judged.code, 0) << judged.err;
  EXPECT_TRUE(has(judged.err, "15 of these rows have weight 0")) << judged.err;
  EXPECT_TRUE(has(judged.out, "45 rows")) << judged.out;
  const Outcome part = run({"evaluate", "m.json", "t.csv", "--part", "test"});
  EXPECT_TRUE(has(part.out, " 9 rows")) << part.out << part.err;
  write("new.csv", "x,y\n1,2\n3,4\n5,7\n");
  const Outcome unweighted = run({"evaluate", "m.json", "new.csv"});
  EXPECT_EQ(unweighted.code, 0) << unweighted.err;
  EXPECT_TRUE(has(unweighted.err, "no column of weights")) << unweighted.err;
  write("only.csv", "x\n1\n3\n");
  EXPECT_EQ(run({"predict", "m.json", "only.csv"}).code, 0);
}

TEST_F(OfficeTables, rows_without_a_target_are_left_out_of_evaluation_too) {
  write("t.csv", "x,y\n1,3\n4,7\n7,1\n3,3\n5,\n");
  const Outcome trained = run({"train", "t.csv", "--target", "y", "--task", "regression", "--split",
                               "1,0,0", "--model", "m.json", "--epochs", "1"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err, "1 of 5 rows")) << trained.err;
  const Outcome evaluated = run({"evaluate", "m.json", "t.csv", "--json"});
  EXPECT_EQ(json::parse(evaluated.out)["rows"], 4);
  EXPECT_TRUE(has(evaluated.err, "1 of these rows")) << evaluated.err;
  EXPECT_EQ(run({"evaluate", "m.json", "t.csv", "--part", "train"}).code, 0);
  const Outcome strict = run({"evaluate", "m.json", "t.csv", "--strict"});
  EXPECT_EQ(strict.code, 3);
  EXPECT_TRUE(has(strict.err, "missing in row 5")) << strict.err;
  EXPECT_EQ(lines_in(run({"predict", "m.json", "t.csv"}).out), 6U);
}

// 8,648 may be eight thousand or eight and a bit: a model does not guess.
TEST_F(OfficeTables, new_data_with_the_other_decimal_sign_is_refused) {
  std::string points = "x;y\n";
  std::string commas = "x;y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string digits = std::to_string(100 + (37 * i) % 900);
    points += "8." + digits + ";2." + digits + "\n";
    commas += "8," + digits + ";2," + digits + "\n";
  }
  write("points.csv", points);
  write("commas.csv", commas);
  ASSERT_EQ(run({"train", "points.csv", "--target", "y", "--model", "m.json", "-q"}).code, 0);
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome refused = run({command, "m.json", "commas.csv"});
    EXPECT_EQ(refused.code, 3);
    EXPECT_TRUE(has(refused.err, "decimal")) << refused.err;
    EXPECT_EQ(run({command, "m.json", "commas.csv", "--decimal", "comma"}).code, 0);
  }
  const Outcome tested =
      run({"train", "points.csv", "--target", "y", "--test-data", "commas.csv", "-q"});
  EXPECT_EQ(tested.code, 3);
  EXPECT_TRUE(has(tested.err, "none of the test rows has a target")) << tested.err;
  ASSERT_EQ(
      run({"train", "commas.csv", "--target", "y", "--decimal", "comma", "--model", "c.json", "-q"})
          .code,
      0);
  EXPECT_EQ(run({"predict", "c.json", "points.csv"}).code, 3);
}

}  // namespace
}  // namespace adacvar
