#include <adacvar/trees/xgboost_trees.hpp>

#include "base/state_stream.hpp"
#include "learner/boosting.hpp"
#include "learner/checkpoint.hpp"
#include "learner/tree_model_json.hpp"
#include "trees/booster.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace adacvar {

namespace {

constexpr std::uint64_t kCheckpointEvery = 20;  // rounds
constexpr std::size_t kRowsPerThread = 4096;
constexpr std::string_view kTreesKind = "ACVRTREE";

/// Best round so far by the validation rows.
struct BestRound {
  std::uint64_t round = 0;
  double criterion = std::numeric_limits<double>::infinity();
};

/// The rounds of one training.
class Boosting {
 public:
  Boosting(const Dataset& training, const Dataset* validation, const Loss& loss,
           const TrainOptions& options, unsigned threads, const TrainHooks& hooks)
      : training_(training),
        validation_(validation),
        loss_(loss),
        options_(options),
        hooks_(hooks),
        identity_(identity_with_weights(
            hooks.run_identity, training.weights,
            validation != nullptr ? std::span(validation->weights) : std::span<const double>())),
        outputs_(loss.outputs(training.class_names.size())),
        rule_{.for_tail = options.algorithm != Algorithm::mean,
              .alpha = options.alpha,
              .gamma = options.gamma},
        rows_(training, threads),
        objective_(training, loss, rule_, threads) {
    if (validation != nullptr) valid_rows_.emplace(*validation, threads);
    booster_.emplace(Booster::Setup{options.trees, outputs_, threads}, rows_,
                     valid_rows_ ? &*valid_rows_ : nullptr);
  }

  TreeResult run() {
    TreeResult result{.model = nullptr, .gamma = options_.gamma, .history = {}};
    resume();
    std::vector<float> gradients(training_.rows * outputs_);
    std::vector<float> hessians(gradients.size());
    result.stop_reason = StopReason::epochs;
    while (progress_.steps < options_.trees.rounds) {
      if (has_lost_patience()) {
        result.stop_reason = StopReason::patience;
        break;
      }
      if (hooks_.stop != nullptr && *hooks_.stop) {
        result.stop_reason = StopReason::interrupted;
        break;
      }
      const double loss = objective_.compute(booster_->scores(rows_), gradients, hessians);
      draw_rows(gradients, hessians);
      booster_->grow(gradients, hessians);
      ++progress_.steps;
      if (!record(loss)) {
        result.stop_reason = StopReason::interrupted;
        break;
      }
      if (progress_.steps % kCheckpointEvery == 0) save_checkpoint(result.checkpoint_error);
    }
    save_checkpoint(result.checkpoint_error);
    result.model = std::make_shared<TreeModel>(kept_trees());
    result.epochs = progress_.steps;
    result.history = std::move(progress_.history);
    return result;
  }

 private:
  [[nodiscard]] bool chooses_rounds() const {
    return validation_ != nullptr && options_.trees.tree_patience > 0;
  }

  [[nodiscard]] bool has_lost_patience() const {
    return chooses_rounds() && progress_.steps >= best_.round + options_.trees.tree_patience;
  }

  // Rows that are not drawn count nothing in this round. The draws depend on seed and round alone,
  // so that a resumed run repeats them; XGBoost's own would not.
  void draw_rows(std::span<float> gradients, std::span<float> hessians) const {
    const double share = options_.trees.subsample;
    if (share >= 1) return;
    Rng rng(options_.seed, progress_.steps);
    for (std::size_t i = 0; i < training_.rows; ++i) {
      if (rng.uniform() < share) continue;
      std::ranges::fill(gradients.subspan(i * outputs_, outputs_), 0.0F);
      std::ranges::fill(hessians.subspan(i * outputs_, outputs_), 0.0F);
    }
  }

