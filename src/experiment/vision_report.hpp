#pragma once

#include "experiment/summary.hpp"
#include "report/chart.hpp"
#include "report/result_table.hpp"

#include <string>

namespace adacvar {

/// Describes the network and its training data in a sentence.
[[nodiscard]] std::string network_text(const Study& study);

/// Table of the epochs until the required training accuracy, and of the gradient norms.
[[nodiscard]] ResultTable gradient_table(const Summary& summary);
[[nodiscard]] BarChart gradient_chart(const Summary& summary);

/// Test accuracy over the exponent beta of the class sizes, one line per algorithm [CLJK20, Fig.
/// 3].
[[nodiscard]] LineChart beta_chart(const Summary& summary);

}  // namespace adacvar
