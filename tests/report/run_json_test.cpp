#include <adacvar/report/evaluation.hpp>

#include <adacvar/report/run_json.hpp>
#include "run/trained_model.hpp"

#include "support/made_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace adacvar {
namespace {

using nlohmann::ordered_json;
using support::change_model;
using support::made_part;
using support::made_result;

// Keys come in the order of docs/file_formats.md, "What --json prints".
TEST(RunJson, train_has_the_documented_keys_in_their_order) {
  RunReport report{
      {made_result(Algorithm::soft, false, made_part(10, 0.5), made_part(6, 1), made_part(4, 2))},
      {"one note", "another"}};
  change_model(report.results[0], [&](TrainedModel& m) { m.stop_reason = StopReason::patience; });
  EXPECT_EQ(run_json(report, "m.json"),
            R"({"algorithm":"soft","label":"soft","task":"regression","loss":"squared",)"
            R"("alpha":0.05,"gamma":0.0,"seed":7,)"
            R"("rows":{"train":10,"valid":6,"test":4},)"
            R"("risk":{"train":{"mean":0.5,"var":1.0,"cvar":1.5},)"
            R"("valid":{"mean":1.0,"var":2.0,"cvar":3.0},)"
            R"("test":{"mean":2.0,"var":4.0,"cvar":6.0}},)"
            R"("stop_reason":"patience","epochs":50,"trials":1,"seconds":1.25,"norm":0.0,)"
            R"("model":"m.json","notes":["one note","another"]})");
}

TEST(RunJson, parts_without_rows_are_left_out_of_the_risks_and_no_file_of_the_model) {
  const RunReport report{{made_result(Algorithm::adacvar, true, made_part(10, 0.5, 0.75), {}, {})},
                         {}};
  EXPECT_EQ(run_json(report),
            R"({"algorithm":"adacvar","label":"adacvar","task":"binary","loss":"logistic",)"
            R"("alpha":0.05,"gamma":0.0,"seed":7,)"
            R"("rows":{"train":10,"valid":0,"test":0},)"
            R"("risk":{"train":{"mean":0.5,"var":1.0,"cvar":1.5,)"
            R"("accuracy":0.75,"min_class_precision":0.375}},)"
            R"("stop_reason":"epochs","epochs":50,"trials":1,"seconds":1.25,"norm":0.0,)"
            R"("classes":["no","yes"],"notes":[]})");
}

TEST(RunJson, compare_names_the_model_files) {
  const RunReport report{{made_result(Algorithm::trunc, false, made_part(10, 0.5), {}, {}),
                          made_result(Algorithm::mean, false, made_part(10, 1), {}, {})},
                         {}};
  const auto found = ordered_json::parse(compare_json(report, std::vector<std::string>{"a", ""}));
  EXPECT_EQ(found["runs"][0]["model"], "a");
  EXPECT_FALSE(found["runs"][1].contains("model"));
}

TEST(RunJson, compare_has_an_entry_for_every_run_and_one_list_of_notes) {
  const RunReport report{{made_result(Algorithm::trunc, false, made_part(10, 0.5), {}, {}),
                          made_result(Algorithm::mean, false, made_part(10, 1), {}, {})},
                         {"a note"}};
  const auto found = ordered_json::parse(compare_json(report));
  std::vector<std::string> keys;
  for (const auto& [key, value] : found.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"runs", "notes"}));
  ASSERT_EQ(found["runs"].size(), 2U);
  // Each as train prints it, without model and notes.
  auto alone = ordered_json::parse(run_json({{report.results[1]}, {}}));
  alone.erase("notes");
  EXPECT_EQ(found["runs"][1].dump(), alone.dump());
}

TEST(RunJson, compared_parts_say_how_far_they_are_above_the_least) {
  RunReport report{{made_result(Algorithm::trunc, false, made_part(10, 0.5), {}, {})}, {}};
  report.results[0].train->above_least = CvarDifference{0.25, 0.5, {-0.75, 1.25}};
  report.results[0].train->best = true;
  const auto found = ordered_json::parse(run_json(report))["risk"]["train"];
  EXPECT_EQ(found["best"], true);
  EXPECT_EQ(found["above_least"].dump(), R"({"value":0.25,"error":0.5,"interval":[-0.75,1.25]})");
}

TEST(RunJson, is_one_line_of_utf_8_whatever_names_hold) {
  const RunReport report{{made_result(Algorithm::mean, false, made_part(10, 0.5), {}, {})},
                         {"column 'caf\xe9\n' is constant"}};
  for (const std::string& text : {run_json(report, "m\xff.json"), compare_json(report)}) {
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_TRUE(ordered_json::accept(text)) << text;
  }
}

TEST(EvaluationJson, has_the_documented_keys_in_their_order) {
  Evaluation evaluation;
  evaluation.source = "t.csv";
  evaluation.loss = "hinge";
  evaluation.resamples = 1000;
  RiskEstimate risk{.alpha = 0.5, .mean = 1, .var = 2, .cvar = 3};
  risk.mean_interval = {0.5, 1.5};
  risk.var_interval = {1, 3};
  risk.cvar_interval = {2, 4};
  risk.tail_index = 0.75;
  evaluation.all = {
      .name = {}, .rows = 8, .risk = {risk}, .accuracy = 0.5, .min_class_precision = 0};
  evaluation.group_column = "sex";
  evaluation.groups = {evaluation.all};
  evaluation.groups[0].name = "f";
  evaluation.groups[0].rows = 3;
  evaluation.detail.worst = {{.row = 5, .loss = 2.5, .target = "no", .prediction = "yes"}};
  evaluation.notes = {"a note"};
  const std::string risks =
      R"("mean":1.0,"mean_interval":[0.5,1.5],"tails":[{"alpha":0.5,"var":2.0,)"
      R"("var_interval":[1.0,3.0],"cvar":3.0,"cvar_interval":[2.0,4.0],"reliable":false}],)"
      R"("heavy_tail":true,"tail_index":0.75,"accuracy":0.5,"min_class_precision":0.0)";
  EXPECT_EQ(evaluation_json(evaluation),
            R"({"data":"t.csv","loss":"hinge","level":0.95,"resamples":1000,"rows":8,)" + risks +
                R"(,"group":"sex","groups":[{"value":"f","rows":3,)" + risks +
                R"(}],"worst":[{"row":5,"loss":2.5,"target":"no","prediction":"yes"}],)"
                R"("notes":["a note"]})");
}

}  // namespace
}  // namespace adacvar
