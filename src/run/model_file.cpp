#include "run/model_file.hpp"

#include "base/crc64.hpp"
#include "base/join.hpp"
#include "base/options_json.hpp"
#include "base/utf8.hpp"
#include "base/write_file.hpp"
#include "data/file_bytes.hpp"
#include "data/preprocess_json.hpp"
#include "learner/tree_model_json.hpp"
#include "run/stack_json.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/version.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace adacvar {

namespace {

using nlohmann::json;

constexpr std::string_view kFormat = "adacvar-model";
constexpr std::uint64_t kVersion = 4;

// Version 2 has models that correct predictions, version 3 mixtures of networks, version 4 trees
// and stacks, which older programs would misread; all others stay readable for them.
std::uint64_t version_of(const TrainedModel& model) {
  if (model.trees() != nullptr || model.stack() != nullptr) return 4;
  if (model.networks() != nullptr && model.networks()->members().size() > 1) return 3;
  return model.preprocessor.parts().prediction ? 2 : 1;
}

constexpr Names kDecimals{"auto", "point", "comma"};
constexpr Names kTaskChoices{"auto", "regression", "binary", "multiclass"};

json training_options(const TrainOptions& options) {
  json result = json::object();
  options_to_json(options.sampler, result);
  options_to_json(options.optimizer, result);
  options_to_json(options, result);  // last: its alpha and gamma take precedence
  return result;
}

TrainOptions read_options(const JsonView& from) {
  TrainOptions options;
  options_from_json(from, options.sampler);
  options_from_json(from, options.optimizer);
  options_from_json(from, options);
  // Before `exploration` there was only the sampler's gamma, 0.01 unless given.
  if (!from.find("exploration")) {
    options.exploration = options.gamma;
    if (options.algorithm != Algorithm::adacvar || options.gamma == 0.01) options.gamma = 0;
  }
  check_options(options.sampler);
  check_options(options.optimizer);
  check_options(options);
  return options;
}

json write_linear(const TrainedModel& trained) {
  json content = linear_to_json(trained.model);
  if (trained.moments) {
    content["feature_moments"] = {{"means", trained.moments->means}, {"sds", trained.moments->sds}};
  }
  return content;
}

std::optional<FeatureMoments> read_moments(const JsonView& from, std::size_t features) {
  const auto found = from.find("feature_moments");
  if (!found) return std::nullopt;
  FeatureMoments moments{found->at("means").get<std::vector<double>>(),
                         found->at("sds").get<std::vector<double>>()};
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (moments.means.size() != features || moments.sds.size() != features) {
    throw DataError("the moments of the features have the wrong length");
  }
  if (!std::ranges::all_of(moments.means, is_finite) ||
      !std::ranges::all_of(moments.sds, [](double sd) { return std::isfinite(sd) && sd >= 0; })) {
    throw DataError("a moment of the features is not finite");
  }
  return moments;
}

json write_network(const TrainedModel& model, std::span<const FileContent> files) {
  json options = json::object();
  options_to_json(model.network_options, options);
  const WeightedNetworks& networks = *model.networks();
  const auto& members = networks.members();
  double factors = 0;
  for (const WeightedNetworks::Member& member : members) factors += member.factor;
  json content = {{"kind", "network"},
                  {"options", std::move(options)},
                  {"parameters", networks.parameter_count()},
                  {"outputs", networks.outputs()},
                  {"temperature", 1 / factors},
                  {"factor", members[0].factor},
                  {"weights", files[0].path.filename().string()},
                  {"crc64", crc64_text(files[0].bytes)}};
  if (members.size() > 1) {
    content["tail"] = {{"share", members[1].factor / factors},
                       {"factor", members[1].factor},
                       {"weights", files[1].path.filename().string()},
                       {"crc64", crc64_text(files[1].bytes)}};
  }
  return content;
}

std::string xgboost_text(const TrainedModel& model) {
  const std::vector<std::string> names = model.preprocessor.feature_names();
  std::vector<std::uint32_t> levels;
  for (const ColumnTransform& column : model.preprocessor.parts().columns) {
    levels.push_back(static_cast<std::uint32_t>(column.levels.size()));
  }
  return to_xgboost_json(*model.trees(), model.loss.kind(), {names, levels});
}

json write_trees(const TrainedModel& model, std::span<const FileContent> files) {
  json options = json::object();
  options_to_json(model.options.trees, options);
  const TreeModel& trees = *model.trees();
  json content = {{"kind", "trees"},
                  {"options", std::move(options)},
                  {"outputs", trees.outputs()},
                  {"trees", trees.parts().trees.size()},
                  {"leaves", trees.parameter_count()}};
  if (files.empty()) {  // a text has no file beside it
    content["content"] = xgboost_text(model);
  } else {
    content["xgboost"] = files[0].path.filename().string();
    content["crc64"] = crc64_text(files[0].bytes);
  }
  return content;
}

/// The files beside a model file.
std::vector<FileContent> companions_of(const TrainedModel& model,
                                       const std::filesystem::path& path) {
  if (model.trees() != nullptr) return {{xgboost_path(path), xgboost_text(model)}};
  std::vector<FileContent> files;
  if (const WeightedNetworks* const networks = model.networks()) {
    for (const WeightedNetworks::Member& member : networks->members()) {
      files.push_back({weights_paths(path)[files.size()], member.network->weights()});
    }
  }
  return files;
}

json write_learned(const TrainedModel& model, std::span<const FileContent> files) {
  if (model.trees() != nullptr) return write_trees(model, files);
  if (model.stack() != nullptr) {
    json content = stack_to_json(*model.stack(), model.loss.kind());
    content["crc64"] = crc64_text(content.dump());
    return content;
  }
  return model.networks() != nullptr ? write_network(model, files) : write_linear(model);
}

NetworkShape shape_of(const Preprocessor& preprocessor, const Loss& loss) {
  const Preprocessor::Parts& parts = preprocessor.parts();
  return {.features = preprocessor.features(),
          .image = parts.image,
          .outputs = loss.outputs(parts.class_names.size())};
}

// The inverse of the temperature loses a bit; model files of older versions have nothing else.
double read_factor(const JsonView& from) {
  const auto factor = from.find("factor");
  const auto temperature = from.find("temperature");
  const std::string_view name = factor ? "factor" : "temperature";
  const double value = factor        ? factor->get<double>()
                       : temperature ? temperature->get<double>()
                                     : 1;
  if (!(value > 0) || !std::isfinite(value)) {
    throw DataError(fmt::format("{} = {} is not a number above 0", name, value));
  }
  return factor ? value : 1 / value;
}

// Reads the file beside the model file that `from` names under `key`.
template <class Read>
auto read_companion(const JsonView& from, const std::string& source, std::string_view key,
                    const Read& read) {
  const std::filesystem::path name(from.at(key).get<std::string>());
  std::filesystem::path path = std::filesystem::path(source).replace_filename(name.filename());
  // A model that was renamed together with its trees.
  if (key == "xgboost" && !std::filesystem::exists(path)) path = xgboost_path(source);
  const FileBytes file(path);
  if (crc64_text(file.text()) != from.at("crc64").get<std::string>()) {
    throw DataError(fmt::format("does not hold the {} that belong to the model file",
                                key == "weights" ? "weights" : "trees"),
                    path.string());
  }
  try {
    return read(file.text());
  } catch (const DataError& error) {
    throw DataError(error.what(), path.string());
  }
}

std::shared_ptr<const Network> read_weights(const JsonView& from, const std::string& source,
                                            const NetworkMaker& maker, const TrainedModel& model) {
  return read_companion(from, source, "weights", [&](std::string_view bytes) {
    return maker.load(model.network_options, shape_of(model.preprocessor, model.loss),
                      std::string(bytes));
  });
}

void read_trees(const JsonView& from, const std::string& source, TrainedModel& model) {
  options_from_json(from.at("options"), model.options.trees);
  check_options(model.options.trees);
  const double unit = model.preprocessor.target_scale().sd;
  const auto read = [&](std::string_view text) {
    return std::make_shared<TreeModel>(from_xgboost_json(text, unit));
  };
  const auto content = from.find("content");
  auto trees =
      content ? read(content->get<std::string>()) : read_companion(from, source, "xgboost", read);
  const NetworkShape shape = shape_of(model.preprocessor, model.loss);
  if (trees->parts().features != shape.features || trees->outputs() != shape.outputs) {
    throw DataError("the trees do not have the features and outputs of their preprocessing");
  }
  model.nonlinear = std::move(trees);
}

void read_network(const JsonView& from, const std::string& source, const NetworkMaker* networks,
                  TrainedModel& model) {
  options_from_json(from.at("options"), model.network_options);
  check_options(model.network_options);
  const NetworkMaker& maker = require_networks(networks);
  std::vector<WeightedNetworks::Member> members{
      {read_weights(from, source, maker, model), read_factor(from)}};
  if (const auto tail = from.find("tail")) {
    members.push_back({read_weights(*tail, source, maker, model), read_factor(*tail)});
  }
  model.nonlinear = std::make_shared<WeightedNetworks>(std::move(members));
}

LinearModel read_linear(const JsonView& from, const Preprocessor& preprocessor, const Loss& loss) {
  if (const auto kind = from.at("kind").get<std::string>(); kind != "linear") {
    throw DataError(
        fmt::format("a model of kind '{}' is not one of: linear, network, trees, stack", kind));
  }
  return linear_from_json(from, preprocessor.features(),
                          loss.outputs(preprocessor.parts().class_names.size()));
}

json write_loss(const Loss& loss) {
  return {{"kind", kLossNames.of(loss.kind())}, {"delta", loss.delta()}, {"tau", loss.tau()}};
}

template <class Enum, std::size_t Count>
Enum read_name(const JsonView& from, const Names<Count>& names, std::string_view what) {
  const auto text = from.get<std::string>();
  const auto found = std::ranges::find(names.names, text);
  if (found == names.names.end()) {
    throw DataError(fmt::format("{} '{}' is not one of: {}", what, text, join(names.names, ", ")));
  }
  return static_cast<Enum>(found - names.names.begin());
}

Loss read_loss(const JsonView& from) {
  return Loss(read_name<LossKind>(from.at("kind"), kLossNames, "loss"),
              from.at("delta").get<double>(), from.at("tau").get<double>());
}

json write_data(const TrainedModel& model) {
  const SplitShares& s = model.shares;
  json data = {{"source", as_utf8(model.source)},      {"categorical", model.reading.categorical},
               {"drop", model.reading.drop},           {"rows", model.fingerprint.rows},
               {"columns", model.fingerprint.columns}, {"crc64", model.fingerprint.crc64},
               {"task", kTaskChoices.of(model.task)},  {"split", {s.train, s.valid, s.test}}};
  if (s.own_test) data["own_test"] = true;
  if (!model.reading.missing.empty()) data["missing"] = model.reading.missing;
  if (model.reading.decimal != DecimalChoice::automatic) {
    data["decimal"] = kDecimals.of(model.reading.decimal);
  }
  return data;
}

SplitShares read_shares(const JsonView& from) {
  const auto shares = from.get<std::vector<double>>();
  if (shares.size() != 3 || std::ranges::any_of(shares, [](double share) { return share < 0; }) ||
      std::abs(shares[0] + shares[1] + shares[2] - 1) > 1e-9) {
    throw DataError("the split is not three shares that add up to 1");
  }
  return {shares[0], shares[1], shares[2]};
}

void read_data_part(const JsonView& from, TrainedModel& model) {
  from.at("source").get_to(model.source);
  model.fingerprint.rows = count_from_json(from.at("rows"), "rows");
  model.fingerprint.columns = count_from_json(from.at("columns"), "columns");
  from.at("crc64").get_to(model.fingerprint.crc64);
  model.task = read_name<TaskChoice>(from.at("task"), kTaskChoices, "task");
  model.shares = read_shares(from.at("split"));
  model.shares.own_test = from.value("own_test", false);
  from.at("categorical").get_to(model.reading.categorical);
  from.at("drop").get_to(model.reading.drop);
  model.reading.missing = from.value("missing", model.reading.missing);
  if (const auto decimal = from.find("decimal")) {
    model.reading.decimal = read_name<DecimalChoice>(*decimal, kDecimals, "decimal");
  }
}

void write_training(const TrainedModel& model, json& content) {
  if (!model.training_risk) return;
  const TailRisk& risk = *model.training_risk;
  content["training"] = {{"mean", risk.mean}, {"var", risk.var}, {"cvar", risk.cvar}};
  if (!model.certificate) return;
  const Certificate& certificate = *model.certificate;
  content["training"]["certificate"] = {{"lower", certificate.lower},
                                        {"upper", certificate.upper},
                                        {"rounding", certificate.rounding},
                                        {"radius", certificate.radius}};
}

void read_training(const JsonView& from, TrainedModel& model) {
  model.training_risk = TailRisk{from.at("mean").get<double>(), from.at("var").get<double>(),
                                 from.at("cvar").get<double>()};
  if (const auto certificate = from.find("certificate")) {
    model.certificate = Certificate{.lower = certificate->at("lower").get<double>(),
                                    .upper = certificate->at("upper").get<double>(),
                                    .rounding = certificate->at("rounding").get<double>(),
                                    .radius = certificate->at("radius").get<double>()};
  }
}

void check_version(const JsonView& from) {
  const json& content = from.raw();
  if (!content.is_object() || !content.contains("format") || content["format"] != kFormat) {
    throw DataError("is not a model file of adacvar");
  }
  const std::uint64_t version = count_from_json(from.at("version"), "version");
  if (version > kVersion) {
    throw DataError(fmt::format(
        "is a model file of version {}, written by {}; this program, {}, reads versions up to {}",
        version, from.value<std::string>("program", "a newer program"), ADACVAR_VERSION, kVersion));
  }
  if (version == 0) throw DataError("has the unknown version 0");
}

TrainedModel read_model(const JsonView& from, const std::string& source,
                        const NetworkMaker* networks) {
  check_version(from);
  Preprocessor preprocessor = preprocessor_from_json(from.at("preprocessing").raw(), source);
  const Loss loss = read_loss(from.at("loss"));
  if (!loss.fits(preprocessor.parts().task)) throw DataError("the loss does not fit the task");
  const JsonView learned = from.at("model");
  const bool is_network = learned.at("kind").raw() == "network";
  const bool is_trees = learned.at("kind").raw() == "trees";
  const bool is_stack = learned.at("kind").raw() == "stack";
  const bool is_linear = !is_network && !is_trees && !is_stack;
  // Offsets are one score per row of a linear model.
  if (preprocessor.parts().prediction &&
      (!is_linear || loss.kind() == LossKind::softmax || loss.kind() == LossKind::hinge)) {
    throw DataError("a model that corrects predictions is linear, of numbers or by logistic loss");
  }
  LinearModel linear = is_linear ? read_linear(learned, preprocessor, loss) : LinearModel();
  TrainedModel model{.preprocessor = std::move(preprocessor),
                     .loss = loss,
                     .model = std::move(linear),
                     .options = read_options(from.at("options")),
                     .source = {},
                     .fingerprint = {},
                     .shares = {}};
  // `dependent` is an ending that earlier versions had.
  if (from.at("stop_reason").raw() == "dependent") {
    model.stop_reason = StopReason::stalled;
  } else {
    model.stop_reason =
        read_name<StopReason>(from.at("stop_reason"), kStopReasonNames, "stop_reason");
  }
  read_data_part(from.at("data"), model);
  if (const auto training = from.find("training")) read_training(*training, model);
  if (is_linear) model.moments = read_moments(learned, model.model.features());
  if (is_network) read_network(learned, source, networks, model);
  if (is_trees) read_trees(learned, source, model);
  if (is_stack) {
    json content = learned.raw();
    content.erase("crc64");
    if (crc64_text(content.dump()) != learned.at("crc64").get<std::string>()) {
      throw DataError("the stack of models was altered");
    }
    model.nonlinear = stack_from_json(learned, model.preprocessor, model.loss, networks);
  }
  return model;
}

json parse(std::string_view text, const std::string& source) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const bool ended = error.byte > text.size();
    throw DataError(ended ? "is truncated: not a complete model file"
                          : fmt::format("is not JSON: unexpected byte {}", error.byte),
                    source);
  } catch (const json::out_of_range&) {
    throw DataError("is damaged: a number exceeds the range of double", source);
  }
}

