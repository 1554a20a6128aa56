#pragma once

#include "run/trained_model.hpp"

#include <filesystem>

namespace adacvar {

/// `options` for data that the model is used on, with the words for missing values of its training.
[[nodiscard]] SourceOptions with_missing_words(const TrainedModel& model, SourceOptions options);

/// As Model::save. Throws: NumericalError when a parameter is not finite.
void save_model(const std::filesystem::path& path, const TrainedModel& model);

/// Where the weights of a network go.
[[nodiscard]] std::filesystem::path weights_path(const std::filesystem::path& model);

/// As Model::load.
[[nodiscard]] TrainedModel load_model(const std::filesystem::path& path,
                                      const NetworkMaker* networks = nullptr);

/// Whether the file is a model file of a network; false also for what is not a model file.
[[nodiscard]] bool holds_network(const std::filesystem::path& path);

}  // namespace adacvar
