#include "solver/be_the_leader.hpp"

#include "learner/resolve_defaults.hpp"

#include "learner/training_loop.hpp"
#include "solver/minimise.hpp"
#include "solver/problem.hpp"
#include "solver/row_terms.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adacvar {

namespace {

/// The oracle and the mean of the distributions that it is asked about.
class Leader {
 public:
  Leader(const Dataset& data, const Loss& loss, const TrainOptions& options)
      : problem_(data, loss, {.risk = options.risk(), .ridge = options.ridge, .threads = 1}),
        theta_(Eigen::VectorXd::Zero(problem_.size())),
        model_(problem_.model(theta_)) {
    distribution_.rows.resize(data.rows);
    std::iota(distribution_.rows.begin(), distribution_.rows.end(), Index{0});
    distribution_.weights.assign(data.rows, 0.0);
  }

  [[nodiscard]] const LinearModel& model() const noexcept { return model_; }

  void follow(std::span<const double> distribution) {
    const double share = 1.0 / static_cast<double>(++rounds_);
    for (std::size_t i = 0; i < distribution.size(); ++i) {
      distribution_.weights[i] += share * (distribution[i] - distribution_.weights[i]);
    }
    theta_ = weighted_minimiser(problem_, distribution_, theta_);
    model_ = problem_.model(theta_);
  }

 private:
  Problem problem_;
  Eigen::VectorXd theta_;
  LinearModel model_;
  RowWeights distribution_;
  std::uint64_t rounds_ = 0;
};

/// The backend of the loop: steps are the oracle's, now and then.
class LeaderBackend {
 public:
  LeaderBackend(const Dataset& data, const Loss& loss, const TrainOptions& options)
      : data_(data),
        loss_(loss),
        leader_(data, loss, options),
        interval_(std::max<std::uint64_t>(
            1, (data.rows + options.batch - 1) / options.batch / options.oracle_calls)) {}

  using Model = LinearModel;

  [[nodiscard]] const LinearModel& model() const noexcept { return leader_.model(); }
  [[nodiscard]] const Scorer& scorer() const noexcept { return leader_.model(); }
  [[nodiscard]] bool is_finite() const { return model().is_finite(); }

  void losses(std::span<const Index> batch, std::span<double> losses) {
    targets_.resize(batch.size());
    scores_.resize(batch.size() * model().outputs());
    for (std::size_t b = 0; b < batch.size(); ++b) {
      targets_[b] = data_.targets[batch[b]];
    }
    model().scores(data_, batch, scores_);
    loss_.evaluate(scores_, targets_, losses, scores_);
  }

  void step(std::span<const Index> /*batch*/, std::span<const double> /*weights*/, double /*rate*/,
            std::span<const Index> /*next*/) {}

  void after_update(const AnySampler& sampler) {
    if (++updates_ % interval_ != 0) return;
    leader_.follow(std::get<AdaptiveSampler>(sampler.variant()).probabilities());
  }

 private:
  const Dataset& data_;
  const Loss& loss_;
  Leader leader_;
  std::uint64_t interval_;
  std::uint64_t updates_ = 0;
  std::vector<double> targets_;
  std::vector<double> scores_;
};

TailRisk risk_of(std::span<const double> losses, const Dataset& data, double alpha) {
  return data.weights.empty() ? tail_risk(losses, alpha) : tail_risk(losses, data.weights, alpha);
}

/// Multiplicative weights over the k-sets, all losses seen. A row of weight w counts as w rows.
class FullInformation {
 public:
  FullInformation(const Dataset& data, const TrainOptions& options)
      : data_(data),
        options_(options),
        total_(data.weights.empty()
                   ? static_cast<double>(data.rows)
                   : std::accumulate(data.weights.begin(), data.weights.end(), 0.0)),
        size_(options.alpha * total_),
        log_weights_(data.rows, 0.0) {
    if (data.weights.empty()) size_ = std::max(1.0, std::floor(size_ + 1e-9));
    const auto rounds = static_cast<double>(options.epochs * options.oracle_calls);
    const double spread = std::log(total_ / size_);
    eta_ = options.sampler.eta.value_or(std::sqrt(8 * std::max(spread, 1e-12) / rounds));
  }

  [[nodiscard]] std::vector<double> distribution() const {
    std::vector<double> distribution = marginals();
    const double gamma = std::max(options_.gamma, options_.exploration);
    for (std::size_t i = 0; i < distribution.size(); ++i) {
      distribution[i] = weight(i) * ((1 - gamma) * distribution[i] / size_ + gamma / total_);
    }
    return distribution;
  }