bool is_network(const json& content) {
  const auto model = content.is_object() ? content.find("model") : content.end();
  if (model == content.end() || !model->is_object()) return false;
  const json kind = model->value("kind", json());
  return kind == "network" || (kind == "stack" && has_network(*model));
}

// Does not depend on blanks or the order of keys.
std::string checksum_of(json content) {
  content.erase("crc64");
  return crc64_text(content.dump());
}

// Last, since the other checks say what is damaged. Earlier versions did not write it.
void check_unaltered(const json& content, const std::string& source) {
  const auto found = content.find("crc64");
  if (found == content.end() || *found == checksum_of(content)) return;
  throw DataError(
      "is damaged: its checksum does not match; take an intact copy, or remove the key 'crc64' "
      "if the change is intended",
      source);
}

TrainedModel model_of(const json& content, const std::string& source,
                      const NetworkMaker* networks) {
  if (is_network(content)) (void)require_networks(networks);
  try {
    TrainedModel model = read_model(JsonView(content), source, networks);
    check_unaltered(content, source);
    return model;
  } catch (const DataError& error) {
    if (!error.source().empty()) throw;
    throw DataError(error.what(), source);
  } catch (const OptionError& error) {
    throw DataError(error.what(), source);
  }
}

/// The text of a model file with these files beside it.
std::string text_of(const TrainedModel& model, std::span<const FileContent> files) {
  if (!model.model.is_finite()) throw NumericalError("a parameter of the model is not finite");
  json content = {{"format", kFormat},
                  {"version", version_of(model)},
                  {"program", fmt::format("adacvar {}", ADACVAR_VERSION)},
                  {"loss", write_loss(model.loss)},
                  {"preprocessing", to_json(model.preprocessor)},
                  {"model", write_learned(model, files)},
                  {"options", training_options(model.options)},
                  {"stop_reason", kStopReasonNames.of(model.stop_reason)},
                  {"data", write_data(model)}};
  write_training(model, content);
  try {
    content["crc64"] = checksum_of(content);
    return content.dump(1) + "\n";
  } catch (const json::type_error&) {
    throw DataError("the name of a column or category is not UTF-8", model.source);
  }
}

}  // namespace

