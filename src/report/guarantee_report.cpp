#include "report/guarantee_report.hpp"

#include "base/join.hpp"
#include "base/number_text.hpp"

#include <fmt/core.h>

namespace adacvar {

std::string guarantee_sentence(const Guarantee& guarantee) {
  return fmt::format(
      "New rows: with {:g} % confidence their CVaRs are at most these, all at once, for any "
      "distribution of losses in [0, {}], if all rows are independent and drawn from it.",
      100 * guarantee.confidence, number_text(guarantee.loss_max));
}

std::string other_name(const Evaluation& evaluation) {
  return evaluation.other_model.empty() ? "the other model" : evaluation.other_model;
}

std::vector<std::string> difference_sentences(const Evaluation& evaluation) {
  if (!evaluation.guarantee) return {};
  std::vector<std::string> sentences;
  std::vector<std::string> not_shown;
  for (std::size_t a = 0; a < evaluation.differences.size(); ++a) {
    const double alpha = evaluation.all.risk[a].alpha;
    const double most = evaluation.differences[a].guaranteed.value();
    const std::string tail = alpha == 1 ? "mean loss" : fmt::format("worst {:g} %", 100 * alpha);
    if (most >= 0) {
      not_shown.push_back(tail);
      continue;
    }
    sentences.push_back(fmt::format(
        "On new rows this model's {} is better than that of {} with {:g} % confidence, "
        "by {} or more.",
        tail, other_name(evaluation), 100 * evaluation.guarantee->confidence, number_text(-most)));
  }
  if (not_shown.empty()) return sentences;
  sentences.push_back(fmt::format("Not shown to be better than that of {} on new rows: {}.",
                                  other_name(evaluation), join(not_shown, ", ")));
  return sentences;
}

}  // namespace adacvar
