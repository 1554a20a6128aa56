// An option that cannot have an effect is refused before any work, and only then.

#include "support/expect_words.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::Outcome;
using support::TemporaryFolder;

Outcome run_line(const TemporaryFolder& folder, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return support::run_program(ADACVAR_PROGRAM, words, folder.path());
}

// There is no file no.csv: a run whose options all have an effect ends with bad data.
struct Row {
  const char* command;
  const char* option;  // without its dashes, with a value
};

std::string name_of(const Row& row) {
  const std::string option = row.option;
  return option.substr(0, option.find(' '));
}

constexpr const char* kExact = "train no.csv --algorithm exact";
constexpr const char* kSampled = "train no.csv";
constexpr const char* kLeader = "train no.csv --learner btl";
constexpr const char* kFull = "train no.csv --learner btl --information full";
constexpr const char* kNetwork = "train no.csv --network mlp";
constexpr const char* kTrees = "train no.csv --trees";

std::vector<Row> unused() {
  std::vector<Row> rows;
  const auto add = [&](const char* command, const std::vector<const char*>& options) {
    for (const char* option : options) rows.push_back({command, option});
  };
  add(kExact, {"exploration 0.1",
               "memory 0.5",
               "weight-decay 0.1",
               "learning-rate 0.1",
               "epochs 3",
               "batch 4",
               "momentum 0.9",
               "nesterov",
               "tune",
               "optimizer adam",
               "optimizer sgd",
               "lr-schedule steps",
               "decay 0.5",
               "decay-every 3",
               "radius 1",
               "temperature 0.1",
               "level-window 50",
               "iterate last",
               "patience 3",
               "learner steps",
               "learner btl",
               "information bandit",
               "oracle-calls 3",
               "checkpoint c",
               "certify no",
               "until-gap 0.1",
               "trace t.jsonl",
               "eta 1",
               "marginals exact",
               "select cvar",
               "epsilon 1"});
  add("train no.csv --algorithm exact --alphas 0.1,0.2", {"alpha 0.3", "model m.json"});
  add("train no.csv --algorithm trunc",
      {"exploration 0.1", "memory 0.5", "temperature 1", "learner btl", "eta-scale 2", "alphas 0.1",
       "until-gap 0.1", "batches subset"});
  add("train no.csv --algorithm mean",
      {"gamma 0.1", "memory 1", "temperature 1", "level-window 50", "scale fixed", "loss-scale 2",
       "horizon 9", "estimator gain", "schedule adagrad"});
  add("train no.csv --algorithm soft", {"exploration 0.1", "trace t.jsonl"});
  add(kSampled,
      {"tau 0.3", "delta 2", "temperature 0.1", "level-window 50", "select accuracy", "select cvar",
       "width 0.5", "dropout 0.1", "augment crop", "device cpu", "network-threads 1",
       "make-rows 20", "make-seed 3", "data-dir .", "information full", "information bandit",
       "oracle-calls 3", "alphas 0.1", "loss-scale 2"});
  add("train no.csv --loss huber", {"tau 0.3"});
  add("train no.csv --loss pinball", {"delta 2"});
  add("train no.csv --lr-schedule constant", {"decay 0.5", "decay-every 3"});
  add("train no.csv --optimizer adam", {"momentum 0.9", "nesterov"});
  add("train no.csv --momentum 0", {"nesterov"});
  add("train no.csv --eta 0.1", {"eta-scale 2", "horizon 9"});
  add("train no.csv --schedule adagrad", {"horizon 9"});
  add("train no.csv --estimator gain --scale running", {"loss-scale 2"});
  add("train no.csv --certify no", {"tolerance 0.1", "certificate-radius 5"});
  add("train no.csv --tune", {"until-gap 0.1", "trace t.jsonl"});
  add(kLeader, {"learning-rate 0.1", "optimizer adam", "momentum 0.9", "weight-decay 1",
                "lr-schedule constant", "decay 0.5", "radius 1", "checkpoint c", "memory 0.5"});
  add(kFull, {"batch 3", "patience 2", "estimator gain", "epsilon 0", "marginals exact",
              "trace t.jsonl", "until-gap 0.1", "eta-scale 3"});
  add(kNetwork, {"ridge 1", "radius 1", "certify yes", "certify no", "tolerance 0.1", "threads 2",
                 "learner btl", "until-gap 0.1", "trace t.jsonl"});
  add(kTrees, {"network mlp",
               "epochs 3",
               "batch 4",
               "learning-rate 0.1",
               "ridge 1",
               "radius 1",
               "optimizer adam",
               "momentum 0.9",
               "weight-decay 0.1",
               "patience 3",
               "iterate last",
               "learner btl",
               "eta 1",
               "eta-scale 2",
               "memory 0.5",
               "exploration 0.1",
               "estimator gain",
               "schedule adagrad",
               "marginals exact",
               "epsilon 1",
               "certify yes",
               "tolerance 0.1",
               "until-gap 0.1",
               "trace t.jsonl",
               "cvar-limit 1",
               "fine-tune 0.1",
               "mix",
               "raw-features",
               "dropout 0.1"});
  add("train no.csv --trees --algorithm mean", {"gamma 0.1"});
  add(kSampled, {"rounds 3", "depth 2", "leaves 4", "tree-rate 0.2", "subsample 0.5",
                 "min-leaf-weight 2", "leaf-ridge 2", "bins 16", "tree-patience 3"});
  add("frontier no.csv", {"rounds 3"});
  add("frontier no.csv --trees", {"ridge 1", "epochs 3", "certify yes"});
  add("train pareto",
      {"separator comma", "header yes", "data-dir .", "strict", "decimal comma", "missing -9"});
  add("train adult", {"separator comma", "header no", "make-rows 30"});
  add("compare no.csv", {"tau 0.3", "select cvar", "make-rows 20", "information full"});
  add("compare no.csv --learner btl --certify no", {"tolerance 0.1"});
  add("frontier no.csv", {"epochs 3", "learning-rate 0.1", "certify yes", "exploration 0.1"});
  add("frontier no.csv --network mlp", {"ridge 1", "tolerance 0.1", "threads 2"});
  add("evaluate no.json no.csv", {"make-rows 20", "data-dir .", "loss-max 3"});
  add("evaluate no.json no.csv --guarantee 0", {"loss-max 3"});
  add("correct no.csv --prediction f", {"tau 0.3", "make-rows 20", "data-dir ."});
  add("correct no.csv --prediction f --choose always", {"folds 3"});
  add("evaluate no.json sinc", {"separator tab"});
  add("predict no.json no.csv", {"make-seed 20", "data-dir ."});
  add("data describe no.csv", {"make-rows 20", "data-dir ."});
  add("data describe adult", {"header yes"});
  add("reproduce mnist", {"grid paper", "upsample", "downsample", "sets adult", "make-rows 50"});
  add("reproduce convex", {"scale paper", "device cpu", "upsample", "downsample"});
  add("reproduce convex --sets adult", {"make-rows 50"});
  add("reproduce tradeoff", {"grid paper", "make-rows 50", "upsample"});
  add("reproduce shift-test", {"scale small", "make-rows 50"});
  add("reproduce shift-test --upsample", {"downsample"});
  add("reproduce all", {"sets adult", "upsample", "downsample", "scale small"});
  return rows;
}

