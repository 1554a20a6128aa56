#pragma once

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/run/best.hpp>
#include "data/prepare_data.hpp"
#include "run/stack_json.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace adacvar {

/// The models of `best` that are done, in the folder `options.checkpoint`; each belongs to a run
/// with the same data and options. Without a folder nothing is kept.
class FoldStore {
 public:
  /// Keeps references. Creates the folder.
  FoldStore(const BestOptions& options, const PreparedData& data, const Loss& loss,
            const StackShape& shape, const NetworkMaker* networks);

  /// Returns null if there is none. Throws: DataError for a damaged file or another run's.
  [[nodiscard]] std::shared_ptr<const Scorer> find(const std::string& base, std::size_t fold) const;
  void keep(const std::string& base, std::size_t fold, const Scorer& model) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::string base, std::size_t fold) const;

  std::filesystem::path folder_;
  const Loss& loss_;
  StackShape shape_;
  const NetworkMaker* networks_;
  std::string identity_;
};

}  // namespace adacvar
