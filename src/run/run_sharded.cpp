#include "run/run_sharded.hpp"

#include "base/collectives.hpp"
#include "data/shard_rows.hpp"
#include "learner/resolve_defaults.hpp"
#include "learner/train_sharded.hpp"
#include "run/calibrate.hpp"
#include "run/check_run.hpp"
#include "run/feature_moments.hpp"
#include "run/notes.hpp"
#include "run/outcome.hpp"
#include "run/run_identity.hpp"
#include "run/score_sharded.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace adacvar {

namespace {

void refuse_unsupported(const RunOptions& options, const RunHooks& hooks) {
  const TrainOptions& train = options.train;
  const std::array unsupported = {
      std::pair(!options.network.network.empty(), "network"),
      std::pair(train.trees.trees, "trees"),
      std::pair(train.algorithm == Algorithm::exact, "algorithm = exact"),
      std::pair(train.learner == Learner::btl, "learner = btl"),
      std::pair(options.tune.tune, "tune"),
      std::pair(options.budget.mean_budget.has_value(), "mean-budget"),
      std::pair(options.budget.cvar_limit.has_value(), "cvar-limit"),
      std::pair(options.solve.certify == CertifyChoice::yes, "certify = yes"),
      std::pair(options.solve.until_gap > 0, "until-gap"),
      std::pair(!options.data.prediction.prediction.empty(), "prediction"),
      std::pair(hooks.detail != Detail::none, "report"),
      std::pair(static_cast<bool>(hooks.trace), "trace")};
  for (const auto& [is_given, name] : unsupported) {
    if (!is_given) continue;
    throw OptionError(
        fmt::format("{} is not supported with adacvar-mpi; leave it out, or use adacvar", name));
  }
}

/// What rows of all ranks have in common, without the rows.
Dataset shape_of(const ShardedRows& rows) {
  Dataset shape;
  shape.rows = rows.total_rows;
  shape.features = rows.data.features;
  shape.reference_levels = rows.data.reference_levels;
  shape.task = rows.data.task;
  shape.target_error = rows.data.target_error;
  shape.class_names = rows.data.class_names;
  return shape;
}

/// One run: the same steps on every rank.
class ShardedRun {
 public:
  ShardedRun(const ShardedData& data, const RunOptions& options, const RunHooks& hooks,
             Communicator& ranks)
      : data_(data),
        options_(options),
        hooks_(hooks),
        ranks_(ranks),
        shape_(shape_of(data.train)),
        loss_(make_loss(options.loss, shape_)),
        unit_(loss_.unit(data.preprocessor.target_scale().sd)) {
    if (std::isnormal(unit_)) return;
    throw DataError(fmt::format("the {} loss of a target with standard deviation {:g} exceeds the "
                                "range of double; rescale the target",
                                kLossNames.of(loss_.kind()), data.preprocessor.target_scale().sd),
                    data.source);
  }

