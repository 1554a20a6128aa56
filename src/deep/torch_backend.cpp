#include "deep/torch_backend.hpp"

#include <adacvar/base/error.hpp>

#include <cmath>

namespace adacvar {

namespace {

constexpr std::uint64_t kAugmentStream =
    0x617567;  // its own stream: augmentation does not change the sampler's draws

torch::Tensor generator_state(torch::Device device) {
  return at::globalContext().defaultGenerator(device).get_state();
}

}  // namespace

TorchBackend::TorchBackend(TorchModel& model, const Dataset& data, const Loss& loss,
                           const TrainOptions& options, const NetworkOptions& network,
                           const TrainHooks& hooks)
    : model_(model),
      data_(data),
      loss_(loss),
      hooks_(hooks),
      augment_(network.augment),
      augment_rng_(options.seed, kAugmentStream),
      scorer_(model),
      parameters_(model.parameters()),
      optimizer_(parameters_, options.optimizer) {}

TorchState TorchBackend::model() const {
  const torch::NoGradGuard no_gradients;
  TorchState copy;
  for (const torch::Tensor& tensor : model_.state()) copy.tensors.push_back(tensor.clone());
  return copy;
}

void TorchBackend::set_model(const TorchState& state) {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> now = model_.state();
  for (std::size_t i = 0; i < now.size(); ++i) now[i].copy_(state.tensors[i]);
}

bool TorchBackend::is_finite() const {
  const torch::NoGradGuard no_gradients;
  return TorchState{model_.state()}.is_finite();
}

void TorchBackend::losses(std::span<const Index> batch, std::span<double> losses) {
  model_.set_training(true);
  output_ = model_.forward(gather(data_, batch, augment_, &augment_rng_));
  if (!output_.requires_grad()) {
    throw OptionError("the scores of the network do not depend on a trainable parameter");
  }
  const torch::Tensor scores = output_.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const std::span<const double> given(scores.data_ptr<double>(),
                                      static_cast<std::size_t>(scores.numel()));
  targets_.resize(batch.size());
  for (std::size_t b = 0; b < batch.size(); ++b) {
    targets_[b] = data_.targets[batch[b]];
  }
  derivatives_.resize(given.size());
  loss_.evaluate(given, targets_, losses, derivatives_);
}

void TorchBackend::step(std::span<const Index> batch, std::span<const double> weights, double rate,
                        std::span<const Index> /*next*/) {
  const auto share = 1.0 / static_cast<double>(batch.size());
  const std::size_t outputs = model_.outputs();
  for (std::size_t i = 0; i < derivatives_.size(); ++i)
    derivatives_[i] *= weights[i / outputs] * share;
  const torch::Tensor derivatives =
      torch::from_blob(derivatives_.data(), output_.sizes(), torch::kDouble).to(output_.options());
  optimizer_.drop_gradients();
  output_.backward(derivatives);
  output_.reset();
  if (hooks_.gradient) report_gradient();
  optimizer_.step(rate);
}

void TorchBackend::report_gradient() const {
  double squares = 0;
  for (const torch::Tensor& tensor : parameters_) {
    if (tensor.grad().defined()) squares += tensor.grad().square().sum().item<double>();
  }
  hooks_.gradient(std::sqrt(squares));
}

void TorchBackend::save(std::ostream& out) const {
  save_model_state(model(), out);
  optimizer_.save(out);
  augment_rng_.save(out);
  save_model_state({{generator_state(torch::kCPU)}}, out);
  if (model_.device().is_cuda()) save_model_state({{generator_state(model_.device())}}, out);
}

void TorchBackend::load(std::istream& in) {
  TorchState state = model();
  load_model_state(state, in);
  set_model(state);
  optimizer_.load(in);
  augment_rng_ = Rng::load(in);
  std::vector<torch::Device> devices{torch::kCPU};
  if (model_.device().is_cuda()) devices.push_back(model_.device());
  for (const torch::Device& device : devices) {
    TorchState generator{{generator_state(device)}};
    load_model_state(generator, in);
    at::Generator(at::globalContext().defaultGenerator(device))
        .set_state(generator.tensors[0].cpu());
  }
}

}  // namespace adacvar
