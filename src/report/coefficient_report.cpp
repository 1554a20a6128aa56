#include "report/coefficient_report.hpp"

#include "base/number_text.hpp"
#include "report/markup_text.hpp"
#include "report/text_table.hpp"
#include "run/model_coefficients.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostLines = 10;   // of the terminal's table, before the last column's levels
constexpr std::size_t kMostLevels = 4;   // of a column on the terminal
constexpr std::size_t kMostRows = 1000;  // of a table on the page

constexpr std::string_view kShare =
    "share: standard deviation of a column's part of the prediction over the training rows, as a "
    "share of their sum";
constexpr std::string_view kLevels = "categories: against the average of the training rows";

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string term_name(const Coefficient& term) {
  switch (term.kind) {
    case TermKind::missing:
      return "(missing)";
    case TermKind::other:
      return "(other)";
    case TermKind::number:
    case TermKind::level:
      break;
  }
  return term.level;
}

double size_of(const Coefficient& term) {
  double largest = 0;
  for (const double value : term.values) largest = std::max(largest, std::abs(value));
  return largest;
}

bool has_categories(const Coefficients& coefficients) {
  return std::ranges::any_of(coefficients.columns, &ColumnCoefficients::categorical);
}

// --- terminal

/// Table of the largest coefficients of the first `outputs` outputs.
class TextLines {
 public:
  TextLines(const Coefficients& coefficients, std::size_t outputs)
      : coefficients_(&coefficients), outputs_(outputs) {
    add_header();
    add("intercept", coefficients.intercepts, "");
    lines_ = 0;
    std::size_t shown = 0;
    for (const ColumnCoefficients& column : coefficients.columns) {
      const bool is_last = shown + 1 == coefficients.columns.size();  // cutting it saves no line
      if (lines_ >= kMostLines && !is_last) break;
      column.categorical ? add_levels(column) : add_number(column);
      ++shown;
    }
    left_out_ = coefficients.columns.size() - shown;
    table_.fit(kTerminalWidth, {0});
  }

  [[nodiscard]] const TextTable& table() const { return table_; }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }

 private:
  void add_header() {
    std::vector<std::string> header = {"column"};
    for (std::size_t o = 0; o < outputs_; ++o) {
      header.push_back(coefficients_->outputs.empty() ? "coefficient"
                                                      : shorten(coefficients_->outputs[o], 12));
    }
    header.emplace_back("share");
    table_.add(std::move(header));
  }

  void add(std::string name, std::span<const double> values, std::string share) {
    std::vector<std::string> row = {std::move(name)};
    for (std::size_t o = 0; o < outputs_; ++o) {
      row.push_back(values.empty() ? "" : number_text(values[o]));
    }
    row.push_back(std::move(share));
    table_.add(std::move(row));
    ++lines_;
  }

  void add_number(const ColumnCoefficients& column) {
    add(column.column, column.terms[0].values, share_text(column.share));
  }

  // The levels with the largest coefficients.
  void add_levels(const ColumnCoefficients& column) {
    add(column.column, {}, share_text(column.share));
    std::vector<const Coefficient*> terms;
    for (const Coefficient& term : column.terms) {
      if (term.kind != TermKind::other) terms.push_back(&term);
    }
    std::ranges::stable_sort(terms, std::ranges::greater(),
                             [](const Coefficient* term) { return size_of(*term); });
    const std::size_t all = terms.size();
    if (all > kMostLevels + 1) terms.resize(kMostLevels);  // a line for one more is no shorter
    for (const Coefficient* term : terms) add("  " + term_name(*term), term->values, "");
    if (terms.size() < all) add(fmt::format("  ... {} more", all - terms.size()), {}, "");
  }

  const Coefficients* coefficients_;
  std::size_t outputs_;
  TextTable table_;
  std::size_t lines_ = 0;
  std::size_t left_out_ = 0;
};

TextLines fitting_lines(const Coefficients& coefficients) {
  std::size_t outputs = coefficients.intercepts.size();
  TextLines lines(coefficients, outputs);
  while (outputs > 1 && lines.table().width() > kTerminalWidth) {
    lines = TextLines(coefficients, --outputs);
  }
  return lines;
}

