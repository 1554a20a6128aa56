#pragma once

#include <adacvar/data/read_data.hpp>
#include <adacvar/report/part_detail.hpp>
#include <adacvar/risk/evaluate_risk.hpp>
#include <adacvar/solver/certificate.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// Losses of some rows, in the user's units, and what they amount to.
struct RiskTable {
  std::string name;  ///< of the group; empty: all rows
  std::size_t rows = 0;
  std::vector<RiskEstimate> risk;  ///< one per alpha
  std::optional<double> accuracy = {};
  std::optional<double> min_class_precision = {};
};

/// What `evaluate` finds.
struct Evaluation {
  std::string source;
  std::string loss;
  std::string group_column;
  std::uint64_t resamples = 0;
  double level = 0.95;
  RiskTable all;
  std::optional<Certificate> certificate = {};  ///< at the model's alpha, in the user's units
  double certified_alpha = 0;
  std::vector<RiskTable> groups;     ///< by CVaR at the model's alpha, the largest first
  DataFingerprint fingerprint = {};  ///< of the columns read
  double alpha = 0;                  ///< the model's own
  PartDetail detail;                 ///< of all rows; its worst rows among them
  std::vector<std::string> notes;
};

/// For a terminal of 80 columns.
[[nodiscard]] std::string evaluation_text(const Evaluation& evaluation);

/// The object of docs/file_formats.md, "What --json prints", in one line.
[[nodiscard]] std::string evaluation_json(const Evaluation& evaluation);

}  // namespace adacvar