  // Returns false if a hook stops the training.
  bool record(double training_loss) {
    EpochRecord record{.epoch = progress_.steps, .training_loss = training_loss};
    if (validation_ != nullptr) record.validation = judge_round();
    progress_.history.push_back(record);
    return !hooks_.progress || hooks_.progress(record);
  }

  TailRisk judge_round() {
    const std::span<const float> margins = booster_->scores(*valid_rows_);
    std::vector<double> scores(margins.begin(), margins.end());
    std::vector<double> losses(validation_->rows);
    loss_.evaluate(scores, validation_->targets, losses, scores);
    const TailRisk risk = validation_->weights.empty()
                              ? tail_risk(losses, options_.alpha)
                              : tail_risk(losses, validation_->weights, options_.alpha);
    const bool by_tail = rule_.for_tail && training_.task == Task::regression;
    const double criterion =
        by_tail ? smoothed_cvar(losses, validation_->weights, rule_.alpha, rule_.temperature)
                : risk.mean;
    if (criterion < best_.criterion) best_ = {progress_.steps, criterion};
    return risk;
  }

  [[nodiscard]] TreeModel kept_trees() const {
    TreeModel::Parts parts = from_xgboost_ubjson(booster_->bytes(), 1).parts();
    parts.base = 0;
    if (chooses_rounds()) parts.trees.resize(best_.round * outputs_);
    return TreeModel(std::move(parts));
  }

  void save_checkpoint(std::string& error) const {
    if (hooks_.checkpoint.empty() || !error.empty()) return;
    std::ostringstream out;
    save_progress(out, identity_, progress_);
    StateWriter writer(kTreesKind, 1);
    writer.put(best_.round);
    writer.put(best_.criterion);
    writer.put_array(std::span<const char>(booster_->bytes()));
    writer.write_to(out);
    try {
      write_checkpoint(hooks_.checkpoint, out.str());
    } catch (const OptionError& failure) {
      error = failure.what();
    }
  }

  void resume() {
    if (hooks_.checkpoint.empty()) return;
    std::optional<std::istringstream> in = open_checkpoint(hooks_.checkpoint);
    if (!in) return;
    with_source(hooks_.checkpoint, [&] {
      progress_ = load_progress(*in, identity_);
      StateReader reader(*in, kTreesKind, 1);
      best_.round = reader.get<std::uint64_t>();
      best_.criterion = reader.get<double>();
      reader.require(best_.round <= progress_.steps, "its best round is out of range");
      std::string bytes(reader.remaining(), '\0');
      reader.get_array(std::span<char>(bytes));
      reader.finish();
      booster_->load(bytes);
    });
  }

  const Dataset& training_;
  const Dataset* validation_;
  const Loss& loss_;
  const TrainOptions& options_;
  const TrainHooks& hooks_;
  std::string identity_;
  std::size_t outputs_;
  BoostingRule rule_;
  BoosterRows rows_;
  std::optional<BoosterRows> valid_rows_;
  BoostingObjective objective_;
  std::optional<Booster> booster_;
  LoopProgress progress_;
  BestRound best_;
};

class XGBoostTreeMaker final : public TreeMaker {
 public:
  [[nodiscard]] TreeResult train(const Dataset& training, const Dataset* validation,
                                 const Loss& loss, const TrainOptions& options, unsigned threads,
                                 const TrainHooks& hooks) const override {
    check_options(options.trees);
    check_options(options);
    if (training.rows == 0) throw DataError("there are no training rows");
    if (!loss.fits(training.task)) throw OptionError("the loss does not fit the task");
    if (!training.offsets.empty()) throw OptionError("trees do not take offsets");
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    // Few rows: threads would wait for each other longer than they work.
    threads = static_cast<unsigned>(
        std::clamp<std::size_t>(training.rows / kRowsPerThread, 1, threads));
    return Boosting(training, validation, loss, options, threads, hooks).run();
  }
};

}  // namespace

std::unique_ptr<const TreeMaker> xgboost_tree_maker() {
  return std::make_unique<XGBoostTreeMaker>();
}

}  // namespace adacvar
