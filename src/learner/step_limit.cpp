#include "learner/step_limit.hpp"

#include "base/state_stream.hpp"

#include <cmath>

namespace adacvar {

namespace {

constexpr std::string_view kStateKind = "ACVRSTEP";

}  // namespace

void StepLimit::save(std::ostream& out) const {
  StateWriter writer(kStateKind, 1);
  writer.put(batches_);
  writer.put(mean_);
  writer.put(mean_square_);
  writer.write_to(out);
}

void StepLimit::load(std::istream& in) {
  StateReader reader(in, kStateKind, 1);
  batches_ = reader.get<double>();
  mean_ = reader.get<double>();
  mean_square_ = reader.get<double>();
  reader.require(
      batches_ >= 0 && mean_ >= 0 && std::isfinite(mean_square_ + mean_) && mean_square_ >= 0,
      "its step limit is out of range");
  reader.finish();
}

}  // namespace adacvar
