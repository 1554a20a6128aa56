#pragma once

namespace adacvar {

/// Returns the p-quantile of the standard normal distribution, 0 < p < 1, to about 1e-15.
[[nodiscard]] double normal_quantile(double p);

}  // namespace adacvar
