#include <adacvar/run/best.hpp>

#include "base/base64.hpp"
#include "base/json_view.hpp"
#include "base/parallel.hpp"
#include "base/write_file.hpp"
#include "data/expand_features.hpp"
#include "data/file_bytes.hpp"
#include "data/number_text.hpp"
#include "data/prepare_data.hpp"
#include "learner/predict.hpp"
#include "run/assign_folds.hpp"
#include "run/best_bases.hpp"
#include "run/blend.hpp"
#include "run/notes.hpp"
#include "run/outcome.hpp"
#include "run/prepare_matrix.hpp"
#include "run/score.hpp"
#include "run/stack.hpp"
#include "run/stack_json.hpp"
#include "run/stack_weights.hpp"
#include "run/trained_model.hpp"
#include "solver/problem.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar_bound.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

using Clock = std::chrono::steady_clock;
using Scores = std::vector<double>;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Scores that are known, as a model of the rows they belong to.
class KnownScores final : public Scorer {
 public:
  KnownScores(const Scores& scores, std::size_t outputs) : scores_(scores), outputs_(outputs) {}

  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }
  void scores(const Dataset& /*data*/, std::span<const Index> rows,
              std::span<double> scores) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < outputs_; ++c) {
        scores[i * outputs_ + c] = scores_[rows[i] * outputs_ + c];
      }
    }
  }

 private:
  const Scores& scores_;
  std::size_t outputs_;
};

/// The data with both kinds of features.
struct BestData {
  PreparedData prepared;  // features as trees take them
  std::shared_ptr<const FeatureExpansion> expansion;
  Dataset expanded;  // training rows
};

void set_default_split(DataOptions& data, const BestOptions& options) {
  if (!data.split.empty() || options.has_training_split) return;
  const double test = data.test_data.empty() ? 0.2 : 0.0;
  data.split = {1 - test, 0, test};
}

// `90`, `90s`, `5m` or `2h` in seconds; 0 for no text.
double seconds_in(const std::string& text) {
  if (text.empty()) return 0;
  const std::string_view units = "smh";
  const std::size_t unit = units.find(text.back());
  std::string_view number = text;
  if (unit != std::string_view::npos) number.remove_suffix(1);
  double seconds = 0;
  if (!parse_number(number, seconds) || !(seconds > 0)) {
    throw OptionError(
        fmt::format("time = '{}' is not a time above 0, such as 90s, 5m or 2h", text));
  }
  return seconds * (unit == 1 ? 60.0 : unit == 2 ? 3600.0 : 1.0);
}

/// Joins the rows with features for trees and the preprocessing for other models.
BestData with_expansion(PreparedData native, Preprocessor linear) {
  BestData data{.prepared = std::move(native), .expansion = nullptr, .expanded = {}};
  data.expansion =
      std::make_shared<FeatureExpansion>(data.prepared.preprocessor, std::move(linear));
  data.expanded = data.expansion->expand(data.prepared.train);
  return data;
}

BestData read_matrix(const MatrixView& features, const Column& target, const BestMatrix& given) {
  MatrixOptions options{.target = given.target,
                        .has_missing = true,
                        .weights = given.weights,
                        .names = given.names};
  Preprocessor linear = preprocess_matrix(features, target, options);
  options.for_trees = true;
  return with_expansion(prepare_matrix(features, target, options), std::move(linear));
}

BestData read(DataOptions options, const BestOptions& best) {
  const std::uint64_t seed = best.seed;
  set_default_split(options, best);
  const RawData raw = read_data(options.data, options.source);
  Preprocessor linear = prepare_data(raw, options, seed).preprocessor;
  options.for_trees = true;
  PreparedData native = prepare_data(raw, options, seed);
  if (native.train.image.size() > 0) {
    throw OptionError("best is not supported with images; use train with a network");
  }
  if (native.valid.rows > 0 && !best.has_training_split) {
    throw OptionError(
        "best holds out folds and has no use for validation rows: give their share of split, or "
        "their file, to training");
  }
  return with_expansion(std::move(native), std::move(linear));
}

void check_rows(const PreparedData& data, std::size_t folds) {
  const Dataset& train = data.train;
  if (train.rows < 2 * folds) {
    throw DataError(
        fmt::format("has {} training rows, too few for {} folds: two of each are needed",
                    train.rows, folds),
        data.source);
  }
  std::vector<std::size_t> counts(train.class_names.size());
  if (train.task != Task::regression) {
    for (const double target : train.targets) ++counts[static_cast<std::size_t>(target)];
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] >= folds) continue;
    throw DataError(fmt::format("class '{}' has {} training rows, fewer than the {} folds",
                                train.class_names[c], counts[c], folds),
                    data.source);
  }
}

