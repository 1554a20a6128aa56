#include <adacvar/learner/network.hpp>

#include <utility>

namespace adacvar {

namespace {

std::shared_ptr<const NetworkMaker>& maker_place() {
  static std::shared_ptr<const NetworkMaker> maker;
  return maker;
}

}  // namespace

TrainOptions decided_for_network(TrainOptions options, const Loss& loss) {
  if (options.batch == 0) options.batch = 64;
  if (options.iterate == Iterate::automatic) options.iterate = Iterate::last;
  if (!options.learning_rate) {
    const bool steep =
        options.algorithm == Algorithm::trunc || options.algorithm == Algorithm::soft;
    const double rate = options.optimizer.kind == OptimizerKind::adam ? 0.001 : 0.05;
    options.learning_rate = steep ? rate * options.alpha : rate;
  }
  if (!options.sampler.eta_scale) {
    options.sampler.eta_scale = loss.fits(Task::regression) ? 3.0 : 20.0;
  }
  return options;
}

void set_network_maker(std::shared_ptr<const NetworkMaker> maker) {
  maker_place() = std::move(maker);
}

const NetworkMaker& network_maker() {
  const auto& maker = maker_place();
  if (maker == nullptr) {
    throw NetworksMissing(
        "networks are not part of this build: they need libtorch (Debian: libtorch-dev, "
        "libopenblas-openmp-dev); install it and build again with -DADACVAR_BUILD_DEEP=ON");
  }
  return *maker;
}

}  // namespace adacvar
