#include <adacvar/deep/train_module.hpp>

#include <adacvar/base/error.hpp>
#include <adacvar/deep/networks.hpp>

#include "deep/torch_backend.hpp"
#include "deep/torch_model.hpp"
#include "learner/resolve_defaults.hpp"
#include "learner/training_loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace adacvar {

namespace {

class TorchNetwork final : public Network {
 public:
  explicit TorchNetwork(TorchModel model) : model_(std::move(model)) {}

  [[nodiscard]] std::size_t outputs() const noexcept override { return model_.outputs(); }

  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override {
    if (scores.size() != rows.size() * outputs()) {
      throw OptionError(fmt::format("scores has {} elements, {} are needed", scores.size(),
                                    rows.size() * outputs()));
    }
    evaluation_scores(model_, data, rows, scores);
  }

  [[nodiscard]] std::string weights() const override {
    std::ostringstream out;
    model_.save(out);
    return std::move(out).str();
  }

  [[nodiscard]] std::uint64_t parameter_count() const override {
    std::uint64_t count = 0;
    for (const torch::Tensor& tensor : model_.parameters()) {
      count += static_cast<std::uint64_t>(tensor.numel());
    }
    return count;
  }

  [[nodiscard]] std::shared_ptr<const Network> interpolated(const Network& other,
                                                            double share) const override {
    const auto* tail = dynamic_cast<const TorchNetwork*>(&other);
    if (tail == nullptr) throw OptionError("both networks must be of libtorch");
    auto result = std::make_shared<TorchNetwork>(model_.clone());
    move_weights(result->model_, share, tail->model_);
    return result;
  }

  /// Throws: OptionError unless the model has the same layers.
  void copy_weights_to(TorchModel& model) const { move_weights(model, 1, model_); }

  [[nodiscard]] double norm() const override {
    const torch::NoGradGuard no_gradients;
    double squares = 0;
    for (const torch::Tensor& tensor : model_.parameters()) {
      squares += tensor.to(torch::kDouble).square().sum().item<double>();
    }
    return std::sqrt(squares);
  }

 private:
  // The state of a model is its tensors themselves, not a copy.
  static void move_weights(TorchModel& from, double share, const TorchModel& to) {
    TorchState state{from.state()};
    const TorchState end{to.state()};
    if (!std::ranges::equal(state.tensors, end.tensors,
                            [](const auto& a, const auto& b) { return a.sizes() == b.sizes(); })) {
      throw OptionError("the networks have different layers");
    }
    add_to_mean(state, share, end);
  }

  mutable TorchModel model_;  // forward passes do not change its scores
};

void copy_weights(const Network& from, TorchModel& to) {
  const auto* network = dynamic_cast<const TorchNetwork*>(&from);
  if (network == nullptr) throw OptionError("the network to start from is not of libtorch");
  network->copy_weights_to(to);
}

bool is_script(const NetworkOptions& options) { return options.network.ends_with(".pt"); }

torch::Device device_of(const NetworkOptions& options) {
  if (options.device == Device::cpu) return torch::kCPU;
  if (!torch::cuda::is_available()) {
    throw OptionError("device = cuda: libtorch finds no CUDA device");
  }
  return torch::kCUDA;
}

torch::jit::Module read_script(std::istream& in, const std::string& name) {
  try {
    return torch::jit::load(in);
  } catch (const std::exception& error) {
    throw DataError("is not a TorchScript file: " + first_line(error), name);
  }
}

TorchModel make_model(const NetworkOptions& options, const NetworkShape& shape) {
  if (!is_script(options)) {
    return {make_network(options, shape), shape.outputs, device_of(options)};
  }
  std::ifstream file(options.network, std::ios::binary);
  if (!file) throw DataError("cannot be read", options.network);
  return {read_script(file, options.network), shape.outputs, device_of(options)};
}

// Finds errors of the module before training starts.
void check_forward(TorchModel& model, const Dataset& data) {
  const std::vector<Index> rows(std::min<std::size_t>(2, data.rows), 0);
  std::vector<double> scores(rows.size() * model.outputs());
  evaluation_scores(model, data, rows, scores);
  if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) {
    throw OptionError("the untrained network returns a score that is not finite");
  }
}

// Translates libtorch's errors: running out of memory becomes std::bad_alloc, others lose their
// stack trace.
template <class Call>
auto translate_errors(const Call& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    const std::string text = first_line(error);
    if (text.find("allocate") != std::string::npos) throw std::bad_alloc();
    throw std::runtime_error(text);
  }
}