/// Models that are done, in a folder; each belongs to a run with the same data and options.
class FoldStore {
 public:
  FoldStore(const BestOptions& options, const PreparedData& data, const Loss& loss,
            const StackShape& shape, const NetworkMaker* networks)
      : folder_(options.checkpoint), loss_(loss), shape_(shape), networks_(networks) {
    if (options.checkpoint.empty()) return;
    std::filesystem::create_directories(folder_);
    identity_ = fmt::format(
        "{} rows {} alpha {:a} folds {} seed {} loss {} {:a} {:a} split {:a} {:a}",
        data.fingerprint.crc64, data.train.rows, options.alpha, options.folds, options.seed,
        kLossNames.of(loss.kind()), loss.delta(), loss.tau(), data.shares.train, data.shares.test);
  }

  [[nodiscard]] std::shared_ptr<const Scorer> find(const std::string& base,
                                                   std::size_t fold) const {
    const std::filesystem::path path = path_of(base, fold);
    if (identity_.empty() || !std::filesystem::exists(path)) return nullptr;
    const FileBytes file(path);
    try {
      const nlohmann::json content = nlohmann::json::parse(file.text());
      const JsonView view(content);
      if (view.at("run").get<std::string>() != identity_) {
        throw DataError(
            "it belongs to a run with other data or options: remove it, or give "
            "another folder");
      }
      return scorer_from_json(view.at("model"), shape_, networks_);
    } catch (const nlohmann::json::exception&) {
      throw DataError("is not a checkpoint to resume from: it is damaged", path.string());
    } catch (const DataError& error) {
      throw DataError(std::string("is not a checkpoint to resume from: ") + error.what(),
                      path.string());
    }
  }

  void keep(const std::string& base, std::size_t fold, const Scorer& model) const {
    if (identity_.empty()) return;
    const nlohmann::json content = {{"run", identity_},
                                    {"model", scorer_to_json(model, loss_.kind())}};
    write_file(path_of(base, fold), [&](const Write& write) { write(content.dump()); });
  }

 private:
  [[nodiscard]] std::filesystem::path path_of(std::string base, std::size_t fold) const {
    std::ranges::replace(base, ' ', '-');
    return folder_ / fmt::format("{}-{}.json", base, fold);
  }

  std::filesystem::path folder_;
  const Loss& loss_;
  StackShape shape_;
  const NetworkMaker* networks_;
  std::string identity_;
};

/// Trains the bases, stacks them and corrects the stack.
class BestRun {
 public:
  BestRun(const BestData& data, const DataOptions& reading, const BestOptions& options,
          const BestHooks& hooks)
      : data_(data),
        reading_(reading),
        options_(options),
        hooks_(hooks),
        train_(data.prepared.train),
        loss_(make_loss(options.loss, train_)),
        outputs_(loss_.outputs(train_.class_names.size())),
        scale_(data.prepared.preprocessor.target_scale()),
        unit_(loss_.unit(scale_.sd)),
        kinds_(base_kinds(train_, data.expanded, loss_, hooks)),
        store_(options, data.prepared, loss_, {train_.features, data.expanded.features, outputs_},
               hooks.networks),
        fold_(assign_folds(train_, options.folds, options.seed)) {}

