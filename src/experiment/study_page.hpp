#pragma once

#include "data/read_data.hpp"
#include "experiment/summary.hpp"
#include "report/page.hpp"
#include "report/result_table.hpp"

#include <vector>

namespace adacvar {

/// A study with the tables made of it (study_tables) and what its data was.
struct StudyResult {
  Summary summary;
  std::vector<ResultTable> tables;
  std::vector<DataFingerprint> data = {};  ///< of its sets, in their order
};

/// The report of `reproduce`: for every study its figures and tables.
[[nodiscard]] Page study_page(const std::vector<StudyResult>& studies, const PageOrigin& origin);

}  // namespace adacvar
