#pragma once

#include "run/trained_model.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace adacvar {

/// Adds the words for missing values of the model's training data to `options`.
[[nodiscard]] SourceOptions with_missing_words(const TrainedModel& model, SourceOptions options);

/// Like Model::save. Throws also NumericalError if a parameter is not finite.
void save_model(const std::filesystem::path& path, const TrainedModel& model);

/// Returns the paths of a network's weights, and of the second network of a mixture.
[[nodiscard]] std::array<std::filesystem::path, 2> weights_paths(
    const std::filesystem::path& model);

/// Returns the path of a model's trees, a file of XGBoost's.
[[nodiscard]] std::filesystem::path xgboost_path(std::filesystem::path model);

/// Like Model::to_text.
[[nodiscard]] std::string model_text(const TrainedModel& model);

/// Like Model::from_text.
[[nodiscard]] TrainedModel parse_model(std::string_view text, const std::string& source);

/// Like Model::load.
[[nodiscard]] TrainedModel load_model(const std::filesystem::path& path,
                                      const NetworkMaker* networks = nullptr);

/// Whether the file is a model file of a network; false if it is not a model file.
[[nodiscard]] bool holds_network(const std::filesystem::path& path);

}  // namespace adacvar
