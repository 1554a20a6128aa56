#include <adacvar/adacvar.hpp>

#include "data/images.hpp"
#include "data/prepare_data.hpp"
#include "data/preprocess.hpp"
#include "data/read_table.hpp"

#include "base/options_json.hpp"
#include "run/model_file.hpp"
#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using nlohmann::json;
using support::expect_words;
using support::TemporaryFolder;
namespace fs = std::filesystem;

// Parameters that only an exact text brings back: no short decimals, the ends of the range, -0.
void fill(LinearModel& model) {
  constexpr std::array kHard = {0.1,
                                1.0 / 3,
                                -0.0,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::lowest()};
  Rng rng(7);
  std::size_t i = 0;
  for (double& value : model.parameters()) {
    value = i < kHard.size() ? kHard[i] : rng.uniform() - 0.5;
    ++i;
  }
}

std::vector<Index> all_rows(std::size_t count) {
  std::vector<Index> rows(count);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

TrainedModel with_parameters(const Preprocessor& preprocessor, const Loss& loss) {
  const std::size_t outputs = loss.outputs(preprocessor.parts().class_names.size());
  TrainedModel model{.preprocessor = preprocessor,
                     .loss = loss,
                     .model = LinearModel(preprocessor.features(), outputs),
                     .options = {},
                     .source = "t.csv",
                     .fingerprint = {4, 3, "0123456789abcdef"},
                     .shares = {0.6, 0.3, 0.1}};
  model.options.sampler.gamma = model.options.gamma;  // a file has one
  fill(model.model);
  return model;
}

TrainedModel of_table(std::string_view csv, const Loss& loss) {
  const Table table = parse_csv(csv, "t.csv");
  return with_parameters(Preprocessor::fit(table, all_rows(table.rows), {.target = "y"}), loss);
}

TrainedModel regression_model() {
  return of_table("x,c,k,y\n0.1,a,5,1\n0.2,b,5,2.5\n0.4,?,5,4\n0.7,a,5,8\n",
                  Loss(LossKind::pinball, 0.3, 0.9));
}

TrainedModel binary_model() {
  return of_table("x,z,y\n1,2,no\n3,1,yes\n2,5,yes\n", Loss(LossKind::logistic));
}

TrainedModel multiclass_model() {
  return of_table("x,z,y\n1,2,a\n3,1,b\n2,5,c\n", Loss(LossKind::softmax));
}

TrainedModel sparse_model() {
  SparseRows rows;
  rows.start = {0, 2, 3, 3};
  rows.column = {0, 4'000'000'000U, 7};
  rows.value = {0.1F, 2, 3};
  rows.target = {1, -1, 1};
  rows.columns = 4'000'000'001U;
  rows.source = "t.libsvm";
  return with_parameters(Preprocessor::fit(rows, all_rows(3)), Loss(LossKind::hinge));
}

TrainedModel image_model() {
  const Images images{.shape = {.channels = 2, .height = 1, .width = 2},
                      .pixels = {0, 1, 2, 3, 255, 7, 8, 9, 5, 4, 3, 2},
                      .labels = {200, 3, 7},
                      .class_names = {},
                      .source = "t-images"};
  TrainedModel model =
      with_parameters(Preprocessor::fit(images, all_rows(3)), Loss(LossKind::softmax));
  model.shares = {.train = 0.75, .valid = 0.25, .test = 0, .own_test = true};
  return model;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

json options_json(const TrainOptions& options) {
  json sampler;
  json optimizer;
  json training;
  options_to_json(options.sampler, sampler);
  options_to_json(options.optimizer, optimizer);
  options_to_json(options, training);
  return {sampler, optimizer, training};
}

void expect_same(const TrainedModel& read, const TrainedModel& written) {
  EXPECT_EQ(read.preprocessor, written.preprocessor);
  EXPECT_EQ(read.loss.kind(), written.loss.kind());
  EXPECT_EQ(read.loss.delta(), written.loss.delta());
  EXPECT_EQ(read.loss.tau(), written.loss.tau());
  EXPECT_EQ(read.model.features(), written.model.features());
  EXPECT_EQ(read.model.outputs(), written.model.outputs());
  const auto a = read.model.parameters();
  const auto b = written.model.parameters();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
  }
  EXPECT_EQ(options_json(read.options), options_json(written.options));
  EXPECT_EQ(read.stop_reason, written.stop_reason);
  EXPECT_EQ(read.source, written.source);
  EXPECT_EQ(read.fingerprint, written.fingerprint);
  EXPECT_EQ(read.task, written.task);
  EXPECT_EQ(read.shares.train, written.shares.train);
  EXPECT_EQ(read.shares.valid, written.shares.valid);
  EXPECT_EQ(read.shares.test, written.shares.test);
  EXPECT_EQ(read.shares.own_test, written.shares.own_test);
}

TEST(ModelFile, damaged_preprocessing_of_images_is_refused) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "m.json";
  save_model(path, image_model());
  const json good = json::parse(bytes_of(path));
  const auto refusal = [&](const char* key, const json& value) {
    json bad = good;
    bad["preprocessing"]["image"][key] = value;
    (void)folder.write("m.json", bad.dump());
    const std::string words = support::message_of<DataError>([&] { return load_model(path); });
    const std::string place = path.string() + ": ";
    return words.starts_with(place) ? words.substr(place.size()) : words;
  };
  EXPECT_PRED2(support::has_words, refusal("channels", 3),
               "preprocessing is damaged: number of channels");
  EXPECT_PRED2(support::has_words, refusal("height", 0),
               "preprocessing is damaged ... without pixels");
  EXPECT_PRED2(support::has_words, refusal("width", 70'000), "width 70000");
  EXPECT_PRED2(support::has_words, refusal("width", -1), "width -1");
  EXPECT_PRED2(support::has_words, refusal("scales", {1, 0}),
               "preprocessing is damaged: scale is not positive");
  EXPECT_PRED2(support::has_words, refusal("labels", {3, 7}),
               "preprocessing is damaged: number of labels");
  EXPECT_PRED2(support::has_words, refusal("labels", {3, 7, 7}),
               "preprocessing is damaged: labels do not increase");
  EXPECT_PRED2(support::has_words, refusal("labels", {3, 7, 256}), "label 256");
}

TEST(ModelFile, every_kind_of_model_comes_back_bit_for_bit) {
  const TemporaryFolder folder;
  for (const TrainedModel& model :
       {regression_model(), binary_model(), multiclass_model(), sparse_model(), image_model()}) {
    save_model(folder.path() / "m.json", model);
    const TrainedModel read = load_model(folder.path() / "m.json");
    expect_same(read, model);
    save_model(folder.path() / "again.json", read);
    EXPECT_EQ(bytes_of(folder.path() / "again.json"), bytes_of(folder.path() / "m.json"));
  }
}

TEST(ModelFile, every_option_comes_back) {
  TrainedModel model = regression_model();
  model.options = {.algorithm = Algorithm::soft,
                   .alpha = 0.07,
                   .gamma = 0.28,
                   .exploration = 0.29,
                   .memory = 0.31,
                   .epochs = 11,
                   .batch = 12,
                   .learning_rate = 0.13,
                   .decay = 0.14,
                   .optimizer = {OptimizerKind::adam, 0.15, true, 0.16},
                   .ridge = 0.17,
                   .radius = 0.18,
                   .temperature = 0.19,
                   .level_window = 20,
                   .iterate = Iterate::random,
                   .patience = 21,
                   .seed = std::numeric_limits<std::uint64_t>::max(),
                   .sampler = {.alpha = 0.07,  // a file has one alpha and one gamma
                               .estimator = Estimator::gain,
                               .eta = 0.22,
                               .eta_scale = 0.23,
                               .schedule = EtaSchedule::adagrad,
                               .horizon = 24,
                               .gamma = 0.28,
                               .epsilon = 0.26,
                               .scale = LossScale::running,
                               .loss_scale = 0.27,
                               .marginals = Marginals::exact,
                               .batches = Batches::subset}};
  model.stop_reason = StopReason::interrupted;
  model.task = TaskChoice::regression;
  const TemporaryFolder folder;
  save_model(folder.path() / "m.json", model);
  expect_same(load_model(folder.path() / "m.json"), model);
}

TEST(ModelFile, an_option_that_an_older_program_did_not_have_is_its_default) {
  const TemporaryFolder folder;
  TrainedModel model = regression_model();
  model.options.patience = 3;
  model.options.sampler.epsilon = 0.5;
  save_model(folder.path() / "m.json", model);
  json content = json::parse(bytes_of(folder.path() / "m.json"));
  EXPECT_EQ(content["options"].erase("patience"), 1U);
  EXPECT_EQ(content.erase("crc64"), 1U);  // earlier versions did not write it
  const TrainedModel read = load_model(folder.write("old.json", content.dump()));
  EXPECT_EQ(read.options.patience, 0U);
  EXPECT_EQ(read.options.sampler.epsilon, 0.5);
}

/// A model file, to be damaged.
class DamagedModelFile : public testing::Test {
 protected:
  std::string text_of(const TrainedModel& model) {
    save_model(path(), model);
    return bytes_of(path());
  }

  fs::path path() { return folder_.path() / "m.json"; }

  /// Expects the key words after the file's name (see has_words).
  void expect_refused(const std::string& text, const std::string& words) {
    (void)folder_.write("m.json", text);
    expect_words<DataError>([&] { (void)load_model(path()); }, path().string() + ": ... " + words);
  }

  // A copy of a file may be anything: it loads, or is a DataError that names it. Else the test
  // fails with an exception or a sanitizer's report.
  bool loads(const std::string& text, const std::string& what) {
    (void)folder_.write("m.json", text);
    try {
      return load_model(path()).model.is_finite();
    } catch (const DataError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(path().string())) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
    return false;
  }

 private:
  TemporaryFolder folder_;
};

struct Damage {
  std::string what;
  std::function<void(json&)> damage;
  std::string words;
};

std::vector<Damage> damages() {
  const std::string unfit = "the model does not have the features and outputs of its preprocessing";
  const std::string length = "a list of weights has the wrong length";
  const std::string split = "the split is not three shares that add up to 1";
  return {
      {"other format", [](json& m) { m["format"] = "other"; }, "is not a model file of adacvar"},
      {"no format", [](json& m) { m.erase("format"); }, "is not a model file of adacvar"},
      {"format a number", [](json& m) { m["format"] = 1; }, "is not a model file of adacvar"},
      {"a list", [](json& m) { m = json::array({m}); }, "is not a model file of adacvar"},
      {"a text", [](json& m) { m = "adacvar-model"; }, "is not a model file of adacvar"},
      {"newer version",
       [](json& m) {
         m["version"] = 5;
         m["program"] = "adacvar 9.9";
         m["model"] = "of a kind not yet thought of";
       },
       "version 5 ... adacvar 9.9 ... " ADACVAR_VERSION " ... up to 4"},
      {"version 0", [](json& m) { m["version"] = 0; }, "has the unknown version 0"},
      {"version 1.5", [](json& m) { m["version"] = 1.5; },
       "version = 1.5 is not a non-negative integer"},
      {"version true", [](json& m) { m["version"] = true; },
       "version = boolean is not a non-negative integer"},
      {"version 2^32 + 1", [](json& m) { m["version"] = 4'294'967'297; },
       "version 4294967297 ... " ADACVAR_VERSION " ... up to 4"},
      {"unknown loss", [](json& m) { m["loss"]["kind"] = "cubic"; },
       "loss 'cubic' is not one of: squared, absolute, huber, pinball, logistic, softmax, hinge"},
      {"loss of classes", [](json& m) { m["loss"]["kind"] = "logistic"; },
       "the loss does not fit the task"},
      {"tau 1", [](json& m) { m["loss"]["tau"] = 1; }, "tau = 1 is outside (0, 1)"},
      {"delta 0", [](json& m) { m["loss"]["delta"] = 0; }, "delta = 0 is outside (0, inf)"},
      {"no tau", [](json& m) { m["loss"].erase("tau"); }, "is damaged: loss.tau is missing"},
      {"model of another kind", [](json& m) { m["model"]["kind"] = "tree"; },
       "a model of kind 'tree' is not one of: linear, network"},
      {"features", [](json& m) { m["model"]["features"] = 5; }, unfit},
      {"features below 0", [](json& m) { m["model"]["features"] = -4; },
       "features = -4 is not a non-negative integer"},
      {"features and a half", [](json& m) { m["model"]["features"] = 4.5; },
       "features = 4.5 is not a non-negative integer"},
      {"two outputs", [](json& m) { m["model"]["outputs"].push_back(m["model"]["outputs"][0]); },
       unfit},
      {"no outputs", [](json& m) { m["model"]["outputs"] = json::array(); }, unfit},
      {"outputs an object",
       [](json& m) {
         m["model"]["outputs"] = {{"0", m["model"]["outputs"][0]}};
       },
       "is damaged: model.outputs is an object, not a list"},
      {"a weight too many", [](json& m) { m["model"]["outputs"][0]["weights"].push_back(1); },
       length},
      {"a weight too few", [](json& m) { m["model"]["outputs"][0]["weights"].erase(0); }, length},
      {"weight null", [](json& m) { m["model"]["outputs"][0]["weights"][1] = nullptr; },
       "is damaged: model.outputs[0].weights[1] is null, not a number"},
      {"weight a text", [](json& m) { m["model"]["outputs"][0]["weights"][1] = "1"; },
       "is damaged: model.outputs[0].weights[1] is a text, not a number"},
      {"intercept missing", [](json& m) { m["model"]["outputs"][0].erase("intercept"); },
       "is damaged: model.outputs[0].intercept is missing"},
      {"options a list", [](json& m) { m["options"] = json::array(); },
       "is damaged: options is a list, not an object"},
      {"alpha", [](json& m) { m["options"]["alpha"] = 1.5; }, "alpha = 1.5 is outside (0, 1]"},
      {"gamma", [](json& m) { m["options"]["gamma"] = -1; }, "gamma = -1 is outside [0, 1]"},
      {"momentum", [](json& m) { m["options"]["momentum"] = 1; }, "momentum = 1 is outside [0, 1)"},
      {"batch 1e9", [](json& m) { m["options"]["batch"] = 1000000000; }, "batch = ... outside [0"},
      {"epochs below 0", [](json& m) { m["options"]["epochs"] = -3; },
       "epochs = -3 is not a non-negative integer"},
      {"seed and a half", [](json& m) { m["options"]["seed"] = 0.5; },
       "seed = 0.5 is not a non-negative integer"},
      {"seed a list", [](json& m) { m["options"]["seed"] = json::array(); },
       "seed = array is not a non-negative integer"},
      {"unknown algorithm", [](json& m) { m["options"]["algorithm"] = "magic"; },
       "algorithm = 'magic' is not one of: adacvar, trunc, soft, mean, exact"},
      {"nesterov a number", [](json& m) { m["options"]["nesterov"] = 1; },
       "is damaged: options.nesterov is a number, not true or false"},
      {"unknown stop reason", [](json& m) { m["stop_reason"] = "tired"; },
       "stop_reason 'tired' is not one of: epochs, patience, diverged, interrupted, gap, optimal, "
       "not_attained, stalled"},
      {"unknown task of the data", [](json& m) { m["data"]["task"] = "ranking"; },
       "task 'ranking' is not one of: auto, regression, binary, multiclass"},
      {"rows below 0", [](json& m) { m["data"]["rows"] = -1; },
       "rows = -1 is not a non-negative integer"},
      {"split of four",
       [](json& m) {
         m["data"]["split"] = {0.5, 0.3, 0.2, 0.0};
       },
       split},
      {"split of two",
       [](json& m) {
         m["data"]["split"] = {0.5, 0.5};
       },
       split},
      {"split above 1",
       [](json& m) {
         m["data"]["split"] = {0.5, 0.5, 0.5};
       },
       split},
      {"split below 0",
       [](json& m) {
         m["data"]["split"] = {1.5, -0.5, 0.0};
       },
       split},
      {"scale 0", [](json& m) { m["preprocessing"]["columns"][0]["scale"] = 0; },
       "preprocessing is damaged: scale is not positive"},
      {"a level twice",
       [](json& m) {
         m["preprocessing"]["columns"][1]["levels"] = {"a", "a"};
       },
       "preprocessing is damaged: a level appears twice"},
      {"columns an object",
       [](json& m) {
         m["preprocessing"]["columns"] = {{"0", 1}};
       },
       "is damaged: preprocessing.columns is an object, not a list"},
      {"classes of a number",
       [](json& m) {
         m["preprocessing"]["classes"] = {"a", "b"};
       },
       "preprocessing is damaged: number of classes"},
      {"unknown task", [](json& m) { m["preprocessing"]["task"] = "ranking"; },
       "task 'ranking' is not one of: regression, binary, multiclass"},
      {"newer preprocessing", [](json& m) { m["preprocessing"]["version"] = 2; },
       "preprocessing has version 2, this program reads 1"},
  };
}

TEST_F(DamagedModelFile, is_refused_with_key_words) {
  const json good = json::parse(text_of(regression_model()));
  for (const Damage& damage : damages()) {
    SCOPED_TRACE(damage.what);
    json bad = good;
    damage.damage(bad);
    expect_refused(bad.dump(), damage.words);
  }
}

TEST_F(DamagedModelFile, no_key_can_be_missed) {
  const json good = json::parse(text_of(regression_model()));
  for (const auto& [key, value] : good.items()) {
    if (key == "crc64") continue;    // earlier versions did not write it
    if (key == "program") continue;  // only says who wrote it
    json bad = good;
    bad.erase(key);
    expect_refused(bad.dump(), key == "format" ? "is not a model file of adacvar"
                                               : "is damaged: " + key + " is missing");
  }
  for (const char* part : {"loss", "model", "data", "preprocessing"}) {
    for (const auto& [key, value] : good[part].items()) {
      if (key == "inputs") continue;  // earlier versions did not write it
      json bad = good;
      bad[part].erase(key);
      EXPECT_FALSE(loads(bad.dump(), key)) << part << " without " << key;
    }
  }
}

TEST_F(DamagedModelFile, numbers_beyond_a_double_are_refused) {
  std::string text = text_of(regression_model());
  const std::string largest = "1.7976931348623157e+308";
  ASSERT_NE(text.find(largest), std::string::npos);
  text.replace(text.find(largest), largest.size(), "1e999");
  expect_refused(text, "is damaged: ... range of double");
}

TEST_F(DamagedModelFile, bytes_around_the_model_are_refused) {
  const std::string text = text_of(binary_model());
  const std::string next = std::to_string(text.size() + 1);
  expect_refused(text + "}", "is not JSON: ... byte " + next);
  expect_refused(text + "{}", "is not JSON: ... byte " + next);
  expect_refused("x" + text, "is not JSON: ... byte 1");
  expect_refused(std::string(1, '\0'), "is not JSON: ... byte 1");
}

TEST_F(DamagedModelFile, any_part_of_a_file_is_called_truncated) {
  const std::string text = text_of(multiclass_model());
  for (std::size_t length = 1; length + 2 < text.size(); length += 47) {
    SCOPED_TRACE(length);
    expect_refused(text.substr(0, length), "is truncated");
  }
  expect_refused(text.substr(0, text.size() - 2), "is truncated");
  EXPECT_TRUE(loads(text.substr(0, text.size() - 1), "without its last line end"));
}

TEST_F(DamagedModelFile, changed_bytes_are_an_error_or_the_same_model) {
  Rng rng(1);
  for (const TrainedModel& model : {regression_model(), multiclass_model(), sparse_model()}) {
    const std::string text = text_of(model);
    int loaded = 0;
    for (int trial = 0; trial < 700; ++trial) {
      std::string changed = text;
      const std::uint32_t at = rng.below(static_cast<std::uint32_t>(text.size()));
      // Every other time a digit or sign, which leaves more of the checks to be reached.
      changed[at] =
          trial % 2 == 0 ? static_cast<char>(rng.below(256)) : "0123456789-.e[{"[rng.below(15)];
      if (!loads(changed, "byte " + std::to_string(at))) continue;
      EXPECT_EQ(text_of(load_model(path())), text) << "byte " << at;
      ++loaded;
    }
    EXPECT_GT(loaded, 0) << "some changes, as of blanks, are harmless";
    EXPECT_LT(loaded, 100);
  }
}

TEST_F(DamagedModelFile, a_number_that_is_changed_is_noticed_by_the_checksum) {
  json content = json::parse(text_of(regression_model()));
  const double weight = content["model"]["outputs"][0]["weights"][0];
  content["model"]["outputs"][0]["weights"][0] = weight + 1;
  expect_refused(content.dump(), "is damaged: its checksum does not match ... 'crc64'");
  content.erase("crc64");  // the change is intended, or the version is an earlier one
  EXPECT_TRUE(loads(content.dump(), "without a checksum"));
  EXPECT_TRUE(loads(text_of(regression_model()), "intact"));
  EXPECT_TRUE(loads(json::parse(text_of(regression_model())).dump(7), "other blanks"));
}

TEST_F(DamagedModelFile, deep_nesting_does_not_exhaust_the_stack) {
  const json good = json::parse(text_of(sparse_model()));
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  for (const char* place : {"/preprocessing/sparse/columns/0", "/options/seed", "/loss/kind",
                            "/model/outputs/0/weights/0", "/data/rows"}) {
    json bad = good;
    bad[json::json_pointer(place)] = "HERE";
    std::string text = bad.dump();
    text.replace(text.find("\"HERE\""), 6, deep);
    EXPECT_FALSE(loads(text, place)) << place;
  }
}

TEST_F(DamagedModelFile, sizes_are_checked_before_memory_is_taken) {
  // 100,000 features for 100,000 classes: 80 GB of weights, of which the file has none.
  json bad = json::parse(text_of(multiclass_model()));
  json names = json::array();
  json outputs = json::array();
  for (int i = 0; i < 100'000; ++i) {
    names.push_back(std::to_string(i));
    outputs.push_back({{"weights", json::array()}, {"intercept", 0}});
  }
  bad["preprocessing"]["classes"] = names;
  bad["preprocessing"]["columns"] = {
      {{"name", "c"}, {"kind", "categorical"}, {"levels", names}, {"missing_level", false}}};
  bad["model"] = {{"kind", "linear"}, {"features", 100'000}, {"outputs", outputs}};
  expect_refused(bad.dump(), "a list of weights has the wrong length");
}

TEST_F(DamagedModelFile, a_file_that_is_not_there_or_empty_is_named) {
  EXPECT_FALSE(loads("", "an empty file"));
  fs::remove(path());
  EXPECT_THROW((void)load_model(path()), DataError);
}

TEST(ModelFile, names_that_are_not_utf_8_are_refused_and_leave_no_file) {
  const TemporaryFolder folder;
  Table table = parse_csv("x,z,y\n1,2,no\n3,1,yes\n2,5,yes\n", "t.csv");
  table.columns[0].name = "caf\xe9";  // as no reader gives it
  const TrainedModel model = with_parameters(
      Preprocessor::fit(table, all_rows(table.rows), {.target = "y"}), Loss(LossKind::logistic));
  expect_words<DataError>([&] { save_model(folder.path() / "m.json", model); },
                          "t.csv: ... column ... not UTF-8");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ModelFile, data_in_a_file_whose_name_is_not_utf_8_is_named_as_latin_1) {
  const TemporaryFolder folder;
  TrainedModel model = binary_model();
  model.source = "caf\xe9.csv";
  save_model(folder.path() / "m.json", model);
  EXPECT_EQ(load_model(folder.path() / "m.json").source, "caf\xc3\xa9.csv");
}

TEST(ModelFile, a_model_that_is_not_finite_is_refused_and_leaves_the_old_file) {
  const TemporaryFolder folder;
  const fs::path path = folder.write("m.json", "old");
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TrainedModel model = binary_model();
    model.model.parameters().back() = bad;
    expect_words<NumericalError>([&] { save_model(path, model); },
                                 "a parameter of the model is not finite");
  }
  EXPECT_EQ(bytes_of(path), "old");
}

}  // namespace
}  // namespace adacvar
