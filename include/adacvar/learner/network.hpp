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

/// Random augmentation of a training image each time it is drawn. All augmented versions share the
/// index of the image: the sampler learns from the loss of the version drawn.
enum class Augment : std::uint8_t {
  none,
  crop,       ///< shifted by up to 4 pixels each way, padded with 0, the mean
  crop_flip,  ///< also mirrored with probability 1/2
};

/// Network to train instead of a linear model; none unless `network` is given.
struct NetworkOptions {
  std::string network = {};
  double width = 1.0;
  std::optional<double> dropout = std::nullopt;
  Augment augment = Augment::none;
  Device device = Device::cpu;
  std::uint64_t threads = 0;

  static const std::vector<OptionSpec>& options();
};

/// A trained, immutable network.
class Network : public Scorer {
 public:
  /// Returns the bytes of a TorchScript archive with its weights, for `NetworkMaker::load`.
  [[nodiscard]] virtual std::string weights() const = 0;
  /// Number of parameters.
  [[nodiscard]] virtual std::uint64_t parameter_count() const = 0;
  /// Euclidean norm of the parameters.
  [[nodiscard]] virtual double norm() const = 0;
  /// Returns a network whose weights are (1 - share) times these plus share times the other's.
  /// Throws: OptionError unless both have the same layers.
  [[nodiscard]] virtual std::shared_ptr<const Network> interpolated(const Network& other,
                                                                    double share) const = 0;
};

using NetworkResult = TrainingResult<std::shared_ptr<const Network>>;

/// Input and output of a network.
struct NetworkShape {
  std::size_t features = 0;
  ImageShape image = {};  ///< shape of image inputs
  std::size_t outputs = 1;
};

/// Trains and loads networks; passed to the functions that need it. adacvar::deep implements it
/// with libtorch.
class NetworkMaker {
 public:
  NetworkMaker() = default;
  NetworkMaker(const NetworkMaker&) = delete;
  NetworkMaker& operator=(const NetworkMaker&) = delete;
  NetworkMaker(NetworkMaker&&) = delete;
  NetworkMaker& operator=(NetworkMaker&&) = delete;
  virtual ~NetworkMaker() = default;

  /// Throws: OptionError unless `options` describe a supported network.
  virtual void check(const NetworkOptions& options) const = 0;

  /// Trains a network by the same loop as `train` for linear models, from the weights of `start`
  /// if it is given. Throws: OptionError unless that has the same layers.
  [[nodiscard]] virtual NetworkResult train(const Dataset& training, const Dataset* validation,
                                            const Loss& loss, const TrainOptions& options,
                                            const NetworkOptions& network, const TrainHooks& hooks,
                                            const Network* start = nullptr) const = 0;

  /// Throws: DataError when the weights do not belong to such a network.
  [[nodiscard]] virtual std::shared_ptr<const Network> load(const NetworkOptions& options,
                                                            const NetworkShape& shape,
                                                            const std::string& weights) const = 0;
};

/// Returns the maker. Throws: OptionError, which says what to install, for null.
[[nodiscard]] const NetworkMaker& require_networks(const NetworkMaker* networks);

}  // namespace adacvar
