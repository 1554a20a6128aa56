#include "run/fold_store.hpp"

#include "base/crc64.hpp"
#include "base/json_view.hpp"
#include "base/write_file.hpp"
#include "data/file_bytes.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace adacvar {

FoldStore::FoldStore(const BestOptions& options, const PreparedData& data, const Loss& loss,
                     const StackShape& shape, const NetworkMaker* networks)
    : folder_(options.checkpoint), loss_(loss), shape_(shape), networks_(networks) {
  if (options.checkpoint.empty()) return;
  std::filesystem::create_directories(folder_);
  identity_ = fmt::format(
      "{} rows {} alpha {:a} folds {} seed {} loss {} {:a} {:a} split {:a} {:a}",
      data.fingerprint.crc64, data.train.rows, options.alpha, options.folds, options.seed,
      kLossNames.of(loss.kind()), loss.delta(), loss.tau(), data.shares.train, data.shares.test);
}

std::shared_ptr<const Scorer> FoldStore::find(const std::string& base, std::size_t fold) const {
  const std::filesystem::path path = path_of(base, fold);
  if (identity_.empty() || !std::filesystem::exists(path)) return nullptr;
  const FileBytes file(path);
  try {
    const nlohmann::json content = nlohmann::json::parse(file.text());
    const JsonView view(content);
    if (view.at("run").get<std::string>() != identity_) {
      throw DataError(
          "it belongs to a run with other data or options: remove it, or give another folder");
    }
    if (crc64_text(content.at("model").dump()) != view.at("crc64").get<std::string>()) {
      throw DataError("its checksum is wrong: it is damaged");
    }
    return scorer_from_json(view.at("model"), shape_, networks_);
  } catch (const nlohmann::json::exception&) {
    throw DataError("is not a checkpoint to resume from: it is damaged", path.string());
  } catch (const DataError& error) {
    throw DataError(std::string("is not a checkpoint to resume from: ") + error.what(),
                    path.string());
  }
}

void FoldStore::keep(const std::string& base, std::size_t fold, const Scorer& model) const {
  if (identity_.empty()) return;
  const nlohmann::json learned = scorer_to_json(model, loss_.kind());
  const nlohmann::json content = {
      {"run", identity_}, {"model", learned}, {"crc64", crc64_text(learned.dump())}};
  write_file(path_of(base, fold), [&](const Write& write) { write(content.dump()); });
}

std::filesystem::path FoldStore::path_of(std::string base, std::size_t fold) const {
  std::ranges::replace(base, ' ', '-');
  return folder_ / fmt::format("{}-{}.json", base, fold);
}

}  // namespace adacvar
