#pragma once

#include <adacvar/run/result.hpp>

#include <adacvar/risk/cvar.hpp>
#include "report/page.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Losses of one model, at least one, and their risk.
struct NamedLosses {
  std::string name;
  std::span<const double> losses;
  TailRisk risk;
  std::span<const double> weights = {};  ///< of the rows; empty: every row counts 1
};

/// Returns edges of bins that show bulk and tail of all models' losses: from 0, or the least loss,
/// to twice the largest CVaR or the largest loss.
[[nodiscard]] std::vector<double> common_edges(std::span<const NamedLosses> models,
                                               std::size_t bins);

/// Returns the label of an axis of losses: `squared loss`.
[[nodiscard]] std::string loss_label(std::string_view loss);

/// Histograms with mean, VaR and CVaR [CLJK20, Fig. 1]; `rows` names them: `test rows`.
[[nodiscard]] PageFigure losses_figure(std::span<const NamedLosses> models, std::string_view loss,
                                       const std::string& rows);

/// CVaR over the tail share; `alphas` are marked unless there are many.
[[nodiscard]] PageFigure cvar_figure(std::span<const NamedLosses> models, std::string_view loss,
                                     const std::string& rows, const std::vector<double>& alphas);

/// Table of the rows with the largest losses and their values.
[[nodiscard]] PageTable worst_table(const PartDetail& detail, std::string caption);

/// Per-class precision and recall, accuracy, AUC, confusion matrix and calibration of some models.
struct NamedDetail {
  std::string name;
  const PartDetail& detail;
  std::optional<double> accuracy;
  std::optional<double> auc = {};
  std::span<const double> confusion = {};  ///< shown unless empty
};
[[nodiscard]] PageSection classes_section(std::span<const NamedDetail> models,
                                          const std::string& rows);

}  // namespace adacvar