// --- page

/// The rows of a table: every term of every column, in the order of the first model.
struct PageRow {
  std::size_t column;
  std::size_t term;
};

std::vector<PageRow> page_rows(const Coefficients& coefficients) {
  std::vector<PageRow> rows;
  for (std::size_t c = 0; c < coefficients.columns.size(); ++c) {
    for (std::size_t t = 0; t < coefficients.columns[c].terms.size(); ++t) rows.push_back({c, t});
  }
  return rows;
}

// Models of the same data have the same columns, in different orders.
const ColumnCoefficients& same_column(const Coefficients& coefficients, const std::string& name) {
  return *std::ranges::find(coefficients.columns, name, &ColumnCoefficients::column);
}

PageTable empty_table(const Coefficients& first, std::string caption) {
  PageTable table{.caption = std::move(caption), .columns = {"column"}, .rows = {}};
  if (has_categories(first)) table.columns.emplace_back("level");
  return table;
}

void limit_rows(std::vector<PageRow>& rows, PageTable& table) {
  if (rows.size() <= kMostRows) return;
  table.caption += fmt::format(" (the first {} of {}; --json has all)", count_text(kMostRows),
                               count_text(rows.size()));
  rows.resize(kMostRows);
}

std::vector<PageCell> row_start(const Coefficients& first, const PageRow& row) {
  std::vector<PageCell> cells = {{first.columns[row.column].column}};
  if (has_categories(first))
    cells.push_back({term_name(first.columns[row.column].terms[row.term])});
  return cells;
}

PageCell share_cell(const ColumnCoefficients& column) {
  return {.text = share_text(column.share), .value = column.share};
}

