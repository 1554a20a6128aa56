#include "data/preprocess.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adacvar {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw DataError(fmt::format("preprocessing is damaged: {}", what));
}

bool all_distinct(const std::vector<std::string>& names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

void check_classes(const Preprocessor::Parts& parts) {
  const std::size_t classes = parts.class_names.size();
  require(parts.task == Task::regression ? classes == 0
          : parts.task == Task::binary   ? classes == 2
                                         : classes >= 2,
          "number of classes");
  require(all_distinct(parts.class_names), "a class appears twice");
}

void check_columns(const Preprocessor::Parts& parts) {
  std::vector<std::string> names;
  for (const ColumnTransform& column : parts.columns) {
    names.push_back(column.name);
    require(std::isfinite(column.mean) && std::isfinite(column.fill), "mean is not finite");
    require(std::isfinite(column.scale) && column.scale > 0, "scale is not positive");
    require(!column.categorical || !column.levels.empty() || column.missing_level,
            "a column has no levels");
    require(
        column.for_trees == parts.columns[0].for_trees && !(column.for_trees && parts.prediction),
        "some features are those of trees");
    require(all_distinct(column.levels), "a level appears twice");
  }
  require(all_distinct(names), "a column appears twice");
  if (!parts.weight.empty()) {
    require(parts.weight != parts.target, "the weight is the target");
    require(std::ranges::find(names, parts.weight) == names.end(), "the weight is a feature");
  }
  if (parts.inputs.empty()) return;
  auto place = parts.inputs.begin();
  for (const std::string& name : names) {
    place = std::find(place, parts.inputs.end(), name);
    require(place != parts.inputs.end(), "a column is not one of the inputs");
  }
}

void check_sparse(const Preprocessor::Parts& parts) {
  require(parts.sparse_columns.size() == parts.sparse_scales.size(), "lengths differ");
  require(std::ranges::is_sorted(parts.sparse_columns, std::ranges::less_equal()),
          "columns do not increase");
  require(std::ranges::all_of(parts.sparse_scales,
                              [](double scale) { return std::isfinite(scale) && scale > 0; }),
          "scale is not positive");
  require(parts.sparse ? parts.columns.empty() : parts.sparse_columns.empty(),
          "both sparse and dense");
}

void check_prediction(const Preprocessor::Parts& parts) {
  if (!parts.prediction) return;
  const PredictionTransform& prediction = *parts.prediction;
  require(!parts.sparse && parts.image.size() == 0, "predictions without a table");
  require(parts.task != Task::multiclass, "predictions of several classes");
  require((prediction.scale == PredictionScale::value) == (parts.task == Task::regression),
          "scale of the predictions");
  require(prediction.positive < 2, "class of the predictions");
  require(prediction.name != parts.target && prediction.name != parts.weight,
          "the prediction is the target or the weight");
  require(std::ranges::count(parts.inputs, prediction.name) == 1,
          "the prediction is not one of the inputs");
  require(std::ranges::find(parts.columns, prediction.name, &ColumnTransform::name) ==
              parts.columns.end(),
          "the prediction is a feature");
  require(std::isfinite(prediction.mean) && std::isfinite(prediction.square_mean),
          "mean is not finite");
  for (const double scale : {prediction.sd, prediction.square_sd, prediction.clip}) {
    require(std::isfinite(scale) && scale > 0, "scale is not positive");
  }
}

// The bounds keep the number of features far from overflow.
void check_image(const Preprocessor::Parts& parts) {
  const ImageShape& image = parts.image;
  constexpr std::size_t kMost = 65'535;
  if (image == ImageShape{}) {
    require(parts.channel_means.empty() && parts.channel_scales.empty() && parts.labels.empty(),
            "channels without images");
    return;
  }
  require(parts.columns.empty() && !parts.sparse, "both images and columns");
  require(image.size() > 0, "images without pixels");
  require(std::max({image.channels, image.height, image.width}) <= kMost, "images too large");
  require(parts.channel_means.size() == image.channels, "number of channels");
  require(parts.channel_scales.size() == image.channels, "number of channels");
  require(std::ranges::all_of(parts.channel_means, [](double mean) { return std::isfinite(mean); }),
          "mean is not finite");
  require(std::ranges::all_of(parts.channel_scales,
                              [](double scale) { return std::isfinite(scale) && scale > 0; }),
          "scale is not positive");
  require(parts.labels.size() == parts.class_names.size(), "number of labels");
  require(std::ranges::is_sorted(parts.labels, std::ranges::less_equal()),
          "labels do not increase");
}

}  // namespace

Preprocessor::Preprocessor(Parts parts) : parts_(std::move(parts)) {
  require(std::isfinite(parts_.target_mean), "target mean is not finite");
  require(std::isfinite(parts_.target_sd) && parts_.target_sd > 0, "target sd is not positive");
  check_classes(parts_);
  check_columns(parts_);
  check_sparse(parts_);
  check_image(parts_);
  check_prediction(parts_);
  require(features() > 0, "it has no features");
}

}  // namespace adacvar
