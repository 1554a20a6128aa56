#include <adacvar/evaluate.hpp>

#include "data/class_labels.hpp"
#include "part_detail.hpp"
#include "report/certificate_report.hpp"
#include "report/interval_marks.hpp"
#include "report/verdict.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/predict.hpp>
#include <adacvar/risk/classification.hpp>
#include <adacvar/run.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace adacvar {

namespace {

constexpr std::size_t kMostGroups = 100;
constexpr const char* kMissing = "(missing)";

std::vector<double> chosen_alphas(const EvaluateOptions& options, double of_model) {
  std::vector<double> alphas = options.alphas;
  if (alphas.empty()) alphas = {0.01, 0.05, 0.1, 0.5, of_model};
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
    throw OptionError(fmt::format(
        "part needs the data the model was trained on ({}, {} rows); {} is not the same",
        model.source, model.fingerprint.rows, data.source()));
  }
  Split split = split_data(whole, model.preprocessor.parts().target, model.task, model.shares,
                           model.options.seed);
  std::vector<Index>& rows = part == DataPart::train   ? split.train
                             : part == DataPart::valid ? split.valid
                                                       : split.test;
  if (rows.empty()) throw OptionError("the model's data was split without rows for that part");
  return std::move(rows);
}

// What training left out or took for categories or missing is part of what its data was.
SourceOptions as_in_training(const TrainedModel& model, SourceOptions options) {
  options.categorical = model.reading.categorical;
  options.drop = model.reading.drop;
  options.decimal = model.reading.decimal;
  options.missing = model.reading.missing;
  return options;
}

std::string part_name(DataPart part) {
  constexpr Names kNames{"all", "training", "validation", "test"};
  return std::string(kNames.of(part));
}

/// Everything about the rows that tables are made of.
struct Judged {
  Dataset data;
  std::vector<double> losses;
  Predictions predictions;
};

RiskTable table_of(const Judged& judged, std::span<const std::size_t> places, std::string name,
                   std::span<const double> alphas, const BootstrapOptions& bootstrap) {
  RiskTable table;
  table.name = std::move(name);
  table.rows = places.size();
  std::vector<double> losses;
  losses.reserve(places.size());
  for (const std::size_t i : places) losses.push_back(judged.losses[i]);
  table.risk = evaluate_risk(losses, alphas, bootstrap);
  if (judged.data.task == Task::regression) return table;
  ConfusionMatrix matrix(judged.data.class_names.size());
  for (const std::size_t i : places) {
    matrix.add(static_cast<std::size_t>(judged.data.targets[i]),
               static_cast<std::size_t>(judged.predictions.values[i]));
  }
  table.accuracy = matrix.accuracy();
  table.min_class_precision = matrix.min_class_precision();
  return table;
}

std::map<std::string, std::vector<std::size_t>> groups_of(const RawData& raw,
                                                          std::span<const Index> rows,
                                                          const std::string& name) {
  const auto* table = std::get_if<Table>(&raw.content);
  if (table == nullptr) {
    throw OptionError(fmt::format(
        "group = '{}' needs named columns; {} {}", name, raw.source(),
        std::holds_alternative<Images>(raw.content) ? "holds pictures" : "is a LIBSVM file"));
  }
  const Column& column = find_column(*table, name, "group");
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool missing = is_missing_at(column, rows[i]);
    groups[missing ? kMissing : value_name(column, rows[i])].push_back(i);
    if (groups.size() > kMostGroups) {
      throw OptionError(
          fmt::format("group = '{}' has more than {} values; a column of groups may "
                      "have that many at most",
                      name, kMostGroups));
    }
  }
  return groups;
}

void add_groups(const Judged& judged, const RawData& raw, std::span<const Index> rows,
                const EvaluateOptions& options, std::span<const double> alphas,
                Evaluation& result) {
  result.group_column = options.group;
  const auto groups = groups_of(raw, rows, options.group);
  std::vector<std::string> names;
  for (const auto& [name, places] : groups) {
    if (name != kMissing) names.push_back(name);
  }
  sort_names(names);
  if (groups.contains(kMissing)) names.push_back(kMissing);  // last: numbers sort as numbers
  for (const std::string& name : names) {
    result.groups.push_back(table_of(judged, groups.at(name), name, alphas, options.bootstrap));
  }
  const std::size_t own = own_alpha(result);
  std::ranges::stable_sort(result.groups, std::ranges::greater(),
                           [own](const RiskTable& group) { return group.risk.at(own).cvar; });
}

