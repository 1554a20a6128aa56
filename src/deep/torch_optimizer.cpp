#include "deep/torch_optimizer.hpp"

#include "base/state_stream.hpp"
#include "base/vector.hpp"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <cmath>
#include <utility>

namespace adacvar {

namespace {

constexpr std::string_view kStateKind = "ACVRTOPT";
constexpr std::uint32_t kStateVersion = 2;
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

/// Factors of one step of SGD: first = momentum first + g; x = keep x - rate (own g + past first).
struct SgdFactors {
  double keep, momentum, rate, own, past;
};
/// Factors of one step of Adam; `root` corrects the root of the mean square.
struct AdamFactors {
  double keep, rate, root;
};

template <class T>
ADACVAR_WIDE void step_sgd(T* __restrict x, const T* __restrict g, T* __restrict first,
                           std::int64_t count, const SgdFactors& factors) {
  const T keep = static_cast<T>(factors.keep);
  const T momentum = static_cast<T>(factors.momentum);
  const T own = static_cast<T>(factors.rate * factors.own);
  const T past = static_cast<T>(factors.rate * factors.past);
  for (std::int64_t i = 0; i < count; ++i) {
    first[i] = momentum * first[i] + g[i];
    x[i] = keep * x[i] - (own * g[i] + past * first[i]);
  }
}

template <class T>
ADACVAR_WIDE void step_adam(T* __restrict x, const T* __restrict g, T* __restrict first,
                            T* __restrict second, std::int64_t count, const AdamFactors& factors) {
  const T keep = static_cast<T>(factors.keep);
  const T rate = static_cast<T>(factors.rate);
  const T root = static_cast<T>(factors.root);
  const T share1 = static_cast<T>(1.0 - kBeta1);
  const T share2 = static_cast<T>(1.0 - kBeta2);
  for (std::int64_t i = 0; i < count; ++i) {
    first[i] += share1 * (g[i] - first[i]);
    second[i] += share2 * (g[i] * g[i] - second[i]);
    x[i] = keep * x[i] - rate * first[i] / (root * std::sqrt(second[i]) + static_cast<T>(kEpsilon));
  }
}

// The same by operations on tensors, for other devices and layouts.
void step_sgd(torch::Tensor& x, const torch::Tensor& g, torch::Tensor& first,
              const SgdFactors& factors) {
  first.mul_(factors.momentum).add_(g);
  x.mul_(factors.keep).sub_(g, factors.rate * factors.own).sub_(first, factors.rate * factors.past);
}

void step_adam(torch::Tensor& x, const torch::Tensor& g, torch::Tensor& first,
               torch::Tensor& second, const AdamFactors& factors) {
  first.lerp_(g, 1.0 - kBeta1);
  second.lerp_(g.square(), 1.0 - kBeta2);
  x.mul_(factors.keep)
      .addcdiv_(first, second.sqrt().mul_(factors.root).add_(kEpsilon), -factors.rate);
}

bool is_plain(const torch::Tensor& x, const torch::Tensor& g) {
  return x.device().is_cpu() && x.is_contiguous() && g.is_contiguous() &&
         g.layout() == at::kStrided &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64) &&
         g.scalar_type() == x.scalar_type();
}

// Calls `call(begin, count)` for parts of the tensors' elements, in parallel.
template <class Call>
void in_parts(const torch::Tensor& x, const Call& call) {
  at::parallel_for(0, x.numel(), at::internal::GRAIN_SIZE,
                   [&](std::int64_t begin, std::int64_t end) { call(begin, end - begin); });
}

std::vector<torch::Tensor> zeros_like(const std::vector<torch::Tensor>& tensors) {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> zeros;
  for (const torch::Tensor& tensor : tensors) zeros.push_back(torch::zeros_like(tensor));
  return zeros;
}

}  // namespace

TorchOptimizer::TorchOptimizer(std::vector<torch::Tensor> parameters,
                               const OptimizerOptions& options)
    : parameters_(std::move(parameters)), options_(options), first_(zeros_like(parameters_)) {
  if (options.kind == OptimizerKind::adam) second_ = zeros_like(parameters_);
}

void TorchOptimizer::drop_gradients() {
  for (torch::Tensor& tensor : parameters_) tensor.mutable_grad().reset();
}

void TorchOptimizer::step(double rate) {
  const torch::NoGradGuard no_gradients;
  ++steps_;
  const double keep = 1.0 - rate * options_.weight_decay;
  const SgdFactors sgd{.keep = keep,
                       .momentum = options_.momentum,
                       .rate = rate,
                       .own = options_.nesterov ? 1.0 : 0.0,
                       .past = options_.nesterov ? options_.momentum : 1.0};
  const auto steps = static_cast<double>(steps_);
  const AdamFactors adam{.keep = keep,
                         .rate = rate / (1.0 - std::pow(kBeta1, steps)),
                         .root = 1.0 / std::sqrt(1.0 - std::pow(kBeta2, steps))};
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    torch::Tensor& x = parameters_[p];
    const torch::Tensor& g = x.grad();
    if (!g.defined()) continue;
    const bool is_adam = options_.kind == OptimizerKind::adam;
    if (!is_plain(x, g)) {
      is_adam ? step_adam(x, g, first_[p], second_[p], adam) : step_sgd(x, g, first_[p], sgd);
      continue;
    }
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "step", [&] {
      auto* const values = x.data_ptr<scalar_t>();
      const auto* const gradient = g.data_ptr<scalar_t>();
      auto* const first = first_[p].data_ptr<scalar_t>();
      auto* const second = is_adam ? second_[p].data_ptr<scalar_t>() : nullptr;
      in_parts(x, [&](std::int64_t i, std::int64_t count) {
        if (is_adam) {
          step_adam(values + i, gradient + i, first + i, second + i, count, adam);
        } else {
          step_sgd(values + i, gradient + i, first + i, count, sgd);
        }
      });
    });
  }
}

void TorchOptimizer::save(std::ostream& out) const {
  StateWriter writer(kStateKind, kStateVersion);
  writer.put(steps_);
  writer.write_to(out);
  save_model_state(moments(), out);
}

void TorchOptimizer::load(std::istream& in) {
  StateReader reader(in, kStateKind, kStateVersion);
  steps_ = reader.get<std::uint64_t>();
  reader.finish();
  TorchState loaded = moments();
  load_model_state(loaded, in);
  const auto middle = loaded.tensors.begin() + static_cast<std::ptrdiff_t>(first_.size());
  first_.assign(loaded.tensors.begin(), middle);
  second_.assign(middle, loaded.tensors.end());
}

TorchState TorchOptimizer::moments() const {
  TorchState all{first_};
  all.tensors.insert(all.tensors.end(), second_.begin(), second_.end());
  return all;
}

}  // namespace adacvar
