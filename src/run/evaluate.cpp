#include <adacvar/run/evaluate.hpp>

#include "data/class_labels.hpp"
#include "run/guarantee.hpp"
#include "run/model_coefficients.hpp"
#include "run/model_file.hpp"
#include "run/notes.hpp"
#include "run/row_detail.hpp"
#include "run/score.hpp"
#include "run/trained_model.hpp"
#include "run/training_rows.hpp"
#include "run/tree_importance.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/classification.hpp>
#include <adacvar/run/run.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace adacvar {

namespace {

constexpr std::size_t kMostGroups = 100;
constexpr const char* kMissing = "(missing)";

std::vector<double> chosen_alphas(const EvaluateOptions& options, double model_alpha) {
  std::vector<double> alphas = options.alphas;
  if (alphas.empty()) alphas = {0.01, 0.05, 0.1, 0.5, model_alpha};
  std::ranges::sort(alphas);
  alphas.erase(std::ranges::unique(alphas).begin(), alphas.end());
  return alphas;
}

std::vector<Index> rows_of(const TrainedModel& model, const RawData& data, const RawData& whole,
                           DataPart part) {
  if (part == DataPart::all) {
    std::vector<Index> rows(data.rows());
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  if (fingerprint_of(whole) != model.fingerprint) {
    throw OptionError(
        fmt::format("part needs the data that the model was trained on ({}, {} rows); {} differs",
                    model.source, model.fingerprint.rows, data.source()));
  }
  Split split = training_split(model, whole);
  std::vector<Index>& rows = part == DataPart::train   ? split.train
                             : part == DataPart::valid ? split.valid
                                                       : split.test;
  if (rows.empty()) throw OptionError("the model's split has no rows in that part");
  return std::move(rows);
}

std::string part_name(DataPart part) {
  constexpr Names kNames{"all", "training", "validation", "test"};
  return std::string(kNames.of(part));
}

RiskTable table_of(const Dataset& data, const ScoredRows& scored,
                   std::span<const std::size_t> places, std::string name,
                   std::span<const double> alphas, const BootstrapOptions& bootstrap) {
  RiskTable table;
  table.name = std::move(name);
  table.rows = places.size();
  std::vector<double> losses;
  std::vector<double> weights;
  losses.reserve(places.size());
  for (const std::size_t i : places) {
    losses.push_back(scored.losses[i]);
    if (!data.weights.empty()) weights.push_back(data.weights[i]);
    table.weight += data.weight(i);
  }
  table.risk = evaluate_risk(losses, alphas, bootstrap, weights);
  // Every loss of a model is at least 0, and so are mean and CVaR of any rows.
  for (RiskEstimate& risk : table.risk) {
    risk.mean_interval.low = std::max(risk.mean_interval.low, 0.0);
    risk.cvar_interval.low = std::max(risk.cvar_interval.low, 0.0);
  }
  if (data.task == Task::regression) return table;
  ConfusionMatrix matrix(data.class_names.size());
  for (const std::size_t i : places) {
    matrix.add(static_cast<std::size_t>(data.targets[i]),
               static_cast<std::size_t>(scored.predictions.values[i]), data.weight(i));
  }
  table.accuracy = matrix.accuracy();
  table.min_class_precision = matrix.min_class_precision();
  table.auc = auc_of(data, scored.predictions, places);
  return table;
}

std::map<std::string, std::vector<std::size_t>> groups_of(const RawData& raw,
                                                          std::span<const Index> rows,
                                                          const std::string& name) {
  const auto* table = std::get_if<Table>(&raw.content);
  if (table == nullptr) {
    throw OptionError(fmt::format(
        "group = '{}' needs named columns; {} {}", name, raw.source(),
        std::holds_alternative<Images>(raw.content) ? "holds images" : "is a LIBSVM file"));
  }
  const Column& column = find_column(*table, name, "group");
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool missing = is_missing_at(column, rows[i]);
    groups[missing ? kMissing : value_name(column, rows[i])].push_back(i);
    if (groups.size() > kMostGroups) {
      throw OptionError(
          fmt::format("group = '{}' has more than {} values, the limit", name, kMostGroups));
    }
  }
  return groups;
}

void add_groups(const Dataset& data, const ScoredRows& scored, const RawData& raw,
                std::span<const Index> rows, const EvaluateOptions& options,
                std::span<const double> alphas, Evaluation& result) {
  result.group_column = options.group;
  const auto groups = groups_of(raw, rows, options.group);
  std::vector<std::string> names;
  for (const auto& [name, places] : groups) {
    if (name != kMissing) names.push_back(name);
  }
  sort_names(names);
  if (groups.contains(kMissing)) names.push_back(kMissing);  // last
  for (const std::string& name : names) {
    result.groups.push_back(
        table_of(data, scored, groups.at(name), name, alphas, options.bootstrap));
  }
  const std::size_t own = own_alpha(result);
  std::ranges::stable_sort(result.groups, std::ranges::greater(),
                           [own](const RiskTable& group) { return group.risk.at(own).cvar; });
}

// Compares with the best linear model for these rows, fitted to them.
void certify_on(const TrainedModel& model, const Dataset& data, const ScoredRows& scored,
                Evaluation& result) {
  const TrainOptions& options = model.options;
  const ExactResult best = solve_exact(
      data, model.loss, {.risk = options.risk(), .ridge = options.ridge, .tolerance = 1e-6},
      &model.model);
  const double unit = model.loss.unit(model.preprocessor.target_scale().sd);
  result.certificate = best.certificate;
  result.certificate->lower *= unit;
  result.certificate->upper =
      options.risk().of(scored.risk.risk) + unit * model.model.penalty(options.ridge);
  result.certificate->rounding *= unit;
  result.certified_alpha = options.alpha;
}

std::string few_rows_note(const Dataset& data, double alpha) {
  if (!data.weights.empty()) {
    return fmt::format(
        "alpha = {:g} of the weight {:.6g} of {} rows is a tail of weight {:.3g}, of too few rows "
        "for reliable intervals",
        alpha, data.total_weight(), data.rows, alpha * data.total_weight());
  }
  return fmt::format(
      "alpha = {:g} of {} rows is a tail of {:.3g} rows, too few for reliable intervals", alpha,
      data.rows, alpha * static_cast<double>(data.rows));
}

void note_limits(const Evaluation& result, const Dataset& data, std::vector<std::string>& notes) {
  for (const RiskEstimate& risk : result.all.risk) {
    std::string small = small_tail_note(data, risk.alpha, "rows");
    if (!small.empty()) {
      notes.push_back(std::move(small));
    } else if (!risk.reliable) {
      notes.push_back(few_rows_note(data, risk.alpha));
    }
  }
  if (result.guarantee) {
    for (std::size_t a = 0; a < result.all.risk.size(); ++a) {
      if (result.guarantee->cvar[a] < result.guarantee->loss_max) continue;
      notes.push_back(
          fmt::format("alpha = {:g} of {} rows are too few for a guarantee below loss-max = {:g}",
                      result.all.risk[a].alpha, result.all.rows, result.guarantee->loss_max));
    }
  }
  const RiskEstimate& first = result.all.risk.at(0);
  if (first.heavy_tail()) notes.push_back(heavy_tail_note(first, result.level, "these rows"));
}

}  // namespace