// One line per term, a coefficient for each model, and the shares of the first.
PageTable model_table(std::span<const NamedCoefficients> models) {
  const Coefficients& first = models[0].model.coefficients;
  const bool several = models.size() > 1;
  PageTable table = empty_table(first, "Coefficients");
  for (const NamedCoefficients& model : models) {
    table.columns.push_back(several ? model.name : "coefficient");
  }
  table.columns.push_back(several ? "share of " + models[0].name : "share");
  std::vector<PageCell> intercepts = {{"(intercept)"}};
  if (has_categories(first)) intercepts.emplace_back();
  for (const NamedCoefficients& model : models) {
    intercepts.push_back(number_cell(model.model.coefficients.intercepts[0]));
  }
  intercepts.emplace_back();  // no share
  table.rows.push_back(std::move(intercepts));
  std::vector<PageRow> rows = page_rows(first);
  limit_rows(rows, table);
  for (const PageRow& place : rows) {
    const ColumnCoefficients& column = first.columns[place.column];
    std::vector<PageCell> row = row_start(first, place);
    for (const NamedCoefficients& model : models) {
      const ColumnCoefficients& same = same_column(model.model.coefficients, column.column);
      row.push_back(number_cell(same.terms[place.term].values[0]));
    }
    row.push_back(share_cell(column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// One line per term, a coefficient for each class.
PageTable class_table(const NamedCoefficients& model, bool named) {
  const Coefficients& coefficients = model.model.coefficients;
  PageTable table =
      empty_table(coefficients, named ? "Coefficients of " + model.name : "Coefficients");
  table.columns.insert(table.columns.end(), coefficients.outputs.begin(),
                       coefficients.outputs.end());
  table.columns.emplace_back("share");
  std::vector<PageCell> intercepts = {{"(intercept)"}};
  if (has_categories(coefficients)) intercepts.emplace_back();
  for (const double value : coefficients.intercepts) intercepts.push_back(number_cell(value));
  intercepts.emplace_back();  // no share
  table.rows.push_back(std::move(intercepts));
  std::vector<PageRow> rows = page_rows(coefficients);
  limit_rows(rows, table);
  for (const PageRow& place : rows) {
    const ColumnCoefficients& column = coefficients.columns[place.column];
    std::vector<PageCell> row = row_start(coefficients, place);
    for (const double value : column.terms[place.term].values) row.push_back(number_cell(value));
    row.push_back(share_cell(column));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A number, or a list with one number per class.
ordered_json values_json(const std::vector<double>& values) {
  if (values.size() == 1) return values[0];
  return values;
}

ordered_json column_json(const ColumnCoefficients& column) {
  ordered_json json = {{"column", column.column}, {"share", column.share}};
  if (!column.categorical) {
    json["coefficient"] = values_json(column.terms[0].values);
    json["missing_counts_as"] = column.fill;
    return json;
  }
  json["levels"] = ordered_json::array();
  for (const Coefficient& term : column.terms) {
    if (term.kind == TermKind::level) {
      json["levels"].push_back({{"level", term.level}, {"coefficient", values_json(term.values)}});
    } else {
      json[term.kind == TermKind::missing ? "missing" : "other"] = values_json(term.values);
    }
  }
  return json;
}

}  // namespace

std::string coefficient_scale(std::string_view loss, const std::string& target,
                              const std::vector<std::string>& classes) {
  if (loss == kLossNames.of(LossKind::softmax)) return "the score of each class";
  if (classes.empty()) return fmt::format("the predicted '{}'", target);
  if (loss == kLossNames.of(LossKind::hinge)) {
    return fmt::format("the score, positive for '{}'", classes.at(1));
  }
  return fmt::format("the log-odds of '{}' against '{}'", classes.at(1), classes.at(0));
}

std::optional<ScaledCoefficients> scaled_coefficients(const Model& model) {
  const TrainedModel& parts = model.parts();
  if (!has_coefficients(parts)) return std::nullopt;
  return ScaledCoefficients{
      coefficients_of(parts),
      coefficient_scale(kLossNames.of(parts.loss.kind()), parts.preprocessor.parts().target,
                        parts.preprocessor.parts().class_names)};
}

std::string coefficients_text(const ScaledCoefficients& model) {
  const Coefficients& coefficients = model.coefficients;
  const TextLines lines = fitting_lines(coefficients);
  std::string text =
      wrap(fmt::format("coefficients: change of {} per unit of a column", one_line(model.scale)),
           kTerminalWidth) +
      '\n' + lines.table().text();
  if (lines.left_out() > 0) {
    text += fmt::format("... {} more column{}; --json and --report have all\n",
                        count_text(lines.left_out()), lines.left_out() == 1 ? "" : "s");
  }
  const std::size_t outputs = coefficients.outputs.size();
  if (const std::size_t shown = lines.outputs(); shown < outputs) {
    text += fmt::format("the first {} of {} classes; --json and --report have all\n", shown,
                        count_text(outputs));
  }
  text += wrap(std::string(kShare), kTerminalWidth, 2) + '\n';
  if (has_categories(coefficients)) text += wrap(std::string(kLevels), kTerminalWidth, 2) + '\n';
  return text;
}

ordered_json coefficients_json(const Coefficients& coefficients) {
  ordered_json json = ordered_json::object();
  if (!coefficients.outputs.empty()) json["classes"] = coefficients.outputs;
  json["intercept"] = values_json(coefficients.intercepts);
  json["columns"] = ordered_json::array();
  for (const ColumnCoefficients& column : coefficients.columns) {
    json["columns"].push_back(column_json(column));
  }
  return json;
}

PageSection coefficients_section(std::span<const NamedCoefficients> models) {
  const Coefficients& first = models[0].model.coefficients;
  PageSection section{.title = "Coefficients", .items = {}};
  section.items.emplace_back(PageText{fmt::format(
      "Change of {} per unit of a column, in the units of the data. Share: standard deviation of "
      "the column's part of the prediction over the training rows, as a share of their sum. A "
      "missing number counts as the mean of the training rows.{}",
      models[0].model.scale,
      has_categories(first) ? " Categories are measured against the average of the training rows; "
                              "(other) is a value not seen in training."
                            : "")});
  if (first.outputs.empty()) {
    section.items.emplace_back(model_table(models));
  } else {
    for (const NamedCoefficients& model : models) {
      section.items.emplace_back(class_table(model, models.size() > 1));
    }
  }
  return section;
}

}  // namespace adacvar
