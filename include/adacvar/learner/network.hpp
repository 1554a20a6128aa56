#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/learner/scorer.hpp>
#include <adacvar/learner/train.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

enum class Device : std::uint8_t { cpu, cuda };

/// What becomes of a training image each time it is drawn. Its index stands for all that can
/// become of it: the sampler learns from the loss of the one that was drawn.
enum class Augment : std::uint8_t {
  none,
  crop,       ///< moved by up to 4 pixels each way; what comes in is 0, the mean
  crop_flip,  ///< and mirrored every other time
};

/// Which network is trained instead of a linear model; none unless `network` is given.
struct NetworkOptions {
  std::string network = {};
  double width = 1.0;
  std::optional<double> dropout = std::nullopt;
  Augment augment = Augment::none;
  Device device = Device::cpu;
  std::uint64_t threads = 0;

  static const std::vector<OptionSpec>& options();
};

/// A trained network; it does not change.
class Network : public Scorer {
 public:
  /// Bytes of a TorchScript archive with its weights, for `NetworkMaker::load`.
  [[nodiscard]] virtual std::string weights() const = 0;
  /// How many numbers were learned.
  [[nodiscard]] virtual std::uint64_t parameter_count() const = 0;
  /// Euclidean norm of all of them.
  [[nodiscard]] virtual double norm() const = 0;
};

using NetworkResult = TrainingResult<std::shared_ptr<const Network>>;

/// What a network takes and gives.
struct NetworkShape {
  std::size_t features = 0;
  ImageShape image = {};  ///< of images
  std::size_t outputs = 1;
};

/// Trains and loads networks; handed to what needs it. adacvar::deep has one, over libtorch.
class NetworkMaker {
 public:
  NetworkMaker() = default;
  NetworkMaker(const NetworkMaker&) = delete;
  NetworkMaker& operator=(const NetworkMaker&) = delete;
  NetworkMaker(NetworkMaker&&) = delete;
  NetworkMaker& operator=(NetworkMaker&&) = delete;
  virtual ~NetworkMaker() = default;

  /// Throws: OptionError unless `options` name a network that can be made here.
  virtual void check(const NetworkOptions& options) const = 0;

  /// As `train` does for linear models, by the same loop.
  [[nodiscard]] virtual NetworkResult train(const Dataset& training, const Dataset* validation,
                                            const Loss& loss, const TrainOptions& options,
                                            const NetworkOptions& network,
                                            const TrainHooks& hooks) const = 0;

  /// Throws: DataError when the weights are not those of such a network.
  [[nodiscard]] virtual std::shared_ptr<const Network> load(const NetworkOptions& options,
                                                            const NetworkShape& shape,
                                                            const std::string& weights) const = 0;
};

/// The maker behind the pointer. Throws: OptionError, naming what is to be installed, for null.
[[nodiscard]] const NetworkMaker& require_networks(const NetworkMaker* networks);

}  // namespace adacvar