  std::optional<BestReport> run() {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (!train_base(k)) break;
    }
    if (parts_.bases.empty()) return std::nullopt;
    stack();
    return report();
  }

 private:
  struct Rows {
    std::vector<Index> training;
    std::vector<Index> held_out;
  };

  [[nodiscard]] bool is_stopped() const {
    return (hooks_.stop != nullptr && *hooks_.stop) ||
           (most_seconds_ > 0 && seconds_since(begin_) > most_seconds_ && !parts_.bases.empty());
  }

  [[nodiscard]] Rows rows_of_fold(std::size_t fold) const {
    Rows rows;
    for (std::size_t i = 0; i < train_.rows; ++i) {
      (fold_[i] == fold ? rows.held_out : rows.training).push_back(static_cast<Index>(i));
    }
    return rows;
  }

  [[nodiscard]] FoldRows fold_rows(std::span<const Index> rows, bool is_expanded) const {
    if (is_expanded) {
      FoldRows result{.native = {}, .expanded = rows_of(data_.expanded, rows)};
      result.native.task = train_.task;
      return result;
    }
    return {.native = rows_of(train_, rows), .expanded = {}};
  }

  // Returns false if it was stopped before all folds were done.
  bool train_base(std::size_t number) {
    const BaseKind& kind = kinds_[number];
    const auto begin = Clock::now();
    StackBase base{.name = kind.name, .is_expanded = kind.is_expanded, .folds = {}};
    Scores held_out(train_.rows * outputs_);
    for (std::size_t fold = 0; fold < options_.folds; ++fold) {
      if (is_stopped()) return false;
      if (hooks_.progress) {
        hooks_.progress({.base = kind.name,
                         .fold = fold,
                         .done = number * options_.folds + fold,
                         .models = kinds_.size() * options_.folds});
      }
      const Rows rows = rows_of_fold(fold);
      std::shared_ptr<const Scorer> model = store_.find(kind.name, fold);
      if (!model) {
        model = train_fold(kind, fold, rows);
        if (is_stopped()) return false;
        store_.keep(kind.name, fold, *model);
      }
      score_fold(*model, kind.is_expanded, rows.held_out, held_out);
      base.folds.push_back(std::move(model));
    }
    parts_.bases.push_back(std::move(base));
    held_out_.push_back(std::move(held_out));
    seconds_.push_back(seconds_since(begin));
    return true;
  }

  [[nodiscard]] std::shared_ptr<const Scorer> train_fold(const BaseKind& kind, std::size_t fold,
                                                         const Rows& rows) const {
    const FoldRows training = fold_rows(rows.training, kind.is_expanded);
    const FoldRows held_out = fold_rows(rows.held_out, kind.is_expanded);
    return kind.train(
        {.training = training,
         .held_out = held_out,
         .loss = loss_,
         .options = options_,
         .hooks = hooks_,
         .seed = options_.seed * 1'000'003 + fold,
         .plain = kind.follows_plain ? parts_.bases.back().folds[fold].get() : nullptr,
         .is_stopped = [this] { return is_stopped(); }});
  }

  void score_fold(const Scorer& model, bool is_expanded, std::span<const Index> rows,
                  Scores& to) const {
    Scores scores(rows.size() * outputs_);
    model.scores(is_expanded ? data_.expanded : train_, rows, scores);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < outputs_; ++c) {
        to[rows[i] * outputs_ + c] = scores[i * outputs_ + c];
      }
    }
  }

  void stack() {
    const bool is_regression = train_.task == Task::regression;
    const std::vector<double> weights = fit_stack_weights(held_out_, train_, loss_, is_regression);
    for (std::size_t b = 0; b < weights.size(); ++b) parts_.bases[b].weight = weights[b];
    parts_.outputs = outputs_;
    parts_.expansion = data_.expansion;
    stacked_ = stacked_scores(held_out_, weights, outputs_);
  }

  [[nodiscard]] Correction correction_within(double budget) const {
    const std::size_t columns = stacked_.features.size() / train_.rows;
    CorrectOptions options{.alpha = options_.alpha,
                           .mean_budget = budget,
                           .seed = options_.seed,
                           .threads = options_.threads,
                           .loss = options_.loss,
                           .weights = train_.weights};
    options.prediction.prediction_scale =
        train_.task == Task::regression ? PredictionScale::value : PredictionScale::logit;
    options.prediction.features = FeatureUse::yes;
    return correct(MatrixView(stacked_.features, train_.rows, columns), stacked_.sum,
                   train_.targets, options);
  }

  // A stack that fits every held-out row, or is the same for all, leaves nothing to correct.
  [[nodiscard]] bool has_correction(const TailRisk& held_out) const {
    constexpr double kPerfect = 2e-6;
    const Scores& sum = stacked_.sum;
    const bool is_constant = std::ranges::all_of(sum, [&](double s) { return s == sum[0]; });
    const bool is_stopped = hooks_.stop != nullptr && *hooks_.stop;
    return outputs_ == 1 && loss_.kind() != LossKind::hinge && !is_constant && !is_stopped &&
           held_out.cvar > kPerfect * unit_;
  }

  // Several classes: the factor of least CVaR within the budget, on held-out rows.
  void choose_factor(BestReport& report) {
    const std::optional<double> alpha = judged_alpha(options_.alpha, train_);
    if (!loss_.has_probabilities() || !alpha) return;
    const BlendChoice choice =
        choose_blend([&](double) { return stacked_.sum; }, train_, loss_,
                     {.alpha = *alpha, .mean_budget = options_.mean_budget, .is_plain = true});
    parts_.factor = choice.factor;
    report.temperature = 1 / choice.factor;
    report.is_corrected = choice.factor != 1;
  }

  [[nodiscard]] ScoredRows score_known(const Scores& scores, const Dataset& rows) const {
    return score(KnownScores(scores, outputs_), loss_, options_.alpha, rows, scale_);
  }

  BestReport report() {
    BestReport result{.model = Model(model_of(nullptr)),
                      .options = options_,
                      .bases = {},
                      .stack = {},
                      .frontier = {},
                      .notes = {},
                      .headlines = {}};
    const Dataset& test = data_.prepared.test;
    const Scores plain = stacked_.sum;
    result.held_out = score_known(plain, train_).risk;
    std::vector<std::pair<double, Correction>> corrections;
    if (has_correction(result.held_out.risk)) {
      add_corrections(corrections, result);
    } else if (outputs_ > 1) {
      choose_factor(result);
      Scores scaled = plain;
      for (double& score : scaled) score *= parts_.factor;
      result.held_out = score_known(scaled, train_).risk;
    }
    const auto stack = std::make_shared<StackModel>(parts_);
    TrainedModel model = model_of(stack);
    describe_own_rows(*stack, result);
    model.training_risk = result.train.risk;
    result.model = Model(std::move(model));
    describe_bases(*stack, test, result);
    if (test.rows > 0) describe_test(*stack, corrections, test, result);
    result.training_rows = train_.rows;
    result.is_interrupted = parts_.bases.size() < kinds_.size();
    result.seconds = seconds_since(begin_);
    add_notes(result);
    return result;
  }

  // Losses are kept for the last of training, validation and test rows.
  ScoredRows scored_part(const StackModel& stack, const Dataset& rows, std::string part,
                         BestReport& result) const {
    ScoredRows scored = score(stack, loss_, options_.alpha, rows, scale_);
    scored.risk.auc = auc_of(rows, scored.predictions);
    result.detail.part = std::move(part);
    result.detail.losses = scored.losses;
    result.detail.weights = rows.weights;
    return scored;
  }

  void describe_own_rows(const StackModel& stack, BestReport& result) const {
    result.train = scored_part(stack, train_, "training", result).risk;
    const Dataset& valid = data_.prepared.valid;
    if (valid.rows > 0) result.valid = scored_part(stack, valid, "validation", result).risk;
  }

  void add_corrections(std::vector<std::pair<double, Correction>>& corrections,
                       BestReport& result) {
    std::vector<double> budgets = {0, 0.02, 0.05, 0.1, options_.mean_budget};
    std::ranges::sort(budgets);
    budgets.erase(std::ranges::unique(budgets).begin(), budgets.end());
    for (const double budget : budgets) {
      Correction correction = correction_within(budget);
      const CorrectionTrial& trial = *correction.trial;
      const double unit = unit_;
      result.frontier.push_back(
          {.mean_budget = budget,
           .is_corrected = correction.is_corrected,
           .held_out = scaled(correction.is_corrected ? trial.corrected : trial.given, unit)});
      if (budget == options_.mean_budget) {
        result.is_corrected = correction.is_corrected;
        if (correction.is_corrected) {  // its other figures are not cross-validated
          result.held_out = {.rows = result.held_out.rows, .weight = result.held_out.weight};
        }
        result.held_out.risk = result.frontier.back().held_out;
        if (correction.is_corrected) parts_.correction = correction.model;
      }
      corrections.emplace_back(budget, std::move(correction));
    }
  }

  void describe_bases(const StackModel& stack, const Dataset& test, BestReport& result) const {
    std::vector<Scores> of_test;
    if (test.rows > 0) of_test = scores_in_blocks(stack, test);
    for (std::size_t b = 0; b < parts_.bases.size(); ++b) {
      BestBase base{.name = parts_.bases[b].name,
                    .weight = parts_.bases[b].weight,
                    .held_out = score_known(held_out_[b], train_).risk,
                    .seconds = seconds_[b]};
      if (test.rows > 0) base.test = score_known(of_test[b], test).risk;
      result.bases.push_back(std::move(base));
    }
    result.stack.name = "stack";
    result.stack.held_out = score_known(stacked_.sum, train_).risk;
  }

  [[nodiscard]] std::vector<Scores> scores_in_blocks(const StackModel& stack,
                                                     const Dataset& rows) const {
    std::vector<Scores> all(parts_.bases.size());
    constexpr std::size_t kBlock = 1024;
    for (std::size_t begin = 0; begin < rows.rows; begin += kBlock) {
      std::vector<Index> part(std::min(kBlock, rows.rows - begin));
      std::iota(part.begin(), part.end(), static_cast<Index>(begin));
      const std::vector<Scores> block = stack.base_scores(rows, part);
      for (std::size_t b = 0; b < all.size(); ++b) {
        all[b].insert(all[b].end(), block[b].begin(), block[b].end());
      }
    }
    return all;
  }

  void describe_test(const StackModel& stack,
                     const std::vector<std::pair<double, Correction>>& corrections,
                     const Dataset& test, BestReport& result) const {
    const auto scored_by = [&](const StackModel::Parts& parts) {
      return score(StackModel(parts), loss_, options_.alpha, test, scale_);
    };
    StackModel::Parts plain = parts_;
    plain.correction.reset();
    plain.factor = 1;
    ScoredRows of_stack = scored_by(plain);
    const ScoredRows of_result = scored_part(stack, test, "test", result);
    for (std::size_t i = 0; i < corrections.size(); ++i) {
      StackModel::Parts parts = plain;
      if (corrections[i].second.is_corrected) parts.correction = corrections[i].second.model;
      result.frontier[i].test = scored_by(parts).risk.risk;
    }
    result.stack.test = of_stack.risk;
    result.test = of_result.risk;
    if (result.is_corrected) {
      result.difference =
          compare_cvar(std::vector{of_stack.losses, of_result.losses}, 0, options_.alpha,
                       {.seed = options_.seed, .threads = options_.threads}, test.weights)[1];
    }
    const auto above = std::ranges::find_if(of_result.losses,
                                            [&](double loss) { return loss > options_.loss_max; });
    if (options_.guarantee > 0 && above != of_result.losses.end()) {
      result.headlines.push_back(fmt::format(
          "no guarantee: loss-max = {:g} is exceeded by the loss {:g} of a test row; it "
          "must bound the loss of every row",
          options_.loss_max, *above));
    } else if (options_.guarantee > 0) {
      result.bound = cvar_upper_bounds(of_result.losses, std::array{options_.alpha},
                                       {options_.guarantee, options_.loss_max})[0];
    }
  }

  void add_notes(BestReport& result) const {
    if (hooks_.trees == nullptr) {
      result.notes.emplace_back(
          "without trees, which need the part trees (Debian: libxgboost-dev)");
    }
    if (hooks_.networks == nullptr) {
      result.notes.emplace_back(
          "without networks, which need the program's part deep (Debian: libtorch-dev)");
    }
    if (result.frontier.empty() && outputs_ == 1) {
      const bool is_stopped = hooks_.stop != nullptr && *hooks_.stop;
      result.notes.emplace_back(
          is_stopped ? "the tail of the stack was not corrected: stopped before"
          : loss_.kind() == LossKind::hinge
              ? "the tail of the stack was not corrected: the hinge loss has no probabilities"
              : "the tail of the stack was not corrected: its held-out losses are all nearly 0, or "
                "its scores are all the same");
    }
    if (!result.is_interrupted) return;
    std::string names;
    for (std::size_t k = parts_.bases.size(); k < kinds_.size(); ++k) {
      names += (names.empty() ? "" : ", ") + kinds_[k].name;
    }
    result.headlines.push_back(fmt::format("stopped early, so that these are left out: {}", names));
  }

  [[nodiscard]] TrainedModel model_of(std::shared_ptr<const StackModel> stack) const {
    const PreparedData& data = data_.prepared;
    TrainedModel model{.preprocessor = data.preprocessor,
                       .loss = loss_,
                       .model = {},
                       .nonlinear = std::move(stack),
                       .options = {.algorithm = Algorithm::adacvar,
                                   .alpha = options_.alpha,
                                   .seed = options_.seed},
                       .source = data.source,
                       .fingerprint = data.fingerprint,
                       .reading = reading_.source,
                       .task = reading_.task,
                       .shares = data.shares};
    model.reading.progress = {};  // valid only during this call
    return model;
  }

  const BestData& data_;
  const DataOptions& reading_;
  const BestOptions& options_;
  const BestHooks& hooks_;
  const Dataset& train_;
  Loss loss_;
  std::size_t outputs_;
  TargetScale scale_;
  double unit_;  // of losses, in the user's units
  std::vector<BaseKind> kinds_;
  FoldStore store_;
  std::vector<std::size_t> fold_;
  double most_seconds_ = seconds_in(options_.time);
  Clock::time_point begin_ = Clock::now();
  StackModel::Parts parts_;
  std::vector<Scores> held_out_;  // of each base
  std::vector<double> seconds_;
  StackedScores stacked_;
};

