#include <adacvar/learner/network.hpp>

#include <adacvar/base/error.hpp>

namespace adacvar {

const std::vector<OptionSpec>& NetworkOptions::options() {
  using O = NetworkOptions;
  static const std::vector<OptionSpec> all{
      {"network", &O::network,
       "trains a network: mlp:64,64, lenet5, lenet5-paper, resnet18, vgg16-bn or a TorchScript "
       "file (.pt)",
       without("trees")},
      {"width", &O::width, Bounds{.low = 0, .high = 1, .low_ok = false},
       "share of the network's hidden units and channels that is kept", with("network")},
      {"dropout", &O::dropout, Bounds{.low = 0, .high = 1, .high_ok = false},
       "share of hidden units dropped at random in training; automatic: 0, for vgg16-bn 0.5",
       with("network")},
      {"augment", &O::augment, Names{"none", "crop", "crop-flip"},
       "random changes of training images: shifts by up to 4 pixels, mirroring", with("network")},
      {"device", &O::device, Names{"cpu", "cuda"}, "where the network is computed",
       with("network")},
      {"network-threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "threads of the network; 0: one per core; one gives the same bits on every run",
       with("network")},
  };
  return all;
}

const NetworkMaker& require_networks(const NetworkMaker* networks) {
  if (networks != nullptr) return *networks;
  throw OptionError(
      "networks are not part of this build: they need libtorch (Debian: libtorch-dev, "
      "libopenblas-openmp-dev); install it and build again with -DADACVAR_BUILD_DEEP=ON");
}

}  // namespace adacvar
