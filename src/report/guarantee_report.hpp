#pragma once

#include <adacvar/run/evaluate.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// Returns a sentence that says what the bounds of a guarantee mean.
[[nodiscard]] std::string guarantee_sentence(const Guarantee& guarantee);

/// Returns the name of the other model.
[[nodiscard]] std::string other_name(const Evaluation& evaluation);

/// Says at which alphas the model is shown to be better than the other one on new rows, and at
/// which not. Empty without a guarantee.
[[nodiscard]] std::vector<std::string> difference_sentences(const Evaluation& evaluation);

}  // namespace adacvar
