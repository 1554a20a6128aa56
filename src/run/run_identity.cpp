#include "run/run_identity.hpp"

#include "base/options_json.hpp"

#include <nlohmann/json.hpp>

namespace adacvar {

std::string run_identity(const RunOptions& options, const TrainOptions& train,
                         const DataIdentity& data) {
  nlohmann::json all = nlohmann::json::object();
  options_to_json(train.sampler, all["sampler"]);
  options_to_json(train.optimizer, all["optimizer"]);
  options_to_json(train, all["train"]);
  options_to_json(options.loss, all["loss"]);
  options_to_json(options.network, all["network"]);
  if (options.train.trees.trees) options_to_json(train.trees, all["trees"]);
  all["split"] = {data.shares.train, data.shares.valid, data.shares.test};
  all["raw"] = options.data.raw_features;
  all["data"] = data.crc64;
  if (!options.data.weight.empty()) all["weight"] = options.data.weight;
  all["rows"] = {data.train_rows, data.valid_rows, data.features};
  return all.dump();
}

}  // namespace adacvar
