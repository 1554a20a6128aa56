#include "run/best_describe.hpp"

#include "run/notes.hpp"
#include "run/row_detail.hpp"
#include "run/score.hpp"
#include "run/trained_model.hpp"

#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/cvar_bound.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

using Scores = std::vector<double>;

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

class Description {
 public:
  Description(const BestTask& task, const BestStack& stack, const TimeLimit& limit)
      : task_(task),
        stack_(stack),
        limit_(limit),
        model_(std::make_shared<StackModel>(stack.parts)),
        result_{.model = Model(trained_model()),
                .options = task.options,
                .bases = {},
                .stack = {},
                .frontier = stack.change.frontier,
                .notes = {},
                .headlines = {}} {}

  BestReport describe() {
    result_.training_rows = task_.train.rows;
    result_.is_interrupted = stack_.bases.bases.size() < task_.kinds.size();
    result_.is_corrected = stack_.change.correction.has_value() || stack_.change.factor != 1;
    result_.temperature = 1 / stack_.change.factor;
    describe_held_out();
    describe_rows_of(task_.train, task_.data.prepared.rows.train, "training");
    const PreparedData& data = task_.data.prepared;
    if (data.valid.rows > 0) describe_rows_of(data.valid, data.rows.valid, "validation");
    if (data.test.rows > 0) describe_rows_of(data.test, data.rows.test, "test");
    describe_bases();
    if (data.test.rows > 0) describe_test(data.test);
    add_notes();
    TrainedModel model = trained_model();
    model.training_risk = result_.train.risk;
    result_.model = Model(std::move(model));
    return std::move(result_);
  }

 private:
  // The stack before its tail is changed.
  static StackModel::Parts plain_parts(StackModel::Parts parts) {
    parts.correction.reset();
    parts.factor = 1;
    return parts;
  }

  [[nodiscard]] ScoredRows score_known(const Scores& scores, const Dataset& rows) const {
    return score(KnownScores(scores, task_.outputs), task_.loss, task_.options.alpha, rows,
                 task_.scale);
  }
  void describe_held_out() {
    result_.stack.name = "stack";
    result_.stack.held_out = score_known(stack_.stacked.sum, task_.train).risk;
    result_.held_out = result_.stack.held_out;
    if (stack_.change.held_out) {  // its other figures are not cross-validated
      result_.held_out = {.rows = result_.held_out.rows, .weight = result_.held_out.weight};
      result_.held_out.risk = *stack_.change.held_out;
    } else if (stack_.change.factor != 1) {
      Scores scaled = stack_.stacked.sum;
      for (double& score : scaled) score *= stack_.change.factor;
      result_.held_out = score_known(scaled, task_.train).risk;
    }
  }

  // Losses and details are kept for the last of training, validation and test rows.
  void describe_rows_of(const Dataset& rows, std::span<const Index> numbers, const char* part) {
    constexpr std::size_t kWorst = 20;
    base_scores_ = scores_in_blocks(rows);
    ScoredRows scored = score_known(combined_scores(stack_.parts, base_scores_), rows);
    scored.risk.auc = auc_of(rows, scored.predictions);
    PartDetail detail;
    if (task_.hooks.detail) {
      detail = describe_rows({.scorer = *model_,
                              .preprocessor = task_.data.prepared.preprocessor,
                              .data = rows,
                              .rows = numbers,
                              .scored = scored},
                             kWorst);
    }
    detail.part = part;
    detail.losses = std::move(scored.losses);
    detail.weights = rows.weights;
    result_.detail = std::move(detail);
    if (&rows == &task_.train) {
      result_.train = scored.risk;
    } else if (&rows == &task_.data.prepared.valid) {
      result_.valid = scored.risk;
    } else {
      result_.test = scored.risk;
    }
  }

  // In blocks: features for linear models can be many.
  [[nodiscard]] std::vector<Scores> scores_in_blocks(const Dataset& rows) const {
    std::vector<Scores> all(stack_.parts.bases.size());
    constexpr std::size_t kBlock = 1024;
    for (std::size_t begin = 0; begin < rows.rows; begin += kBlock) {
      std::vector<Index> part(std::min(kBlock, rows.rows - begin));
      std::iota(part.begin(), part.end(), static_cast<Index>(begin));
      const std::vector<Scores> block = model_->base_scores(rows, part);
      for (std::size_t b = 0; b < all.size(); ++b) {
        all[b].insert(all[b].end(), block[b].begin(), block[b].end());
      }
    }
    return all;
  }

