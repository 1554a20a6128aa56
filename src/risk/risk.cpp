#include <adacvar/risk/risk.hpp>

#include <adacvar/base/options.hpp>

namespace adacvar {

void check_risk(const Risk& risk) {
  check_range("alpha", risk.alpha, {.low = 0, .high = 1, .low_ok = false});
  check_range("gamma", risk.gamma, {.low = 0, .high = 1});
}

}  // namespace adacvar