TEST(UnusedOptions, are_refused_by_name) {
  const TemporaryFolder folder;
  for (const Row& row : unused()) {
    const std::string line = std::string(row.command) + " --" + row.option;
    const Outcome outcome = run_line(folder, line);
    EXPECT_EQ(outcome.code, 2) << line << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << line;
    const std::string words = " has no effect: ";
    EXPECT_NE(outcome.err.find(words), std::string::npos) << line << "\n" << outcome.err;
    // Two switches that exclude each other may be named either way.
    EXPECT_NE(line.find(outcome.err.substr(9, outcome.err.find(words) - 9)), std::string::npos);
    EXPECT_NE(outcome.err.find(name_of(row)), std::string::npos) << line << "\n" << outcome.err;
  }
}

TEST(UnusedOptions, options_with_an_effect_pass) {
  const TemporaryFolder folder;
  std::vector<std::string> lines = {
      "train no.csv --algorithm exact --ridge 1 --tolerance 0.1 --alpha 0.2 --seed 3 --threads 2",
      "train no.csv --algorithm exact --alphas 0.1,0.2 --tolerance 0.1 --gamma 0.3",
      "train no.csv --algorithm soft --temperature 0.1 --level-window 50 --learning-rate 0.1",
      "train no.csv --algorithm trunc --gamma 0.3 --level-window 50 --decay 0.5 --decay-every 2 "
      "--radius 1",
      "train no.csv --algorithm mean --batch 3 --weight-decay 0.1 --iterate last --patience 2",
      "train no.csv --loss pinball --tau 0.3 --separator comma --header yes",
      "train no.csv --loss huber --delta 2",
      "train no.csv --tune --select cvar --optimizer adam --momentum 0.9",
      "train no.csv --gamma 0.1 --exploration 0 --eta-scale 2 --horizon 100 --epsilon 0 "
      "--marginals exact --memory 0.5",
      "train no.csv --estimator gain --loss-scale 2",
      "train no.csv --scale fixed --loss-scale 2",
      "train no.csv --until-gap 0.1 --checkpoint c --momentum 0.5 --nesterov",
      "train no.csv --learner btl --oracle-calls 3 --batch 5 --epochs 3 --gamma 0.1",
      "train no.csv --learner btl --information full --eta 0.1 --gamma 0.1 --iterate last",
      "train no.csv --test-data pareto --make-rows 20 --make-seed 3",
      "train no.csv --valid-data adult --data-dir .",
      "train no.csv --tune=false --algorithm exact",
      "compare no.csv --gamma 0.1 --temperature 0.1 --level-window 50 --learner btl --radius 1 "
      "--learning-rate 0.1 --tolerance 0.1 --epochs 3 --certify yes --threads 2",
      "frontier no.csv --alpha 0.2 --ridge 1 --tolerance 0.1 --threads 2 --points 5 --at knee",
      "frontier no.csv --algorithm trunc --epochs 3 --certify no --learning-rate 0.1",
      "evaluate no.json no.csv --separator comma --categorical a",
      "evaluate no.json sinc --make-rows 20",
      "evaluate no.json no.csv --guarantee 0.9 --loss-max 3 --against no.json",
      "predict no.json no.csv --header no",
      "data describe no.csv --separator comma --drop a",
      "reproduce convex --grid paper --data-dir no --make-rows 50 --sets adult,normal",
      "reproduce all --grid small --data-dir no --make-rows 50",
      "reproduce shift-train --upsample --sets adult --data-dir no",
  };
  for (const std::string& line : lines) {
    const Outcome outcome = run_line(folder, line);
    EXPECT_EQ(outcome.code, 3) << line << "\n" << outcome.err;
  }
  // Where there are no networks, that is said; here only that the options fit.
  for (const char* more : {"--width 0.5 --dropout 0.1", "--device cpu --network-threads 1",
                           "--gamma 0.1 --learning-rate 0.1 --weight-decay 0.1 --tune"}) {
    const Outcome outcome = run_line(folder, std::string(kNetwork) + " " + more);
    EXPECT_EQ(outcome.err.find("has no effect"), std::string::npos) << more << outcome.err;
  }
}

