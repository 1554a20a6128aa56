#include "run/curve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace adacvar {

std::vector<double> budgets_of(const FrontierChoice& choice) {
  constexpr std::array kBudgets = {0.01, 0.02, 0.05, 0.1};
  std::vector<double> budgets(kBudgets.begin(), kBudgets.end());
  if (choice.by == FrontierChoice::By::mean &&
      std::ranges::find(budgets, choice.value) == budgets.end()) {
    budgets.insert(std::ranges::lower_bound(budgets, choice.value), choice.value);
  }
  return budgets;
}

std::string budget_name(double budget) { return fmt::format("+{:g} %", 100 * budget); }

double ChordDistance::of(const TailRisk& risk) const {
  const double width = tail_.mean - mean_.mean;
  const double height = mean_.cvar - tail_.cvar;
  if (!(width > 0 && height > 0)) return 0;
  return 1 - (risk.mean - mean_.mean) / width - (risk.cvar - tail_.cvar) / height;
}

void NamedPoints::write(FrontierReport& report, const std::string& chosen) {
  std::ranges::stable_sort(names_, {}, &std::pair<std::string, std::size_t>::second);
  for (const auto& [name, point] : names_) {
    if (name == chosen) report.chosen = report.marks.size();
    report.marks.push_back({name, point});
  }
}

}  // namespace adacvar
