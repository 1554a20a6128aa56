#include "deep/torch_backend.hpp"

#include "base/state_stream.hpp"

#include <adacvar/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace adacvar {

namespace {

constexpr std::string_view kTensorsKind = "ACVRTENS";
constexpr std::string_view kStepsKind = "ACVRTOPT";
constexpr std::uint64_t kAugmentStream =
    0x617567;  // its own stream: augmentation does not change the sampler's draws

// libtorch's archives do not store their length, so each is written as a block.
void write_block(std::ostream& out, std::string_view kind, const std::ostringstream& content) {
  StateWriter writer(kind, 1);
  const std::string_view bytes = content.view();
  writer.put_array(std::span<const char>(bytes.data(), bytes.size()));
  writer.write_to(out);
}

std::istringstream read_block(std::istream& in, std::string_view kind) {
  StateReader reader(in, kind, 1);
  std::string bytes(reader.remaining(), '\0');
  reader.get_array(std::span<char>(bytes));
  return std::istringstream(std::move(bytes));
}

torch::Tensor generator_state(torch::Device device) {
  return at::globalContext().defaultGenerator(device).get_state();
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::vector<torch::Tensor> parameters,
                                                        const TrainOptions& options) {
  const double rate = options.learning_rate.value();
  if (options.optimizer.kind == OptimizerKind::adam) {
    return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                                torch::optim::AdamOptions(rate));
  }
  return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                             torch::optim::SGDOptions(rate)
                                                 .momentum(options.optimizer.momentum)
                                                 .nesterov(options.optimizer.nesterov));
}

bool all_finite(const std::vector<torch::Tensor>& tensors) {
  return std::ranges::all_of(tensors, [](const torch::Tensor& tensor) {
    return !tensor.is_floating_point() || torch::isfinite(tensor).all().item<bool>();
  });
}

}  // namespace

bool TorchState::is_finite() const { return all_finite(tensors); }

void add_to_mean(TorchState& mean, double share, const TorchState& state) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < mean.tensors.size(); ++i) {
    if (mean.tensors[i].is_floating_point()) {
      mean.tensors[i].lerp_(state.tensors[i], share);
    } else {
      mean.tensors[i].copy_(state.tensors[i]);  // the number of batches
    }
  }
}

void set_zero(TorchState& state) {
  for (torch::Tensor& tensor : state.tensors) tensor.zero_();
}

void save_model_state(const TorchState& state, std::ostream& out) {
  std::ostringstream archive;
  torch::save(state.tensors, archive);
  write_block(out, kTensorsKind, archive);
}

void load_model_state(TorchState& state, std::istream& in) {
  std::istringstream archive = read_block(in, kTensorsKind);
  std::vector<torch::Tensor> loaded;
  torch::load(loaded, archive);
  const bool fits = std::ranges::equal(
      loaded, state.tensors, [](const auto& a, const auto& b) { return a.sizes() == b.sizes(); });
  if (!fits) throw DataError("it holds another network");
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    state.tensors[i] = loaded[i].to(state.tensors[i].device());
  }
}

TorchBackend::TorchBackend(TorchModel& model, const Dataset& data, const Loss& loss,
                           const TrainOptions& options, const NetworkOptions& network,
                           const TrainHooks& hooks)
    : model_(model),
      data_(data),
      loss_(loss),
      options_(options),
      hooks_(hooks),
      augment_(network.augment),
      augment_rng_(options.seed, kAugmentStream),
      scorer_(model),
      parameters_(model.parameters()),
      optimizer_(make_optimizer(parameters_, options)) {}

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
  return all_finite(model_.state());
}

void TorchBackend::losses(std::span<const Index> batch, std::span<double> losses) {
  model_.set_training(true);
  output_ = model_.forward(gather(data_, batch, augment_, &augment_rng_).to(model_.device()));
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
  optimizer_->zero_grad();
  output_.backward(derivatives);
  output_.reset();
  if (hooks_.gradient) report_gradient();
  set_rate(rate);
  if (options_.optimizer.weight_decay > 0) {
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor& tensor : parameters_) {
      tensor.mul_(1.0 - rate * options_.optimizer.weight_decay);
    }
  }
  optimizer_->step();
}

void TorchBackend::set_rate(double rate) {
  for (torch::optim::OptimizerParamGroup& group : optimizer_->param_groups()) {
    group.options().set_lr(rate);
  }
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
  std::ostringstream steps;
  torch::serialize::OutputArchive archive;
  optimizer_->save(archive);
  archive.save_to(steps);
  write_block(out, kStepsKind, steps);
  augment_rng_.save(out);
  save_model_state({{generator_state(torch::kCPU)}}, out);
  if (model_.device().is_cuda()) save_model_state({{generator_state(model_.device())}}, out);
}

void TorchBackend::load(std::istream& in) {
  TorchState state = model();
  load_model_state(state, in);
  set_model(state);
  std::istringstream steps = read_block(in, kStepsKind);
  torch::serialize::InputArchive archive;
  archive.load_from(steps);
  optimizer_->load(archive);
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
