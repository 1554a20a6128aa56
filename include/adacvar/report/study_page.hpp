#pragma once

#include <adacvar/experiment/summary.hpp>
#include <adacvar/report/page.hpp>
#include <adacvar/report/result_table.hpp>

#include <vector>

namespace adacvar {

/// A study with the tables made of it (study_tables).
struct StudyResult {
  Summary summary;
  std::vector<ResultTable> tables;
};

/// The report of `reproduce`: for every study its figures and tables.
[[nodiscard]] Page study_page(const std::vector<StudyResult>& studies, const PageOrigin& origin);

}  // namespace adacvar