std::array<std::filesystem::path, 2> weights_paths(const std::filesystem::path& model) {
  std::array paths{model, model};
  paths[0] += ".pt";
  paths[1] += ".tail.pt";
  return paths;
}

std::filesystem::path xgboost_path(std::filesystem::path model) { return model += ".xgb.json"; }

SourceOptions with_missing_words(const TrainedModel& model, SourceOptions options) {
  options.missing.insert(options.missing.end(), model.reading.missing.begin(),
                         model.reading.missing.end());
  return options;
}

void save_model(const std::filesystem::path& path, const TrainedModel& model) {
  std::vector<FileContent> files = companions_of(model, path);
  files.push_back({path, text_of(model, files)});
  write_files(files);
}

std::string model_text(const TrainedModel& model) {
  if (model.networks() != nullptr) {
    throw OptionError("a network is not a text: save it to a file");
  }
  return text_of(model, {});
}

TrainedModel parse_model(std::string_view text, const std::string& source) {
  return model_of(parse(text, source), source, nullptr);
}

TrainedModel load_model(const std::filesystem::path& path, const NetworkMaker* networks) {
  const FileBytes file(path);
  return model_of(parse(file.text(), file.source()), file.source(), networks);
}

bool holds_network(const std::filesystem::path& path) {
  // A pipe cannot be read twice.
  if (!std::filesystem::is_regular_file(path)) return false;
  try {
    const FileBytes file(path);
    return is_network(parse(file.text(), file.source()));
  } catch (const DataError&) {
    return false;  // loading reports the error
  }
}

}  // namespace adacvar
