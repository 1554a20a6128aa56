#pragma once

#include <adacvar/data/prepare_data.hpp>
#include <adacvar/data/preprocess.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace adacvar {

/// A model with all that its use needs: what becomes of columns, the loss, and where it comes from.
struct TrainedModel {
  Preprocessor preprocessor;
  Loss loss = Loss(LossKind::squared);
  LinearModel model;  ///< without parameters where there is a network
  std::shared_ptr<const Network> network = nullptr;  ///< null: the linear model is meant
  NetworkOptions network_options = {};

  TrainOptions options;  ///< it was trained with these
  StopReason stop_reason = StopReason::epochs;
  std::string source;           ///< name of the training data
  DataFingerprint fingerprint;  ///< of that data, before it was split
  SourceOptions reading = {};   ///< how that data was read
  TaskChoice task = TaskChoice::automatic;
  SplitShares shares;  ///< how it was split, with the seed of `options`

  [[nodiscard]] const Scorer& scorer() const noexcept;
};

/// `options` for data that the model is used on, with the words for missing values of its training.
[[nodiscard]] SourceOptions with_missing_words(const TrainedModel& model, SourceOptions options);

/// Writes a model file (docs/file_formats.md), as a whole or not at all. The weights of a network
/// go to a TorchScript archive beside it, of the same name and `.pt`.
/// Throws: OptionError when it cannot be written; DataError when a name is not UTF-8;
/// NumericalError when a parameter is not finite.
void save_model(const std::filesystem::path& path, const TrainedModel& model);

/// Where the weights of a network go.
[[nodiscard]] std::filesystem::path weights_path(const std::filesystem::path& model);

/// Throws: DataError, naming the file, when it is missing, truncated, no model, of a newer
/// version, or has values that do not fit together; NetworksMissing for a network where there are
/// none.
[[nodiscard]] TrainedModel load_model(const std::filesystem::path& path);

}  // namespace adacvar
