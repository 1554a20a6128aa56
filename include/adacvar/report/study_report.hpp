#pragma once

#include <adacvar/experiment/summary.hpp>
#include <adacvar/report/result_table.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// The tables of a study: paper beside ours beside the certified optimum, the best set of each row
/// marked by paired t-tests at 5 %; then what was chosen, and how near training came to the
/// optimum. `plain`: the same study with a choice among plain configurations only (see is_plain),
/// shown in tables of its own; null: none.
[[nodiscard]] std::vector<ResultTable> study_tables(const Summary& summary, const Summary* plain);

/// One line per set, contestant and metric, with a header.
[[nodiscard]] std::string study_csv(const Summary& summary);

/// The paper's normalised scores, averaged over sets: metrics x contestants.
struct NormalisedScores {
  std::vector<std::string> metrics;
  std::vector<std::string> contestants;
  std::vector<std::vector<MeanSd>> scores;
};

/// Of the regression and of the classification sets; each may be without metrics.
[[nodiscard]] NormalisedScores regression_scores(const Summary& summary);
[[nodiscard]] NormalisedScores classification_scores(const Summary& summary);

}  // namespace adacvar