/// Takes the rows without a target away from `rows` unless `strict`.
Dataset apply(const TrainedModel& model, const RawData& raw, std::vector<Index>& rows, bool strict,
              std::vector<std::string>& notes) {
  if (const auto* sparse = std::get_if<SparseRows>(&raw.content)) {
    return model.preprocessor.apply(*sparse, rows);
  }
  if (const auto* images = std::get_if<Images>(&raw.content)) {
    return model.preprocessor.apply(*images, rows);
  }
  const auto& table = std::get<Table>(raw.content);
  const std::string& target = model.preprocessor.parts().target;
  if (!strict) {
    const std::string text_note = model.preprocessor.target_text_note(table, rows);
    const std::size_t before = rows.size();
    rows = model.preprocessor.rows_with_target(table, rows);
    if (rows.empty()) {
      throw DataError(fmt::format("no row has a target ('{}'){}", target, text_note), table.source);
    }
    if (rows.size() < before) {
      notes.push_back(fmt::format("{} of {} rows {} without a target ('{}'): left out{}",
                                  before - rows.size(), before,
                                  before - rows.size() == 1 ? "is" : "are", target, text_note));
    }
  }
  ApplyReport report;
  Dataset data = model.preprocessor.apply(table, rows, &report);
  for (std::string& note : apply_notes(report, "these")) notes.push_back(std::move(note));
  return data;
}

// The best model for these rows in hindsight; not one that training could have found.
void certify_on(const TrainedModel& model, const Dataset& data, Evaluation& result) {
  const TrainOptions& options = model.options;
  const ExactResult best = solve_exact(
      data, model.loss, {.alpha = options.alpha, .ridge = options.ridge, .tolerance = 1e-6},
      &model.model);
  const double unit = model.loss.unit(data.target_sd);
  const double here = cvar(losses_of(model.model, data, model.loss), options.alpha) +
                      model.model.penalty(options.ridge);
  result.certificate = Certificate{.lower = best.certificate.lower * unit,
                                   .upper = here * unit,
                                   .rounding = best.certificate.rounding * unit,
                                   .radius = best.certificate.radius};
  result.certified_alpha = options.alpha;
}

void note_limits(const Evaluation& result, std::vector<std::string>& notes) {
  for (const RiskEstimate& risk : result.all.risk) {
    const double tail = risk.alpha * static_cast<double>(result.all.rows);
    if (tail < 1) {
      notes.push_back(
          fmt::format("alpha = {:g} of {} rows is {:.3g} rows, less than one: this CVaR "
                      "is the largest loss",
                      risk.alpha, result.all.rows, tail));
    } else if (!risk.reliable) {
      notes.push_back(fmt::format(
          "alpha = {:g} of {} rows is a tail of {:.3g}: too few to rely on its intervals",
          risk.alpha, result.all.rows, tail));
    }
  }
  const RiskEstimate& first = result.all.risk.at(0);
  if (first.heavy_tail()) notes.push_back(heavy_tail_note(first, result.level, "these rows"));
}

}  // namespace

Evaluation evaluate(const TrainedModel& model, const std::string& data,
                    const EvaluateOptions& options) {
  check_options(options);
  check_options(options.bootstrap);
  if (options.certify && model.network) {
    throw OptionError("certify bounds linear models; this one is a network");
  }
  Evaluation result;
  std::vector<std::string> also;
  if (!options.group.empty()) also.push_back(options.group);
  const RawData raw =
      read_data_like(model.preprocessor, data, with_missing_words(model, options.source), also);
  if (raw.rows() == 0) throw DataError("has a header but no rows", raw.source());
  // Parts are those of the data as training read it, with all its columns; pictures have no others.
  std::optional<RawData> whole;
  if (options.part != DataPart::all && !std::holds_alternative<Images>(raw.content)) {
    whole = read_data(data, as_in_training(model, options.source));
  }
  std::vector<Index> rows = rows_of(model, raw, whole ? *whole : raw, options.part);
  Judged judged{.data = apply(model, raw, rows, options.strict, result.notes),
                .losses = {},
                .predictions = {}};
  judged.losses = losses_in_units(model.scorer(), model.loss, judged.data);
  judged.predictions = predict(model.scorer(), model.loss, judged.data);

  const std::vector<double> alphas = chosen_alphas(options, model.options.alpha);
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  result.source = raw.source();
  result.loss = kLossNames.of(model.loss.kind());
  result.level = options.bootstrap.level;
  result.alpha = model.options.alpha;
  result.resamples = resample_count(options.bootstrap, rows.size());
  result.all = table_of(judged, places, {}, alphas, options.bootstrap);
  if (!options.group.empty()) add_groups(judged, raw, rows, options, alphas, result);
  if (options.certify) certify_on(model, judged.data, result);
  const JudgedRows view{.linear = model.network ? nullptr : &model.model,
                        .preprocessor = model.preprocessor,
                        .data = judged.data,
                        .rows = rows,
                        .losses = judged.losses,
                        .predictions = judged.predictions};
  result.detail = look_closely(view, options.worst);
  result.detail.part = part_name(options.part);
  result.detail.losses = std::move(judged.losses);
  result.fingerprint = fingerprint_of(raw);
  note_limits(result, result.notes);
  return result;
}

}  // namespace adacvar
