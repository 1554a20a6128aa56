#include "run/stack_json.hpp"

#include "base/base64.hpp"
#include "base/json_view.hpp"
#include "base/options_json.hpp"
#include "data/preprocess_json.hpp"
#include "learner/tree_model_json.hpp"
#include "learner/weighted_networks.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace adacvar {

namespace {

using nlohmann::json;

const StackShape& checked(const Scorer& model, const StackShape& shape) {
  if (model.outputs() != shape.outputs) throw DataError("a model of the stack has other outputs");
  return shape;
}

json networks_to_json(const WeightedNetworks& networks) {
  json members = json::array();
  for (const WeightedNetworks::Member& member : networks.members()) {
    members.push_back(
        {{"factor", member.factor}, {"weights", to_base64(member.network->weights())}});
  }
  return {{"kind", "network"}, {"members", std::move(members)}};
}

std::shared_ptr<const Scorer> networks_from_json(const JsonView& from, const StackShape& shape,
                                                 const NetworkMaker* networks) {
  const NetworkMaker& maker = require_networks(networks);
  std::vector<WeightedNetworks::Member> members;
  for (const JsonView& member : from.at("members").items()) {
    const std::optional<std::string> bytes = from_base64(member.at("weights").get<std::string>());
    if (!bytes) throw DataError("the weights of a network are not base64");
    members.push_back({maker.load({.network = kStackNetwork, .threads = 1},
                                  {.features = shape.expanded, .outputs = shape.outputs}, *bytes),
                       member.at("factor").get<double>()});
  }
  if (members.empty()) throw DataError("a network of the stack has no weights");
  return std::make_shared<WeightedNetworks>(std::move(members));
}

json correction_to_json(const TrainedModel& model) {
  return {{"preprocessing", to_json(model.preprocessor)},
          {"model", linear_to_json(model.model)},
          {"alpha", model.options.alpha}};
}

Model correction_from_json(const JsonView& from, const Loss& loss) {
  Preprocessor preprocessor = preprocessor_from_json(from.at("preprocessing").raw(), "");
  if (!preprocessor.parts().prediction) throw DataError("the correction has no predictions");
  LinearModel linear = linear_from_json(from.at("model"), preprocessor.features(), 1);
  TrainedModel model{
      .preprocessor = std::move(preprocessor),
      .loss = loss,
      .model = std::move(linear),
      .options = {.algorithm = Algorithm::exact, .alpha = from.at("alpha").get<double>()},
      .source = {},
      .fingerprint = {},
      .shares = {}};
  return Model(std::move(model));
}

}  // namespace

json linear_to_json(const LinearModel& model) {
  json outputs = json::array();
  for (std::size_t o = 0; o < model.outputs(); ++o) {
    const auto weights = model.weights(o);
    outputs.push_back({{"weights", std::vector<double>(weights.begin(), weights.end())},
                       {"intercept", model.intercept(o)}});
  }
  return {{"kind", "linear"}, {"features", model.features()}, {"outputs", std::move(outputs)}};
}

LinearModel linear_from_json(const JsonView& from, std::size_t features, std::size_t outputs) {
  const std::vector<JsonView> list = from.at("outputs").items();
  if (count_from_json(from.at("features"), "features") != features || list.size() != outputs) {
    throw DataError("the model does not have the features and outputs of its preprocessing");
  }
  // Checked before allocating: a small file could claim a huge number of features and classes.
  for (const JsonView& output : list) {
    if (output.at("weights").raw().size() != features) {
      throw DataError("a list of weights has the wrong length");
    }
  }
  LinearModel model(features, outputs);
  auto parameter = model.parameters().begin();
  for (const JsonView& output : list) {
    parameter = std::ranges::copy(output.at("weights").get<std::vector<double>>(), parameter).out;
    *parameter++ = output.at("intercept").get<double>();
  }
  if (!model.is_finite()) throw DataError("a weight is not finite");
  return model;
}

