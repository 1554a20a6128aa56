#include "report/frontier_changes.hpp"

#include "report/certificate_report.hpp"
#include "run/trained_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace adacvar {

namespace {

double relative_change(double value, double base) {
  if (!(base > 0)) return std::numeric_limits<double>::quiet_NaN();
  return value / base - 1;
}

// `5 % more`, `0.31 % less`.
std::string amount_text(double share) {
  return fmt::format("{:.3g} % {}", std::abs(100 * share), share < 0 ? "less" : "more");
}

bool is_finite(const RiskChange& change) {
  return std::isfinite(change.mean) && std::isfinite(change.cvar);
}

// `5 % more mean loss buys 27 % less CVaR`.
std::string trade_text(const RiskChange& change) {
  const bool buys = change.mean > 0 && change.cvar < 0;
  return fmt::format("{} mean loss {} {} CVaR", amount_text(change.mean),
                     buys ? "buys" : "comes with", amount_text(change.cvar));
}

constexpr double kNoChange = 1e-4;

}  // namespace

std::vector<FrontierRows> rows_of(const FrontierReport& report) {
  std::vector<FrontierRows> all;
  const auto add = [&](std::optional<PartRisk> RunResult::*part, const char* name) {
    if (report.points.at(0).*part) all.push_back({part, name});
  };
  add(&RunResult::train, "training");
  add(&RunResult::valid, "validation");
  add(&RunResult::test, "test");
  return all;
}

FrontierRows deciding_rows(const FrontierReport& report) {
  const RunResult& first = report.points.at(0);
  if (first.blend && first.valid) return {&RunResult::valid, "validation"};
  return rows_of(report)[0];
}

RiskChange change_of(const FrontierReport& report, const FrontierRows& rows, std::size_t point) {
  const TailRisk& base = (report.points.at(0).*rows.part)->risk;
  const TailRisk& risk = (report.points.at(point).*rows.part)->risk;
  return {relative_change(risk.mean, base.mean), relative_change(risk.cvar, base.cvar)};
}

std::string change_text(double share) {
  if (!std::isfinite(share)) return "";
  const double percent = 100 * share;
  const double size = std::abs(percent);
  if (size < 0.005) return "0 %";  // not -0.00
  return fmt::format("{:+.{}f} %", percent, size < 9.995 ? 2 : size < 999.5 ? 1 : 0);
}

std::string frontier_verdict(const FrontierReport& report) {
  const std::vector<FrontierRows> rows = rows_of(report);
  const std::size_t last = report.points.size() - 1;
  const FrontierRows deciding = deciding_rows(report);
  const RiskChange whole = change_of(report, deciding, last);
  if (!is_finite(whole)) return "The least mean is 0: there is nothing to trade.";
  if (std::abs(whole.mean) < kNoChange && std::abs(whole.cvar) < kNoChange) {
    return "The model of least mean has the least CVaR, too: there is nothing to trade.";
  }
  if (!report.chosen) return "Stopped before the chosen point was found.";
  const std::size_t point = report.marks[*report.chosen].point;
  const RiskChange own = change_of(report, deciding, point);
  std::string text = fmt::format("{} on the {} rows", trade_text(own), deciding.name);
  if (rows.back().name != deciding.name) {
    const RiskChange other = change_of(report, rows.back(), point);
    if (is_finite(other)) {
      text += fmt::format("; on the {} rows {}", rows.back().name, trade_text(other));
    }
  }
  return fmt::format("{}. The whole curve goes to {} mean and {} CVaR on the {} rows.", text,
                     amount_text(whole.mean), amount_text(whole.cvar), deciding.name);
}

std::string points_text(const FrontierReport& report) {
  const std::size_t count = report.points.size();
  if (!report.is_exact) {
    if (report.points.back().blend) {
      return fmt::format("{} mixtures of plain trees with trees for the tail", count);
    }
    const Algorithm algorithm = report.points.back().model.parts().options.algorithm;
    return fmt::format("{} runs of {}", count, kAlgorithmNames.of(algorithm));
  }
  double gap = 0;
  for (const RunResult& point : report.points) {
    gap = std::max(gap, relative_gap(point.certificate).value_or(gap));
  }
  return fmt::format("{} exact solutions, certified within {}", count, percent_text(gap));
}

}  // namespace adacvar
