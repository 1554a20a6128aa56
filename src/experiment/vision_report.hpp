#pragma once

#include "experiment/summary.hpp"
#include "report/chart.hpp"
#include "report/result_table.hpp"

#include <string>

namespace adacvar {

/// The network and what it was trained on, in a sentence.
[[nodiscard]] std::string network_text(const Study& study);

/// When the training accuracy aimed for was reached, and the norms of the gradients on the way.
[[nodiscard]] ResultTable gradient_table(const Summary& summary);
[[nodiscard]] BarChart gradient_chart(const Summary& summary);

/// Test accuracy against the beta of the power law, a line per algorithm [CLJK20, Fig. 3].
[[nodiscard]] LineChart beta_chart(const Summary& summary);

}  // namespace adacvar
