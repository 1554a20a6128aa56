#include "experiment/study_page.hpp"

#include "base/join.hpp"
#include "report/verdict.hpp"

#include "base/number_text.hpp"
#include "experiment/study_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace adacvar {

namespace {

PageTable page_table(const ResultTable& table) {
  PageTable result{table.title, table.header, {}};
  for (const auto& row : table.rows) {
    auto& cells = result.rows.emplace_back();
    for (const ResultCell& cell : row) {
      cells.push_back({cell.text, cell.value, cell.best});
    }
  }
  return result;
}

/// Returns the name for texts: `Ada-CVaR (gain)`, `Trunc-CVaR`.
std::string title_of(const Contestant& contestant) {
  for (std::size_t i = 0; i < kAlgorithmNames.names.size(); ++i) {
    if (kAlgorithmNames.names[i] == contestant.name) {
      return algorithm_title(static_cast<Algorithm>(i));
    }
  }
  return fmt::format("{} ({})", algorithm_title(Algorithm::adacvar), contestant.name);
}

/// On how many sets each contestant is among the best, and on how many the contestants do not
/// differ significantly.
struct Wins {
  std::size_t sets = 0;
  std::size_t ties = 0;
  std::vector<std::pair<std::string, std::size_t>> by_title;  ///< in decreasing order
};

Wins wins_of(const Summary& summary, Metric metric, bool regression) {
  Wins wins;
  for (const Contestant& contestant : summary.study.contestants) {
    if (is_compared(contestant)) wins.by_title.emplace_back(title_of(contestant), 0);
  }
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    if (is_regression(summary.study.sets[set]) != regression) continue;
    ++wins.sets;
    const auto scores = compared_scores(summary, set, metric);
    const auto best = best_set(scores, larger_is_better(metric));
    bool told = false;
    for (std::size_t c = 0; c < best.size(); ++c) told |= !scores[c].empty() && !best[c];
    wins.ties += told ? 0 : 1;
    for (std::size_t c = 0; told && c < best.size(); ++c)
      wins.by_title[c].second += best[c] ? 1 : 0;
  }
  std::ranges::stable_sort(wins.by_title, std::ranges::greater(),
                           &std::pair<std::string, std::size_t>::second);
  return wins;
}

/// `By test CVaR Ada-CVaR (gain) is best, or not significantly different from the best, on 3 of 6
/// regression sets, ...`
std::string wins_text(const Summary& summary, Metric metric, bool regression) {
  const Wins wins = wins_of(summary, metric, regression);
  if (wins.sets == 0) return {};
  const std::string by =
      fmt::format("By test {}", metric == Metric::accuracy ? "accuracy" : kMetricTitles.of(metric));
  const std::string sets = fmt::format("{} set{}", regression ? "regression" : "classification",
                                       wins.sets == 1 ? "" : "s");
  if (wins.ties == wins.sets) {
    return fmt::format("{} the algorithms do not differ significantly over the {} of the {}{}.", by,
                       repeats_of(summary.study),
                       wins.sets == 1 ? "" : fmt::format("{} ", wins.sets), sets);
  }
  std::vector<std::string> places;
  for (const auto& [title, count] : wins.by_title) {
    const std::string number = count == 0 ? "none" : std::to_string(count);
    places.push_back(
        places.empty()
            ? fmt::format(
                  "{} is best, or not significantly different from the best, on {} of {} {}", title,
                  number, wins.sets, sets)
            : fmt::format("{} on {}", title, number));
  }
  return fmt::format(
      "{} {}{}.", by, join(places, ", "),
      wins.ties == 0 ? ""
                     : fmt::format("; on {} the algorithms do not differ significantly over the {}",
                                   wins.ties, repeats_of(summary.study)));
}

std::string tradeoff_text(const Summary& summary) {
  const std::string own = fmt::format("alpha {:g}", summary.study.alpha);
  const Selected* all = nullptr;
  const Selected* tail = nullptr;
  for (std::size_t c = 0; c < summary.study.contestants.size(); ++c) {
    if (summary.study.contestants[c].name == "alpha 1") all = &summary.of(0, c);
    if (summary.study.contestants[c].name == own) tail = &summary.of(0, c);
  }
  if (all == nullptr || tail == nullptr || all->readings.empty() || tail->readings.empty()) {
    return {};
  }
  const auto change = [&](Metric metric) {
    return fmt::format("from {:.3f} to {:.3f}", mean_sd(all->test(metric)).mean,
                       mean_sd(tail->test(metric)).mean);
  };
  return fmt::format("{}: from alpha 1 to {:g} the CVaR goes {}, the mean {} (test rows).",
                     summary.study.sets[0], summary.study.alpha, change(Metric::cvar),
                     change(Metric::mean));
}