  void describe_bases() {
    for (std::size_t b = 0; b < stack_.parts.bases.size(); ++b) {
      result_.bases.push_back({.name = stack_.parts.bases[b].name,
                               .weight = stack_.parts.bases[b].weight,
                               .held_out = score_known(stack_.bases.held_out[b], task_.train).risk,
                               .seconds = stack_.bases.seconds[b]});
    }
  }

  // After describe_rows_of of the test rows.
  void describe_test(const Dataset& test) {
    for (std::size_t b = 0; b < base_scores_.size(); ++b) {
      result_.bases[b].test = score_known(base_scores_[b], test).risk;
    }
    StackModel::Parts parts = plain_parts(stack_.parts);
    const ScoredRows of_stack = score_known(combined_scores(parts, base_scores_), test);
    result_.stack.test = of_stack.risk;
    for (std::size_t i = 0; i < result_.frontier.size(); ++i) {
      parts.correction = stack_.change.models[i];
      result_.frontier[i].test = score_known(combined_scores(parts, base_scores_), test).risk.risk;
    }
    const std::vector<double>& losses = result_.detail.losses;
    if (result_.is_corrected) {
      result_.stack_losses = of_stack.losses;
      result_.difference = compare_cvar(
          std::vector{of_stack.losses, losses}, 0, task_.options.alpha,
          {.seed = task_.options.seed, .threads = task_.options.threads}, test.weights)[1];
    }
    if (task_.options.guarantee > 0) add_bound(losses);
  }

  void add_bound(std::span<const double> losses) {
    const BestOptions& options = task_.options;
    const double most = *std::ranges::max_element(losses);
    if (most > options.loss_max) {
      result_.headlines.push_back(
          fmt::format("no guarantee: loss-max = {:g} is exceeded by the loss {:g} of a test row; "
                      "it must bound the loss of every row",
                      options.loss_max, most));
      return;
    }
    result_.bound = cvar_upper_bounds(losses, std::array{options.alpha},
                                      {options.guarantee, options.loss_max})[0];
  }

  void add_notes() {
    std::vector<std::string>& notes = result_.notes;
    notes = data_notes(task_.data.prepared, task_.options.alpha);
    if (task_.hooks.trees == nullptr) {
      notes.emplace_back("without trees, which need the part trees (Debian: libxgboost-dev)");
    }
    if (task_.hooks.networks == nullptr) {
      notes.emplace_back(
          "without networks, which need the program's part deep (Debian: libtorch-dev)");
    }
    if (!stack_.change.why_not.empty()) {
      notes.push_back("the tail of the stack was not corrected: " + stack_.change.why_not);
    }
    add_headlines();
  }

  void add_headlines() {
    const char* const by = limit_.is_stopped() ? "stopped early" : "the time was over";
    if (result_.is_interrupted) {
      std::string names;
      for (std::size_t k = stack_.bases.bases.size(); k < task_.kinds.size(); ++k) {
        names += (names.empty() ? "" : ", ") + task_.kinds[k].name;
      }
      result_.headlines.push_back(fmt::format("{}, so that these are left out: {}", by, names));
    }
    if (stack_.bases.is_cut) {
      result_.headlines.push_back(
          fmt::format("time = {}: the {} were stopped before they were complete; give them more",
                      task_.options.time, stack_.bases.bases[0].name));
    }
  }

  [[nodiscard]] TrainedModel trained_model() const {
    const PreparedData& data = task_.data.prepared;
    TrainedModel model{.preprocessor = data.preprocessor,
                       .loss = task_.loss,
                       .model = {},
                       .nonlinear = model_,
                       .options = {.algorithm = Algorithm::adacvar,
                                   .alpha = task_.options.alpha,
                                   .seed = task_.options.seed},
                       .source = data.source,
                       .fingerprint = data.fingerprint,
                       .reading = task_.reading.source,
                       .task = task_.reading.task,
                       .shares = data.shares};
    model.reading.progress = {};  // valid only during this call
    return model;
  }

  const BestTask& task_;
  const BestStack& stack_;
  const TimeLimit& limit_;
  std::shared_ptr<const StackModel> model_;
  std::vector<Scores> base_scores_;  // of the rows described last
  BestReport result_;
};

}  // namespace

BestReport describe_best(const BestTask& task, const BestStack& stack, const TimeLimit& limit) {
  return Description(task, stack, limit).describe();
}

}  // namespace adacvar
