#pragma once

#include <adacvar/run/result.hpp>

#include <adacvar/risk/cvar.hpp>
#include "report/page.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// The losses of one model, at least one, and their risk.
struct NamedLosses {
  std::string name;
  std::span<const double> losses;
  TailRisk risk;
};

/// Edges of bins that show the bulk and the tail of all of them: from 0, or the least loss, to
/// twice the largest CVaR or the largest loss.
[[nodiscard]] std::vector<double> common_edges(std::span<const NamedLosses> models,
                                               std::size_t bins);

/// What a loss is called on an axis: `squared loss`.
[[nodiscard]] std::string loss_label(std::string_view loss);

/// Histograms with mean, VaR and CVaR [CLJK20, Fig. 1]; `rows` says which: `test rows`.
[[nodiscard]] PageFigure losses_figure(std::span<const NamedLosses> models, std::string_view loss,
                                       const std::string& rows);

/// CVaR over the tail share; `alphas` are marked, unless they are many.
[[nodiscard]] PageFigure cvar_figure(std::span<const NamedLosses> models, std::string_view loss,
                                     const std::string& rows, const std::vector<double>& alphas);

/// Rows with the largest losses and what they hold.
[[nodiscard]] PageTable worst_table(const PartDetail& detail, std::string caption);

/// Per-class precision and recall, accuracy and calibration of some models.
struct NamedDetail {
  std::string name;
  const PartDetail& detail;
  std::optional<double> accuracy;
};
[[nodiscard]] PageSection classes_section(std::span<const NamedDetail> models,
                                          const std::string& rows);

}  // namespace adacvar