NetworkResult train_model(TorchModel model, const Dataset& training, const Dataset* validation,
                          const Loss& loss, const TrainOptions& options,
                          const NetworkOptions& network, const TrainHooks& hooks,
                          const Network* start) {
  check_training(training, validation, loss, options);
  if (network.augment != Augment::none && training.image.size() == 0) {
    throw OptionError("augment needs images; the data has none");
  }
  const TrainOptions resolved = resolve_network_defaults(options, training, validation, loss);
  check_forward(model, training);
  if (start != nullptr) copy_weights(*start, model);
  TorchBackend backend(model, training, loss, resolved, network, hooks);
  LocalRows rows(training, validation, loss);
  auto trained = TrainingLoop(rows, loss, resolved, hooks, backend).run();
  backend.set_model(trained.model);
  return {.model = std::make_shared<TorchNetwork>(std::move(model)),
          .stop_reason = trained.stop_reason,
          .epochs = trained.epochs,
          .gamma = trained.gamma,
          .history = std::move(trained.history),
          .checkpoint_error = std::move(trained.checkpoint_error)};
}

NetworkShape shape_of(const Dataset& data, const Loss& loss) {
  return {.features = data.features,
          .image = data.image,
          .outputs = loss.outputs(data.class_names.size())};
}

class TorchMaker final : public NetworkMaker {
 public:
  void check(const NetworkOptions& options) const override {
    check_options(options);
    (void)device_of(options);
    if (!is_script(options)) {
      check_network_name(options);
      return;
    }
    if (options.width != 1 || options.dropout) {
      throw OptionError("width and dropout are not supported with a TorchScript file");
    }
    if (!std::filesystem::is_regular_file(options.network)) {
      throw DataError("this TorchScript file does not exist", options.network);
    }
  }

  [[nodiscard]] NetworkResult train(const Dataset& training, const Dataset* validation,
                                    const Loss& loss, const TrainOptions& options,
                                    const NetworkOptions& network, const TrainHooks& hooks,
                                    const Network* start) const override {
    check(network);
    use_threads(network);
    return translate_errors([&] {
      return train_model(initial_model(options.seed, network, shape_of(training, loss)), training,
                         validation, loss, options, network, hooks, start);
    });
  }

  [[nodiscard]] std::shared_ptr<const Network> load(const NetworkOptions& options,
                                                    const NetworkShape& shape,
                                                    const std::string& weights) const override {
    use_threads(options);
    std::istringstream in(weights);
    if (is_script(options)) {
      return std::make_shared<TorchNetwork>(
          TorchModel(read_script(in, {}), shape.outputs, device_of(options)));
    }
    TorchModel model = model_to_fill(options, shape);
    model.load(in);
    return std::make_shared<TorchNetwork>(std::move(model));
  }

 private:
  // libtorch has one generator for all threads: it belongs to the one that has seeded it until the
  // initial weights are drawn.
  static std::mutex& generator_mutex() {
    static std::mutex mutex;
    return mutex;
  }

  [[nodiscard]] static TorchModel initial_model(std::uint64_t seed, const NetworkOptions& network,
                                                const NetworkShape& shape) {
    const std::scoped_lock lock(generator_mutex());
    torch::manual_seed(seed);
    return make_model(network, shape);
  }

  // Its weights are drawn too, and then replaced.
  [[nodiscard]] static TorchModel model_to_fill(const NetworkOptions& options,
                                                const NetworkShape& shape) {
    const std::scoped_lock lock(generator_mutex());
    return {make_network(options, shape), shape.outputs, device_of(options)};
  }

  static void use_threads(const NetworkOptions& options) {
    // libtorch's default is one per two hyper-threads.
    const auto threads =
        options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
    torch::set_num_threads(std::max(1, static_cast<int>(threads)));
  }
};

}  // namespace

NetworkResult train_module(torch::nn::AnyModule module, const Dataset& training,
                           const Dataset* validation, const Loss& loss, const TrainOptions& options,
                           const NetworkOptions& network, const TrainHooks& hooks) {
  torch::manual_seed(options.seed);
  TorchModel model(std::move(module), shape_of(training, loss).outputs, device_of(network));
  return train_model(std::move(model), training, validation, loss, options, network, hooks,
                     nullptr);
}

std::shared_ptr<const NetworkMaker> torch_network_maker() { return std::make_shared<TorchMaker>(); }

}  // namespace adacvar