json scorer_to_json(const Scorer& model, LossKind loss) {
  if (const auto* const linear = dynamic_cast<const LinearModel*>(&model)) {
    return linear_to_json(*linear);
  }
  if (const auto* const trees = dynamic_cast<const TreeModel*>(&model)) {
    return {{"kind", "trees"}, {"xgboost", json::parse(to_xgboost_json(*trees, loss))}};
  }
  return networks_to_json(dynamic_cast<const WeightedNetworks&>(model));
}

std::shared_ptr<const Scorer> scorer_from_json(const JsonView& from, const StackShape& shape,
                                               const NetworkMaker* networks) {
  const auto kind = from.at("kind").get<std::string>();
  std::shared_ptr<const Scorer> model;
  if (kind == "linear") {
    model = std::make_shared<LinearModel>(linear_from_json(from, shape.expanded, shape.outputs));
  } else if (kind == "network") {
    model = networks_from_json(from, shape, networks);
  } else if (kind == "trees") {
    auto trees = std::make_shared<TreeModel>(from_xgboost_json(from.at("xgboost").raw().dump(), 1));
    if (trees->parts().features != shape.native) throw DataError("trees have other features");
    model = std::move(trees);
  } else {
    throw DataError(
        fmt::format("a model of kind '{}' is not one of: linear, trees, network", kind));
  }
  (void)checked(*model, shape);
  return model;
}

json stack_to_json(const StackModel& stack, LossKind loss) {
  const StackModel::Parts& parts = stack.parts();
  json bases = json::array();
  for (const StackBase& base : parts.bases) {
    json models = json::array();
    for (const std::shared_ptr<const Scorer>& fold : base.folds) {
      models.push_back(scorer_to_json(*fold, loss));
    }
    bases.push_back({{"name", base.name},
                     {"weight", base.weight},
                     {"expanded", base.is_expanded},
                     {"models", std::move(models)}});
  }
  json content = {{"kind", "stack"},
                  {"outputs", parts.outputs},
                  {"factor", parts.factor},
                  {"bases", std::move(bases)}};
  if (parts.expansion) content["expanded_features"] = to_json(parts.expansion->linear());
  if (parts.correction) content["correction"] = correction_to_json(parts.correction->parts());
  return content;
}

std::shared_ptr<const StackModel> stack_from_json(const JsonView& from, const Preprocessor& native,
                                                  const Loss& loss, const NetworkMaker* networks) {
  StackModel::Parts parts;
  StackShape shape{.native = native.features(),
                   .outputs = loss.outputs(native.parts().class_names.size())};
  parts.outputs = shape.outputs;
  parts.factor = from.at("factor").get<double>();
  if (const auto expanded = from.find("expanded_features")) {
    parts.expansion =
        std::make_shared<FeatureExpansion>(native, preprocessor_from_json(expanded->raw(), ""));
    shape.expanded = parts.expansion->linear().features();
  }
  for (const JsonView& base : from.at("bases").items()) {
    StackBase& added = parts.bases.emplace_back();
    base.at("name").get_to(added.name);
    base.at("weight").get_to(added.weight);
    base.at("expanded").get_to(added.is_expanded);
    for (const JsonView& model : base.at("models").items()) {
      const bool is_trees = model.at("kind").raw() == "trees";
      if (is_trees == added.is_expanded) throw DataError("a base has other features");
      added.folds.push_back(scorer_from_json(model, shape, networks));
    }
  }
  if (const auto correction = from.find("correction")) {
    if (shape.outputs != 1) throw DataError("a stack of several outputs has a correction");
    parts.correction = correction_from_json(*correction, loss);
    const std::size_t inputs = parts.correction->parts().preprocessor.parts().inputs.size();
    if (inputs != parts.bases.size() + 2) throw DataError("the correction has other columns");
  }
  return std::make_shared<StackModel>(std::move(parts));
}

bool has_network(const json& stack) {
  const auto bases = stack.find("bases");
  if (bases == stack.end() || !bases->is_array()) return false;
  return std::ranges::any_of(*bases, [](const json& base) {
    const auto models = base.is_object() ? base.find("models") : base.end();
    return models != base.end() && models->is_array() &&
           std::ranges::any_of(*models, [](const json& model) {
             return model.is_object() && model.value("kind", json()) == "network";
           });
  });
}

}  // namespace adacvar