std::optional<BestReport> run_best(const BestData& data, const DataOptions& reading,
                                   const BestOptions& options, const BestHooks& hooks) {
  if (hooks.data_ready) hooks.data_ready(data.prepared.notes);
  std::optional<BestReport> report = BestRun(data, reading, options, hooks).run();
  if (report) {
    const std::vector<std::string> notes = data_notes(data.prepared, options.alpha);
    report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
  }
  return report;
}

void check(const BestOptions& options) {
  check_options(options);
  check_options(options.loss);
  (void)seconds_in(options.time);
  if (options.guarantee > 0 && options.loss_max == 0) {
    throw OptionError("guarantee needs loss-max, the largest loss that a row can have");
  }
}

std::optional<BestReport> best_of_column(const MatrixView& features, const Column& target,
                                         const BestMatrix& matrix, const BestOptions& options,
                                         const BestHooks& hooks) {
  check(options);
  if (!options.checkpoint.empty() || options.guarantee > 0) {
    throw OptionError("checkpoint and guarantee are not supported with a matrix in memory");
  }
  const BestData data = read_matrix(features, target, matrix);
  check_rows(data.prepared, options.folds);
  return run_best(data, {}, options, hooks);
}

}  // namespace

const std::vector<OptionSpec>& BestOptions::options() {
  using O = BestOptions;
  static const std::vector<OptionSpec> all{
      {"alpha", &O::alpha, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail share: CVaR is the mean of the worst alpha of the losses"},
      {"mean-budget", &O::mean_budget, Bounds{.low = 0, .high = 100},
       "the mean loss may exceed that of the stack by this share, such as 2%; judged on held-out "
       "rows, up to a standard error"},
      {"folds", &O::folds, Bounds{.low = 2, .high = 100},
       "folds of the training rows: every model is trained once per fold, on the others"},
      {"time", &O::time,
       "no more models are trained after this time, such as 90s, 5m or 2h; the first kind of model "
       "is always completed"},
      {"seed", &O::seed, Bounds{.low = 0}, "seed of the split, the folds and all draws"},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "number of threads; 0: one per core; does not change the result"},
      {"checkpoint", &O::checkpoint,
       "folder for the models that are done; after an interruption the same command resumes from "
       "them, with the same result"},
      {"guarantee", &O::guarantee, Bounds{.low = 0, .high = 1, .high_ok = false},
       "confidence of an upper bound on the CVaR of future rows, from the test rows; 0: none"},
      {"loss-max", &O::loss_max, Bounds{.low = 0},
       "largest loss that a row can have, for the guarantee", without("guarantee", {"0"})},
  };
  return all;
}

