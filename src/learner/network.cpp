#include <adacvar/learner/network.hpp>

#include <adacvar/base/error.hpp>

namespace adacvar {

const NetworkMaker& require_networks(const NetworkMaker* networks) {
  if (networks != nullptr) return *networks;
  throw OptionError(
      "networks are not part of this build: they need libtorch (Debian: libtorch-dev, "
      "libopenblas-openmp-dev); install it and build again with -DADACVAR_BUILD_DEEP=ON");
}

}  // namespace adacvar
