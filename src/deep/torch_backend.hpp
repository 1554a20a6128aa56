#pragma once

#include "deep/torch_model.hpp"
#include "deep/torch_optimizer.hpp"
#include "deep/torch_state.hpp"

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/make_sampler.hpp>

#include <torch/torch.h>

#include <iosfwd>
#include <span>
#include <vector>

namespace adacvar {

/// The training loop's backend for networks. It uses the losses of linear models; their weighted
/// derivatives with respect to the scores are backpropagated through the network.
class TorchBackend {
 public:
  using Model = TorchState;

  /// Keeps references to all but `network`.
  TorchBackend(TorchModel& model, const Dataset& data, const Loss& loss,
               const TrainOptions& options, const NetworkOptions& network, const TrainHooks& hooks);

  [[nodiscard]] TorchState model() const;
  void set_model(const TorchState& state);
  [[nodiscard]] const Scorer& scorer() const noexcept { return scorer_; }
  [[nodiscard]] bool is_finite() const;

  void losses(std::span<const Index> batch, std::span<double> losses);
  void step(std::span<const Index> batch, std::span<const double> weights, double rate,
            std::span<const Index> next);
  void after_update(const AnySampler& /*sampler*/) {}

  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  class EvaluationScorer final : public Scorer {
   public:
    explicit EvaluationScorer(TorchModel& model) : model_(model) {}
    [[nodiscard]] std::size_t outputs() const noexcept override { return model_.outputs(); }
    void scores(const Dataset& data, std::span<const Index> rows,
                std::span<double> scores) const override {
      evaluation_scores(model_, data, rows, scores);
    }

   private:
    TorchModel& model_;
  };

  void report_gradient() const;

  TorchModel& model_;
  const Dataset& data_;
  const Loss& loss_;
  const TrainHooks& hooks_;
  Augment augment_;
  Rng augment_rng_;
  EvaluationScorer scorer_;
  std::vector<torch::Tensor> parameters_;
  TorchOptimizer optimizer_;
  torch::Tensor output_;
  std::vector<double> targets_, scores_, derivatives_;
};

}  // namespace adacvar