const std::vector<OptionSpec>& EvaluateOptions::options() {
  using O = EvaluateOptions;
  static const std::vector<OptionSpec> all{
      {"alphas", &O::alphas, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail shares to report; default: 0.01, 0.05, 0.1, 0.5 and the model's own"},
      {"group", &O::group, "column to group the rows by"},
      {"worst", &O::worst, Bounds{.low = 0}, "number of rows with the largest losses to list"},
      {"part", &O::part, Names{"all", "train", "valid", "test"},
       "rows to evaluate; train, valid and test: the split that the model was trained with"},
      {"certify", &O::certify,
       "bounds the distance of the CVaR from that of the best linear model for these rows"},
      {"strict", &O::strict, "treats a row without a target as an error instead of skipping it",
       for_files()},
      {"guarantee", &O::guarantee, Bounds{.low = 0, .high = 1, .high_ok = false},
       "confidence, as 0.95, of upper bounds on the CVaR of new rows; 0: none"},
      {"loss-max", &O::loss_max, Bounds{.low = 0},
       "largest loss that a row can have; fix it before you see the losses",
       Condition({.option = "guarantee",
                  .values = {"0"},
                  .is_one_of = false,
                  .words = "with a guarantee"})},
  };
  return all;
}

std::size_t own_alpha(const Evaluation& evaluation) {
  const auto& risks = evaluation.all.risk;
  const auto found = std::ranges::find(risks, evaluation.alpha, &RiskEstimate::alpha);
  return found == risks.end() ? 0 : static_cast<std::size_t>(found - risks.begin());
}

Evaluation evaluate(const Model& given, const std::string& data, const EvaluateOptions& options,
                    const Model* other) {
  const TrainedModel& model = given.parts();
  check_options(options);
  check_options(options.bootstrap);
  if (options.certify && model.nonlinear) {
    throw OptionError("certify is supported with linear models only");
  }
  check_guarantee(options, model.loss);
  if (other) check_comparable(model, other->parts(), data);
  Evaluation result;
  std::vector<std::string> also;
  if (!options.group.empty()) also.push_back(options.group);
  const RawData raw =
      read_data_like(model.preprocessor, data, with_missing_words(model, options.source), also);
  if (raw.rows() == 0) throw DataError("has a header but no rows", raw.source());
  // The split depends on all columns, as training read them; images have no others.
  std::optional<RawData> whole;
  if (options.part != DataPart::all && !std::holds_alternative<Images>(raw.content)) {
    whole = read_data(data, training_source(model, options.source));
  }
  std::vector<Index> rows = rows_of(model, raw, whole ? *whole : raw, options.part);
  const Dataset prepared =
      apply_rows(model.preprocessor, raw, rows, "these", options.strict, result.notes);
  ScoredRows scored = score(model.scorer(), model.loss, model.options.alpha, prepared,
                            model.preprocessor.target_scale());

  const std::vector<double> alphas = chosen_alphas(options, model.options.alpha);
  const EvaluatedRows evaluated{.data = data,
                                .source = options.source,
                                .raw_rows = raw.rows(),
                                .rows = rows,
                                .losses = scored.losses,
                                .weights = prepared.weights};
  if (options.guarantee > 0) {
    result.guarantee = guarantee_for(model, evaluated, alphas, options);
  }
  if (other) {
    result.differences = differences_to(other->parts(), model, evaluated, alphas, options);
  }
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  result.source = raw.source();
  result.loss = kLossNames.of(model.loss.kind());
  result.level = options.bootstrap.level;
  result.alpha = model.options.alpha;
  result.resamples = resample_count(options.bootstrap, rows.size());
  result.all = table_of(prepared, scored, places, {}, alphas, options.bootstrap);
  result.all.confusion = scored.risk.confusion;
  result.target = model.preprocessor.parts().target;
  result.classes = model.preprocessor.parts().class_names;
  if (has_coefficients(model)) result.coefficients = coefficients_of(model);
  if (model.trees() != nullptr) result.importance = importance_of(model);
  if (!options.group.empty()) add_groups(prepared, scored, raw, rows, options, alphas, result);
  if (options.certify) certify_on(model, prepared, scored, result);
  result.detail = describe_rows({.scorer = model.scorer(),
                                 .preprocessor = model.preprocessor,
                                 .data = prepared,
                                 .rows = rows,
                                 .scored = scored},
                                options.worst);
  result.detail.part = part_name(options.part);
  result.detail.losses = std::move(scored.losses);
  result.detail.weights = prepared.weights;
  result.fingerprint = fingerprint_of(raw);
  note_limits(result, prepared, result.notes);
  return result;
}

}  // namespace adacvar
