#include <adacvar/risk/calibration.hpp>

#include <adacvar/base/error.hpp>

#include "risk/row_weights.hpp"

#include <algorithm>
#include <cmath>

namespace adacvar {

std::vector<CalibrationBin> calibration(std::span<const double> confidences,
                                        std::span<const std::uint8_t> correct, std::size_t bins,
                                        std::span<const double> weights) {
  if (confidences.size() != correct.size()) {
    throw OptionError("calibration: confidences and correct differ in length");
  }
  if (bins == 0) throw OptionError("bins = 0: calibration needs at least one bin");
  check_row_weights(weights, confidences.size());
  std::vector<CalibrationBin> result(bins);
  for (std::size_t i = 0; i < confidences.size(); ++i) {
    const double confidence = confidences[i];
    if (!(confidence >= 0 && confidence <= 1)) {
      throw OptionError("a confidence is outside [0, 1]");
    }
    const auto place = static_cast<std::size_t>(confidence * static_cast<double>(bins));
    CalibrationBin& bin = result[std::min(place, bins - 1)];
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight == 0) continue;
    ++bin.rows;
    bin.weight += weight;
    bin.confidence += weight * confidence;
    bin.accuracy += weight * correct[i];
  }
  std::erase_if(result, [](const CalibrationBin& bin) { return bin.rows == 0; });
  for (CalibrationBin& bin : result) {
    bin.confidence /= bin.weight;
    bin.accuracy /= bin.weight;
  }
  return result;
}

double calibration_error(std::span<const CalibrationBin> bins) {
  double error = 0;
  double weight = 0;
  for (const CalibrationBin& bin : bins) {
    error += bin.weight * std::abs(bin.confidence - bin.accuracy);
    weight += bin.weight;
  }
  return weight > 0 ? error / weight : 0;
}

}  // namespace adacvar
