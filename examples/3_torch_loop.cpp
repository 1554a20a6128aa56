// A training loop of torch's own, with a network of torch's own: the adaptive sampler takes the
// place of the shuffled order, and the loop tells it the losses.
#include <adacvar/deep/data_sampler.hpp>
#include <adacvar/risk/cvar.hpp>

#include <torch/torch.h>

#include <cstdio>

using adacvar::DrawnBatch;
using torch::Tensor;

struct Batch {
  DrawnBatch drawn;
  Tensor x, y;
};
struct Rows : torch::data::datasets::BatchDataset<Rows, Batch, DrawnBatch> {
  Rows(Tensor inputs, Tensor targets) : x(std::move(inputs)), y(std::move(targets)) {}
  Batch get_batch(DrawnBatch drawn) override {
    const Tensor rows = drawn.index_tensor();
    return {std::move(drawn), x.index_select(0, rows), y.index_select(0, rows)};
  }
  torch::optional<std::size_t> size() const override { return x.size(0); }
  Tensor x, y;
};

adacvar::TailRisk train(const Rows& rows, adacvar::DataSampler sampler) {
  torch::manual_seed(1);
  torch::nn::Sequential model(torch::nn::Linear(1, 32), torch::nn::Tanh(),
                              torch::nn::Linear(32, 1));
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(3e-3));
  auto loader = torch::data::make_data_loader(rows, sampler, 64);
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (const Batch& batch : *loader) {
      const Tensor losses = (model->forward(batch.x) - batch.y).square().squeeze(1);
      optimizer.zero_grad();
      losses.mean().backward();
      optimizer.step();
      sampler.observe(batch.drawn, losses);
    }
  }
  const torch::NoGradGuard no_grad;
  const Tensor losses = (model->forward(rows.x) - rows.y).square().to(torch::kFloat64);
  return adacvar::tail_risk({losses.data_ptr<double>(), *rows.size()}, 0.1);
}

int main() {
  torch::manual_seed(0);
  // One row in ten goes against the others.
  const Tensor x = 2 * torch::rand({4000, 1}) - 1;
  const Rows rows(x, torch::sin(3 * x) * torch::where(torch::rand({4000, 1}) < 0.9, 1.0, -1.0));
  const adacvar::Rng rng(0);
  const auto mean = train(rows, {adacvar::ShuffledSampler(4000), rng});
  const auto tail =
      train(rows, {adacvar::AdaptiveSampler(4000, {.alpha = 0.1, .eta_scale = 3}), rng});
  std::printf("squared loss     mean   CVaR of the worst tenth\n");
  std::printf("  shuffled     %6.3f   %6.3f\n", mean.mean, mean.cvar);
  std::printf("  adaptive     %6.3f   %6.3f\n", tail.mean, tail.cvar);
}
