#include "data/preprocess_images.hpp"

#include "base/name_list.hpp"
#include "data/class_labels.hpp"
#include "data/row_weights.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace adacvar {

namespace {

constexpr std::size_t kByteValues = 256;

void fit_labels(const Images& images, std::span<const Index> rows, std::optional<Task> task,
                Preprocessor::Parts& parts) {
  if (task == Task::regression) {
    throw DataError("labels of images are classes: regression needs a numeric target",
                    images.source);
  }
  std::array<bool, kByteValues> seen{};
  for (const Index row : rows) seen[images.labels[row]] = true;
  for (std::size_t label = 0; label < kByteValues; ++label) {
    if (!seen[label]) continue;
    parts.labels.push_back(static_cast<std::uint8_t>(label));
    parts.class_names.push_back(label_name(images, parts.labels.back()));
  }
  const std::size_t classes = parts.labels.size();
  if (classes == 1) {
    throw DataError(fmt::format("the images have one class only in the training rows: '{}'",
                                parts.class_names[0]),
                    images.source);
  }
  if (task == Task::binary && classes != 2) {
    throw DataError(fmt::format("the images have {} classes, a binary task has 2", classes),
                    images.source);
  }
  parts.task = task.value_or(classes == 2 ? Task::binary : Task::multiclass);
}

void fit_channels(const Images& images, std::span<const Index> rows, bool standardise,
                  Preprocessor::Parts& parts) {
  bool varies = false;
  for (const ChannelMoments& channel : channel_moments(images, rows)) {
    varies = varies || channel.sd > 0;
    parts.channel_means.push_back(standardise ? channel.mean : 0.0);
    parts.channel_scales.push_back(standardise && channel.sd > 0 ? channel.sd : 1.0);
  }
  if (!varies) {
    throw DataError("every pixel of the training rows is the same within its channel",
                    images.source);
  }
}

using ClassOfLabel = std::array<std::optional<std::size_t>, kByteValues>;

ClassOfLabel classes_by_label(const Preprocessor::Parts& parts, const Images& images) {
  ClassOfLabel classes;
  for (std::size_t c = 0; c < parts.labels.size(); ++c) {
    if (images.class_names.empty()) {
      classes[parts.labels[c]] = c;
      continue;
    }
    const auto found = std::ranges::find(images.class_names, parts.class_names[c]);
    if (found == images.class_names.end()) continue;
    classes[static_cast<std::size_t>(found - images.class_names.begin())] = c;
  }
  return classes;
}

std::vector<double> label_targets(const Preprocessor::Parts& parts, const Images& images,
                                  std::span<const Index> rows) {
  const ClassOfLabel classes = classes_by_label(parts, images);
  std::vector<double> targets;
  targets.reserve(rows.size());
  for (const Index row : rows) {
    const std::uint8_t label = images.labels[row];
    if (!classes[label]) {
      throw DataError(fmt::format("class '{}' in row {} is not one of those seen in training: {}",
                                  label_name(images, label), row + 1, name_list(parts.class_names)),
                      images.source);
    }
    targets.push_back(static_cast<double>(*classes[label]));
  }
  return targets;
}

// A byte has 256 values: each is computed once per channel.
std::vector<std::array<float, kByteValues>> feature_tables(const Preprocessor::Parts& parts) {
  std::vector<std::array<float, kByteValues>> tables(parts.image.channels);
  for (std::size_t c = 0; c < tables.size(); ++c) {
    for (std::size_t byte = 0; byte < kByteValues; ++byte) {
      const double value = static_cast<double>(byte) / 255;
      tables[c][byte] =
          static_cast<float>((value - parts.channel_means[c]) / parts.channel_scales[c]);
    }
  }
  return tables;
}

}  // namespace

void refuse_kind(const Preprocessor::Parts& parts, std::string_view these,
                 const std::string& source) {
  const std::string_view training = parts.sparse             ? "sparse rows"
                                    : parts.image.size() > 0 ? "images"
                                                             : "a table";
  throw DataError(fmt::format("training was on {}, {}", training, these), source);
}

Preprocessor Preprocessor::fit(const Images& images, std::span<const Index> training_rows,
                               const PreprocessOptions& options) {
  check_rows(training_rows, images.rows(), images.source);
  refuse_weight(options.weight, "set of images", images.source);
  refuse_prediction(options.prediction, "set of images", images.source);
  Parts parts;
  parts.target = "label";
  parts.image = images.shape;
  fit_labels(images, training_rows, options.task, parts);
  fit_channels(images, training_rows, options.standardise, parts);
  return Preprocessor(std::move(parts));
}

Dataset Preprocessor::apply(const Images& images, std::span<const Index> rows) const {
  Dataset data = apply_features(images, rows);
  data.targets = label_targets(parts_, images, rows);
  return data;
}

Dataset Preprocessor::apply_features(const Images& images, std::span<const Index> rows) const {
  if (parts_.image.size() == 0) refuse_kind(parts_, "these are images", images.source);
  if (images.shape != parts_.image) {
    throw DataError(fmt::format("training was on images of {}, these are {}",
                                shape_text(parts_.image), shape_text(images.shape)),
                    images.source);
  }
  if (!rows.empty()) check_rows(rows, images.rows(), images.source);
  Dataset data;
  data.rows = rows.size();
  data.features = parts_.image.size();
  data.task = parts_.task;
  data.class_names = parts_.class_names;
  data.image = parts_.image;
  data.dense.resize(data.rows * data.features);
  const auto tables = feature_tables(parts_);
  const std::size_t area = parts_.image.height * parts_.image.width;
  auto feature = data.dense.begin();
  for (const Index row : rows) {
    const std::uint8_t* pixel = images.pixels.data() + row * data.features;
    for (const auto& table : tables) {
      for (std::size_t i = 0; i < area; ++i) *feature++ = table[*pixel++];
    }
  }
  return data;
}

}  // namespace adacvar