RunResult to_run_result(const BestReport& report) {
  RunResult result{.model = report.model};
  result.train = report.train;
  result.valid = report.valid;
  result.test = report.test;
  result.seconds = report.seconds;
  result.detail = report.detail;
  return result;
}

std::optional<BestReport> best(DataOptions data, const BestOptions& options,
                               const BestHooks& hooks) {
  check(options);
  const BestData read_rows = read(data, options);
  check_rows(read_rows.prepared, options.folds);
  if (options.guarantee > 0 && read_rows.prepared.test.rows == 0) {
    throw OptionError("guarantee needs test rows: give them a share of split, or test-data");
  }
  if (options.guarantee > 0 && !data.weight.empty()) {
    throw OptionError(
        "guarantee is not supported with row weights: it is proved for rows drawn alike");
  }
  return run_best(read_rows, data, options, hooks);
}

std::optional<BestReport> best(const MatrixView& features, std::span<const double> targets,
                               const BestMatrix& matrix, const BestOptions& options,
                               const BestHooks& hooks) {
  return best_of_column(features, target_column(targets), matrix, options, hooks);
}

std::optional<BestReport> best(const MatrixView& features, std::span<const std::string> classes,
                               const BestMatrix& matrix, const BestOptions& options,
                               const BestHooks& hooks) {
  return best_of_column(features, target_column(classes), matrix, options, hooks);
}

}  // namespace adacvar
