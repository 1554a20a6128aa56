#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/data/dataset.hpp>
#include "data/table.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Probabilities are clipped at this distance from 0 and 1, where the log-odds are infinite.
inline constexpr double kLeastProbability = 1e-6;

/// By default a correction uses no features if there are more than this.
inline constexpr std::size_t kMostCorrectionFeatures = 40;

/// Features made of a prediction: z and z^2.
inline constexpr std::size_t kPredictionFeatures = 2;

inline constexpr Names kPredictionScaleNames{"auto", "value", "probability", "logit"};

/// Turns the predictions f of another model into offsets, the scores of that model, and two
/// features: z, the standardised score, and z^2, standardised likewise. Both are clipped, and z^2
/// is that of the clipped z.
struct PredictionTransform {
  std::string name;
  NumberFormat format = {};
  PredictionScale scale = PredictionScale::value;  ///< not automatic
  std::size_t positive = 1;                        ///< two classes: the class that f is about
  double mean = 0;                                 ///< of the training rows' scores
  double sd = 1;
  double square_mean = 1;
  double square_sd = 1;
  double clip = 5;                    ///< in standard deviations; of numeric features too
  std::size_t features_left_out = 0;  ///< because there were more than kMostCorrectionFeatures

  [[nodiscard]] double standardised(double score) const noexcept;
  [[nodiscard]] double standardised_square(double score) const noexcept;

  friend bool operator==(const PredictionTransform&, const PredictionTransform&) = default;
};

/// Returns the scale and the positive class that the options and the task give, without moments.
/// Throws: OptionError for a scale or class that does not fit the target, or several classes.
[[nodiscard]] PredictionTransform prediction_of(const PredictionOptions& options, Task task,
                                                const std::vector<std::string>& class_names);

/// Rejects predictions for data without named columns. Throws: OptionError unless there are none.
void refuse_prediction(const PredictionOptions& options, const char* kind,
                       const std::string& source);

/// Returns the scores of `rows`: f in the target's units or, for two classes, the log-odds of class
/// 1. Adds the number of clipped probabilities to `clipped`. `column` is one of `table`, which
/// names rows in messages. Throws: DataError, with the row, for a missing prediction or one outside
/// [0, 1].
[[nodiscard]] std::vector<double> prediction_scores(const PredictionTransform& prediction,
                                                    const Column& column,
                                                    std::span<const Index> rows, const Table& table,
                                                    std::size_t& clipped);

}  // namespace adacvar
