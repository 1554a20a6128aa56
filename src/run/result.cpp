#include <adacvar/run/result.hpp>

#include "run/trained_model.hpp"

#include <fmt/core.h>

namespace adacvar {

std::string RunResult::label() const {
  if (model.parts().stack() != nullptr) return "best";
  std::string name(kAlgorithmNames.of(model.parts().options.algorithm));
  if (!budget) return name;
  if (budget->mean_budget) return fmt::format("{} +{:g}%", name, 100 * *budget->mean_budget);
  return fmt::format("{} <={:.3g}", name, budget->limit.most);
}

bool RunResult::is_trained() const {
  const StopReason reason = model.parts().stop_reason;
  return reason != StopReason::diverged && (reason != StopReason::interrupted || epochs > 0);
}

bool RunResult::is_candidate() const {
  return model.parts().options.algorithm != Algorithm::exact && model.parts().stack() == nullptr &&
         is_trained();
}

}  // namespace adacvar