// With several studies the verdict is that of the first, which is named.
std::string verdict_of(const Summary& summary, bool named = false) {
  if (is_tradeoff(summary.study)) return tradeoff_text(summary);
  std::string text;
  for (const auto& [metric, regression] :
       {std::pair{Metric::cvar, true}, std::pair{Metric::accuracy, false}}) {
    const std::string wins = wins_text(summary, metric, regression);
    if (!wins.empty()) text += (text.empty() ? "" : " ") + wins;
  }
  if (named && !text.empty()) text = fmt::format("Experiment {}: {}", summary.study.name, text);
  return text;
}

std::string caption_of(const Study& study, const StudyFigure& figure) {
  if (is_tradeoff(study)) return "Means over the splits, test rows.";
  if (!figure.stem.starts_with("regression") && !figure.stem.starts_with("classification")) {
    return "Means over the seeds.";
  }
  return fmt::format(
      "0 is the least, 1 the largest mean of the algorithms on a set, test rows; less is better "
      "but "
      "for acc. Lines on the bars: s.d. over the {}.",
      repeats_of(study));
}

// With several studies the figures of single sets are omitted to keep the page small; the study's
// folder has them.
bool is_shown(const Study& study, const StudyFigure& figure, bool several) {
  return !several || is_tradeoff(study) || figure.stem.ends_with("-scores") ||
         figure.stem == "accuracy-beta";
}

PageSection study_section(const StudyResult& result, bool several) {
  const Study& study = result.summary.study;
  PageSection section{fmt::format("{}, alpha {:g}", study.name, study.alpha), {}};
  for (const StudyFigure& figure : study_figures(result.summary)) {
    if (!is_shown(study, figure, several)) continue;
    section.items.emplace_back(PageFigure{
        study.name + "-" + figure.stem, caption_of(study, figure), {{"linear", figure.chart}}});
  }
  for (const ResultTable& table : result.tables) {
    section.items.emplace_back(page_table(table));
    for (const std::string& note : table.notes) section.items.emplace_back(PageText{note});
  }
  return section;
}

// Lists the data of every set once, even if several studies use it.
std::vector<std::pair<std::string, std::string>> facts_of(const std::vector<StudyResult>& studies) {
  std::vector<std::pair<std::string, std::string>> facts;
  std::set<std::string> seen;
  for (const StudyResult& study : studies) {
    for (std::size_t set = 0; set < study.data.size(); ++set) {
      const Study& made = study.summary.study;
      const std::string& name = made.vision ? made.vision->data : made.sets.at(set);
      if (!seen.insert(name).second) continue;
      facts.emplace_back("data fingerprint of " + name, fingerprint_text(study.data[set]));
    }
  }
  facts.emplace_back(
      fmt::format("seeds of the {}", studies.at(0).summary.study.vision ? "networks" : "splits"),
      fmt::format("0 to {}", studies.at(0).summary.study.seeds - 1));
  return facts;
}

}  // namespace

Page study_page(const std::vector<StudyResult>& studies, const PageOrigin& origin) {
  const Study& first = studies.at(0).summary.study;
  Page page{.title = "Reproduction of the paper's experiments",
            .subtitle = fmt::format("{} {} each; published and reproduced results", first.seeds,
                                    repeats_of(first)),
            .verdict = verdict_of(studies[0].summary, studies.size() > 1),
            .notes = {},
            .sections = {}};
  for (const StudyResult& study : studies) {
    page.sections.push_back(study_section(study, studies.size() > 1));
    const std::string wins = verdict_of(study.summary);
    auto& items = page.sections.back().items;
    if (studies.size() > 1 && !wins.empty()) items.insert(items.begin(), PageText{wins});
  }
  page.sections.push_back(origin_section(origin, facts_of(studies)));
  return page;
}

}  // namespace adacvar