  RunReport run() {
    RunReport report;
    report.notes = data_.notes;
    note_small_tails(report.notes);
    const auto begin = std::chrono::steady_clock::now();
    const TrainOptions chosen = resolve_defaults(options_.train, shape_, loss_);
    TrainResult trained = train(chosen);
    std::optional<Calibration> calibration;
    if (trained.stop_reason != StopReason::diverged) {
      calibration = calibrate_sharded(ranks_, data_.valid, loss_, options_.calibrate.calibrate,
                                      chosen, trained.model);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.results.push_back(make_result(chosen, std::move(trained)));
    report.results[0].seconds = seconds;
    report.results[0].calibration = calibration;
    add_result_notes(options_, report);
    return report;
  }

 private:
  [[nodiscard]] EpochRecord in_units(EpochRecord record) const {
    record.training_loss *= unit_;
    if (record.validation) record.validation = scaled(*record.validation, unit_);
    return record;
  }

  [[nodiscard]] TrainResult train(const TrainOptions& chosen) {
    TrainHooks hooks;
    hooks.stop = hooks_.stop;
    if (hooks_.progress) {
      hooks.progress = [&](const EpochRecord& record) {
        const EpochRecord shown = in_units(record);
        hooks_.progress({.epoch = &shown, .epochs = chosen.epochs});
        return true;
      };
    }
    if (!options_.checkpoint.checkpoint.empty()) {
      hooks.checkpoint = options_.checkpoint.checkpoint;
      hooks.run_identity = run_identity(options_, chosen,
                                        {.shares = data_.shares,
                                         .crc64 = data_.fingerprint.crc64,
                                         .train_rows = data_.train.total_rows,
                                         .valid_rows = data_.valid.total_rows,
                                         .features = shape_.features}) +
                           fmt::format(" in {} shards", data_.train.shards);
    }
    return train_sharded(ranks_, data_.train, data_.valid.total_rows > 0 ? &data_.valid : nullptr,
                         loss_, chosen, hooks);
  }

  [[nodiscard]] std::optional<PartRisk> risk_of(const LinearModel& model, const ShardedRows& rows) {
    if (rows.total_rows == 0) return std::nullopt;
    return score_sharded(model, loss_, options_.train.alpha, rows,
                         data_.preprocessor.target_scale(), ranks_);
  }

  RunResult make_result(const TrainOptions& chosen, TrainResult trained) {
    const std::optional<PartRisk> training = risk_of(trained.model, data_.train);
    // Assigned one by one: g++ 12 warns wrongly where several initialisers may throw.
    TrainedModel model{.preprocessor = data_.preprocessor,
                       .model = {},
                       .options = {},
                       .source = {},
                       .fingerprint = {},
                       .shares = {}};
    model.loss = loss_;
    model.model = trained.model;
    model.options = chosen;
    model.stop_reason = trained.stop_reason;
    model.source = data_.source;
    model.fingerprint = data_.fingerprint;
    model.reading = options_.data.source;
    model.task = options_.data.task;
    model.shares = data_.shares;
    model.reading.progress = {};  // valid only during this run
    model.moments = feature_moments(data_.train.data, ranks_);
    model.training_risk = training->risk;
    RunResult result{.model = Model(std::move(model))};
    result.train = training;
    result.valid = risk_of(trained.model, data_.valid);
    result.test = risk_of(trained.model, data_.test);
    for (const EpochRecord& record : trained.history) result.history.push_back(in_units(record));
    result.epochs = trained.epochs;
    result.checkpoint_error = std::move(trained.checkpoint_error);
    double squares = 0;
    for (const double value : trained.model.parameters()) squares += value * value;
    result.norm = std::sqrt(squares);
    return result;
  }

  void note_small_tails(std::vector<std::string>& notes) {
    const auto note = [&](const ShardedRows& rows, const std::string& words) {
      if (rows.total_rows == 0) return;
      std::string text = small_tail_note(weights_of(rows, ranks_), options_.train.alpha, words);
      if (!text.empty()) notes.push_back(std::move(text));
    };
    note(data_.train, "training rows");
    note(data_.valid, "validation rows");
    note(data_.test, "test rows");
  }

  const ShardedData& data_;
  const RunOptions& options_;
  const RunHooks& hooks_;
  Communicator& ranks_;
  Dataset shape_;
  Loss loss_;
  double unit_;
};

}  // namespace

RunReport run_sharded(const RunOptions& options, const RunHooks& hooks, std::size_t shards,
                      Communicator& ranks) {
  const std::array algorithms = {options.train.algorithm};
  refuse_unsupported(options, hooks);
  check_run(options, algorithms, hooks);
  const ShardedData data = prepare_sharded(options.data, options.train.seed, shards, ranks);
  check_calibration(options, shape_of(data.train), data.valid.total_rows);
  if (hooks.data_ready) hooks.data_ready(data.notes);
  return ShardedRun(data, options, hooks, ranks).run();
}

}  // namespace adacvar
