#pragma once

#include <adacvar/data/read_data.hpp>
#include <adacvar/experiment/summary.hpp>
#include <adacvar/report/page.hpp>
#include <adacvar/report/result_table.hpp>

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
