#pragma once

#include "experiment/summary.hpp"
#include "report/chart.hpp"
#include "report/result_table.hpp"

#include <string>
#include <vector>

namespace adacvar {

/// The tables of a study: paper beside ours beside the certified optimum, the best set of each row
/// marked by paired t-tests at 5 %; then what was chosen, and how near training came to the
/// optimum. `plain`: the same study with a choice among plain configurations only (see is_plain),
/// shown in tables of its own; null: none.
[[nodiscard]] std::vector<ResultTable> study_tables(const Summary& summary, const Summary* plain);

/// How many runs there were and what they cost, in words.
[[nodiscard]] std::string cost_text(const Summary& summary);

/// One line per set, contestant and metric, with a header.
[[nodiscard]] std::string study_csv(const Summary& summary);

/// A figure and the name of its file, without the ending.
struct StudyFigure {
  std::string stem;
  Chart chart;
};

/// Normalised scores as in the paper's figures [CLJK20, Fig. 2]: averaged over the sets, and set by
/// set; for tradeoff what alpha and gamma trade.
[[nodiscard]] std::vector<StudyFigure> study_figures(const Summary& summary);

}  // namespace adacvar
