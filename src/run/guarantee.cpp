#include "run/guarantee.hpp"

#include "run/model_file.hpp"
#include "run/score.hpp"
#include "run/training_rows.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/cvar_bound.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace adacvar {

namespace {

CvarBoundOptions bound_options(const EvaluateOptions& options) {
  return {.confidence = options.guarantee, .loss_max = options.loss_max};
}

// `whose`: " of the other model", or empty.
void check_premises(const TrainedModel& model, const EvaluatedRows& rows,
                    std::span<const double> losses, const EvaluateOptions& options,
                    const std::string& whose) {
  if (!rows.weights.empty()) {
    throw OptionError(
        "guarantee is not supported with row weights: it is proved for rows drawn alike");
  }
  if (has_seen(model, rows.data, rows.source, rows.raw_rows, rows.rows)) {
    throw OptionError(
        fmt::format("guarantee needs rows that played no part in training; {} has training or "
                    "validation rows{}: take part = test of its split, or new data",
                    rows.data, whose));
  }
  const auto above =
      std::ranges::find_if(losses, [&](double loss) { return loss > options.loss_max; });
  if (above == losses.end()) return;
  throw OptionError(
      fmt::format("loss-max = {:g} is exceeded by the loss {:g}{} in row {}; it must bound the "
                  "loss of every row",
                  options.loss_max, *above, whose,
                  rows.rows[static_cast<std::size_t>(above - losses.begin())] + 1U));
}

// The loss by which the other model is judged, for targets in its own scale.
Loss in_scale_of(const Loss& loss, double sd, double other_sd) {
  return Loss(loss.kind(), loss.delta() * sd / other_sd, loss.tau());
}

std::vector<double> losses_of(const TrainedModel& other, const TrainedModel& model,
                              const EvaluatedRows& rows) {
  const RawData raw =
      read_data_like(other.preprocessor, rows.data, with_missing_words(other, rows.source));
  std::vector<Index> kept(rows.rows.begin(), rows.rows.end());
  std::vector<std::string> notes;
  const Dataset prepared = apply_rows(other.preprocessor, raw, kept, "these", false, notes);
  if (!std::ranges::equal(kept, rows.rows)) {
    throw OptionError(fmt::format(
        "against: the other model leaves out {} of the rows, by weight 0 or a missing target",
        rows.rows.size() - kept.size()));
  }
  const TargetScale scale = other.preprocessor.target_scale();
  const Loss loss = in_scale_of(model.loss, model.preprocessor.target_scale().sd, scale.sd);
  return score(other.scorer(), loss, model.options.alpha, prepared, scale).losses;
}

}  // namespace

void check_guarantee(const EvaluateOptions& options, const Loss& loss) {
  if (options.guarantee == 0 || options.loss_max > 0) return;
  throw OptionError(
      fmt::format("guarantee needs loss-max, the largest loss that a row can have: the {} loss has "
                  "no bound of its own; fix it before you see the losses",
                  kLossNames.of(loss.kind())));
}

void check_comparable(const TrainedModel& model, const TrainedModel& other,
                      const std::string& data) {
  const auto refuse = [](const char* what, std::string_view other_has, std::string_view model_has) {
    throw OptionError(fmt::format("against: the other model has the {} '{}', the model '{}'", what,
                                  other_has, model_has));
  };
  const auto& mine = model.preprocessor.parts();
  const auto& others = other.preprocessor.parts();
  if (data == "-") {
    throw OptionError("against reads the data twice, which standard input does not allow");
  }
  if (others.target != mine.target) refuse("target", others.target, mine.target);
  if (other.loss.kind() != model.loss.kind()) {
    refuse("loss", kLossNames.of(other.loss.kind()), kLossNames.of(model.loss.kind()));
  }
  if (others.class_names != mine.class_names) {
    throw OptionError("against: the other model has other classes");
  }
}

Guarantee guarantee_for(const TrainedModel& model, const EvaluatedRows& rows,
                        std::span<const double> alphas, const EvaluateOptions& options) {
  check_premises(model, rows, rows.losses, options, "");
  return {.confidence = options.guarantee,
          .loss_max = options.loss_max,
          .cvar = cvar_upper_bounds(rows.losses, alphas, bound_options(options))};
}

std::vector<ModelDifference> differences_to(const TrainedModel& other, const TrainedModel& model,
                                            const EvaluatedRows& rows,
                                            std::span<const double> alphas,
                                            const EvaluateOptions& options) {
  const std::vector<std::vector<double>> losses = {{rows.losses.begin(), rows.losses.end()},
                                                   losses_of(other, model, rows)};
  std::vector<double> bounds;
  if (options.guarantee > 0) {
    check_premises(other, rows, losses[1], options, " of the other model");
    bounds = cvar_difference_bounds(losses[0], losses[1], alphas, bound_options(options));
  }
  std::vector<ModelDifference> differences;
  for (std::size_t a = 0; a < alphas.size(); ++a) {
    differences.push_back(
        {.other_cvar = cvar(losses[1], rows.weights, alphas[a]),
         .difference = compare_cvar(losses, 1, alphas[a], options.bootstrap, rows.weights)[0]});
    if (!bounds.empty()) differences.back().guaranteed = bounds[a];
  }
  return differences;
}

}  // namespace adacvar
