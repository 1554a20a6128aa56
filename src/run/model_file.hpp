#pragma once

#include "run/trained_model.hpp"

#include <filesystem>

namespace adacvar {

/// Adds the words for missing values of the model's training data to `options`.
[[nodiscard]] SourceOptions with_missing_words(const TrainedModel& model, SourceOptions options);

/// Like Model::save. Throws also NumericalError if a parameter is not finite.
void save_model(const std::filesystem::path& path, const TrainedModel& model);

/// Returns the path of a network's weights.
[[nodiscard]] std::filesystem::path weights_path(const std::filesystem::path& model);

/// Like Model::load.
[[nodiscard]] TrainedModel load_model(const std::filesystem::path& path,
                                      const NetworkMaker* networks = nullptr);

/// Whether the file is a model file of a network; false if it is not a model file.
[[nodiscard]] bool holds_network(const std::filesystem::path& path);

}  // namespace adacvar
