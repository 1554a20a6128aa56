#include "report/interval_marks.hpp"

#include <fmt/core.h>

namespace adacvar {

std::string interval_mark(const RiskEstimate& risk) {
  if (!risk.reliable) return "?";
  return risk.heavy_tail() ? "^" : "";
}

std::vector<std::string> mark_legend(const std::vector<RiskTable>& tables) {
  bool few = false;
  bool heavy = false;
  for (const RiskTable& table : tables) {
    for (const RiskEstimate& risk : table.risk) {
      few |= interval_mark(risk) == "?";
      heavy |= interval_mark(risk) == "^";
    }
  }
  std::vector<std::string> legend;
  if (few) legend.emplace_back("? fewer than 10 rows in the tail: the interval is not reliable");
  if (heavy) legend.emplace_back("^ the tail is too heavy for an interval");
  return legend;
}

}  // namespace adacvar
