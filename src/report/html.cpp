#include <adacvar/report/html.hpp>

#include "report/run_page.hpp"

namespace adacvar {

std::string run_html(const RunReport& report) { return html(run_page(report, {})); }

std::string evaluation_html(const Evaluation& evaluation) {
  return html(evaluation_page(evaluation, {}));
}

}  // namespace adacvar