  void see(std::span<const double> losses) {
    scale_ = std::max(scale_, risk_of(losses, data_, options_.alpha).cvar);
    if (scale_ <= 0) return;
    for (std::size_t i = 0; i < losses.size(); ++i) log_weights_[i] += eta_ * losses[i] / scale_;
  }

 private:
  [[nodiscard]] double weight(std::size_t i) const {
    return data_.weights.empty() ? 1.0 : data_.weights[i];
  }

  [[nodiscard]] std::vector<double> marginals() const {
    if (data_.weights.empty()) {
      return matched_marginals(log_weights_, static_cast<std::size_t>(size_));
    }
    std::vector<double> found(log_weights_.size(), 1.0);
    if (size_ >= total_) return found;
    // sigma(x + tilt), weighted, adds up to the size between the tilts that would make every row
    // the largest and the smallest.
    const double even = std::log(size_ / (total_ - size_));
    double low = even - std::ranges::max(log_weights_);
    double high = even - std::ranges::min(log_weights_);
    for (int pass = 0; pass < 100; ++pass) {
      const double tilt = 0.5 * (low + high);
      double sum = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = 1 / (1 + std::exp(-(log_weights_[i] + tilt)));
        sum += weight(i) * found[i];
      }
      (sum < size_ ? low : high) = tilt;
    }
    return found;
  }

  const Dataset& data_;
  const TrainOptions& options_;
  double total_;
  double size_;  // k
  double eta_ = 0;
  double scale_ = 0;
  std::vector<double> log_weights_;
};

// The loop without draws: its rounds know everything.
TrainResult play_with_full_information(const Dataset& training, const Dataset* validation,
                                       const Loss& loss, const TrainOptions& options,
                                       const TrainHooks& hooks) {
  Leader leader(training, loss, options);
  FullInformation sampler(training, options);
  Rng rng(options.seed);
  Candidates<LinearModel> candidates(leader.model(), options, options.epochs * options.oracle_calls,
                                     rng);
  TrainResult result;
  std::uint64_t round = 0;
  for (std::uint64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    double sum = 0;
    for (std::uint64_t call = 0; call < options.oracle_calls; ++call) {
      if (hooks.stop != nullptr && *hooks.stop) {
        result.stop_reason = StopReason::interrupted;
        break;
      }
      leader.follow(sampler.distribution());
      const std::vector<double> losses = losses_of(leader.model(), training, loss);
      sampler.see(losses);
      candidates.after_step(leader, ++round);
      sum += risk_of(losses, training, options.alpha).mean;
    }
    if (result.stop_reason == StopReason::interrupted) break;
    EpochRecord record{.epoch = epoch,
                       .training_loss = sum / static_cast<double>(options.oracle_calls)};
    std::optional<double> held_out;
    if (validation != nullptr && validation->rows > 0) {
      record.validation =
          risk_of(losses_of(leader.model(), *validation, loss), *validation, options.alpha);
      held_out = options.risk().of(*record.validation);
    }
    candidates.after_epoch(leader, leader.model().is_finite(), record, held_out, 0);
    result.history.push_back(record);
    result.epochs = epoch;
    if (hooks.progress && !hooks.progress(record)) {
      result.stop_reason = StopReason::interrupted;
      break;
    }
  }
  result.model = candidates.result(leader.model(), round, result.stop_reason);
  return result;
}

}  // namespace

TrainResult be_the_leader(const Dataset& training, const Dataset* validation, const Loss& loss,
                          const TrainOptions& options, const TrainHooks& hooks) {
  check_training(training, validation, loss, options);
  if (!is_smooth(loss)) {
    throw OptionError("learner = btl needs a smooth loss: squared, huber, logistic or softmax");
  }
  const TrainOptions chosen = resolve_defaults(options, training, loss);
  if (!hooks.checkpoint.empty()) {
    throw OptionError("checkpoint does not go with learner = btl");
  }
  if (options.information == Information::full) {
    return play_with_full_information(training, validation, loss, chosen, hooks);
  }
  LeaderBackend backend(training, loss, chosen);
  LocalRows rows(training, validation, loss);
  return TrainingLoop(rows, loss, chosen, hooks, backend).run();
}

}  // namespace adacvar