TEST(UnusedOptions, those_of_a_config_file_are_named_with_their_line) {
  const TemporaryFolder folder;
  (void)folder.write("c.toml", "data = \"no.csv\"\n\n[train]\ntau = 0.5\n");
  const Outcome outcome = run_line(folder, "train --config c.toml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_PRED2(support::has_words, outcome.err, "c.toml:4: tau ... no effect ... loss = pinball");
  EXPECT_EQ(run_line(folder, "train --config c.toml --loss pinball").code, 3)
      << "the command line gives it an effect";
  EXPECT_EQ(run_line(folder, "compare --config c.toml").code, 3) << "another command's section";

  (void)folder.write("d.toml", "data = \"no.csv\"\nloss = \"pinball\"\ntune = false\n");
  EXPECT_EQ(run_line(folder, "train --config d.toml --tau 0.2").code, 3);
  EXPECT_EQ(run_line(folder, "train --config d.toml --select cvar").code, 2);
  EXPECT_EQ(run_line(folder, "train --config d.toml --loss squared --tau 0.2").code, 2);
}

TEST(UnusedOptions, help_and_page_say_when_an_option_has_an_effect) {
  const TemporaryFolder folder;
  const std::string page = run_line(folder, "options").out;
  EXPECT_NE(page.find("quantile to predict; only with --loss pinball |"), std::string::npos);
  const std::string train = run_line(folder, "train --help").out;
  EXPECT_NE(train.find("--algorithm soft"), std::string::npos);
  const std::string compare = run_line(folder, "compare --help").out;
  EXPECT_EQ(compare.find("--algorithm"), std::string::npos) << "an option that it has not";
}

}  // namespace
}  // namespace adacvar
