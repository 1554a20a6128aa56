#include <adacvar/risk/calibration.hpp>

#include <adacvar/base/error.hpp>

#include <algorithm>
#include <cmath>

namespace adacvar {

std::vector<CalibrationBin> calibration(std::span<const double> confidences,
                                        std::span<const std::uint8_t> correct, std::size_t bins) {
  if (confidences.size() != correct.size()) {
    throw OptionError("calibration: as many confidences as answers are needed");
  }
  if (bins == 0) throw OptionError("calibration needs a bin");
  std::vector<CalibrationBin> result(bins);
  for (std::size_t i = 0; i < confidences.size(); ++i) {
    const double confidence = confidences[i];
    if (!(confidence >= 0 && confidence <= 1)) {
      throw OptionError("a confidence is outside [0, 1]");
    }
    const auto place = static_cast<std::size_t>(confidence * static_cast<double>(bins));
    CalibrationBin& bin = result[std::min(place, bins - 1)];
    ++bin.rows;
    bin.confidence += confidence;
    bin.accuracy += correct[i];
  }
  std::erase_if(result, [](const CalibrationBin& bin) { return bin.rows == 0; });
  for (CalibrationBin& bin : result) {
    bin.confidence /= static_cast<double>(bin.rows);
    bin.accuracy /= static_cast<double>(bin.rows);
  }
  return result;
}

double calibration_error(std::span<const CalibrationBin> bins) {
  double error = 0;
  double rows = 0;
  for (const CalibrationBin& bin : bins) {
    error += static_cast<double>(bin.rows) * std::abs(bin.confidence - bin.accuracy);
    rows += static_cast<double>(bin.rows);
  }
  return rows > 0 ? error / rows : 0;
}

}  // namespace adacvar
