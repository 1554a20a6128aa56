#pragma once

#include "data/read_data.hpp"
#include "experiment/summary.hpp"
#include "report/page.hpp"
#include "report/result_table.hpp"

#include <vector>

namespace adacvar {

/// A study with its tables (study_tables) and the fingerprints of its data.
struct StudyResult {
  Summary summary;
  std::vector<ResultTable> tables;
  std::vector<DataFingerprint> data = {};  ///< fingerprints of its sets, in their order
};

/// Builds the report of `reproduce`: figures and tables of every study.
[[nodiscard]] Page study_page(const std::vector<StudyResult>& studies, const PageOrigin& origin);

}  // namespace adacvar
