#pragma once

#include <adacvar/risk/calibration.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adacvar {

/// A row with one of the largest losses.
struct WorstRow {
  std::size_t row = 0;  ///< in the data, from 1; a header is not counted
  double loss = 0;
  std::string target;
  std::string prediction;
  std::vector<std::string> values = {};  ///< of PartDetail::columns
};

/// How one class fares.
struct ClassScore {
  std::string name;
  std::uint64_t rows = 0;
  double precision = 0;
  double recall = 0;
};

/// A closer look at a model on one part of the data, for histograms and reports.
struct PartDetail {
  std::string part;                  ///< test, validation, training, or all
  std::vector<double> losses;        ///< in the user's units
  std::vector<std::string> columns;  ///< those that weigh most, whose values worst rows show
  std::vector<WorstRow> worst;
  std::vector<ClassScore> classes;          ///< classes only
  std::vector<CalibrationBin> calibration;  ///< where there are probabilities
};

}  // namespace adacvar
