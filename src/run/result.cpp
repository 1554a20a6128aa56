#include <adacvar/run/result.hpp>

#include "run/trained_model.hpp"

namespace adacvar {

bool RunResult::is_trained() const {
  const StopReason reason = model.parts().stop_reason;
  return reason != StopReason::diverged && (reason != StopReason::interrupted || epochs > 0);
}

bool RunResult::is_candidate() const {
  return model.parts().options.algorithm != Algorithm::exact && is_trained();
}

}  // namespace adacvar
