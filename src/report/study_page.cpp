#include <adacvar/report/study_page.hpp>

#include <adacvar/report/study_report.hpp>

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

namespace adacvar {

namespace {

/// What a cell like `0.312±0.088` is sorted by: the number it begins with.
std::optional<double> leading_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || std::isalpha(static_cast<unsigned char>(*end)) != 0) {
    return std::nullopt;
  }
  return value;
}

PageTable page_table(const ResultTable& table) {
  PageTable result{table.title, table.header, {}};
  for (const auto& row : table.rows) {
    auto& cells = result.rows.emplace_back();
    for (const ResultCell& cell : row) {
      cells.push_back({cell.text, leading_number(cell.text), cell.best});
    }
  }
  return result;
}

/// `best by acc.: gain 3, centred 5, ...` of so many sets.
std::string wins_text(const Summary& summary, Metric metric, bool regression) {
  std::vector<std::size_t> wins(summary.study.contestants.size());
  std::size_t sets = 0;
  for (std::size_t set = 0; set < summary.study.sets.size(); ++set) {
    if (is_regression(summary.study.sets[set]) != regression) continue;
    ++sets;
    const auto best = best_set(compared_scores(summary, set, metric), larger_is_better(metric));
    for (std::size_t c = 0; c < best.size(); ++c) wins[c] += best[c] ? 1 : 0;
  }
  if (sets == 0) return {};
  std::string text =
      fmt::format("Among the best by test {} on {} {} set{}:", kMetricTitles.of(metric), sets,
                  regression ? "regression" : "classification", sets == 1 ? "" : "s");
  std::string_view between = " ";
  for (std::size_t c = 0; c < wins.size(); ++c) {
    if (!is_compared(summary.study.contestants[c])) continue;
    text += fmt::format("{}{} {}", between, summary.study.contestants[c].name, wins[c]);
    between = ", ";
  }
  return text + ".";
}

std::string knob_text(const Summary& summary) {
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

std::string verdict_of(const Summary& summary) {
  if (is_tradeoff(summary.study)) return knob_text(summary);
  std::string text;
  for (const auto& [metric, regression] :
       {std::pair{Metric::cvar, true}, std::pair{Metric::accuracy, false}}) {
    const std::string wins = wins_text(summary, metric, regression);
    if (!wins.empty()) text += (text.empty() ? "" : " ") + wins;
  }
  return text;
}

std::string caption_of(const Study& study) {
  if (is_tradeoff(study)) return "Means over the splits, test rows.";
  return "0 is the least, 1 the largest mean of the algorithms on a set, test rows; less is better "
         "but "
         "for acc. Bars of error: s.d. over the splits.";
}

// Of several studies the figures set by set are left to their folders: pages stay small.
bool is_shown(const Study& study, const StudyFigure& figure, bool several) {
  return !several || is_tradeoff(study) || figure.stem.ends_with("-scores");
}

PageSection study_section(const StudyResult& result, bool several) {
  const Study& study = result.summary.study;
  PageSection section{fmt::format("{}, alpha {:g}", study.name, study.alpha), {}};
  for (const StudyFigure& figure : study_figures(result.summary)) {
    if (!is_shown(study, figure, several)) continue;
    section.items.emplace_back(
        PageFigure{study.name + "-" + figure.stem, caption_of(study), {{"linear", figure.chart}}});
  }
  for (const ResultTable& table : result.tables) {
    section.items.emplace_back(page_table(table));
    for (const std::string& note : table.notes) section.items.emplace_back(PageText{note});
  }
  return section;
}

}  // namespace

Page study_page(const std::vector<StudyResult>& studies, const PageOrigin& origin) {
  const Study& first = studies.at(0).summary.study;
  Page page{.title = "The paper's experiments, run again",
            .subtitle = fmt::format("{} splits each; the paper beside ours", first.seeds),
            .verdict = verdict_of(studies[0].summary),
            .notes = {},
            .sections = {}};
  for (const StudyResult& study : studies) {
    page.sections.push_back(study_section(study, studies.size() > 1));
    const std::string wins = verdict_of(study.summary);
    auto& items = page.sections.back().items;
    if (studies.size() > 1 && !wins.empty()) items.insert(items.begin(), PageText{wins});
  }
  page.sections.push_back(
      origin_section(origin, {{"seeds of the splits", fmt::format("0 to {}", first.seeds - 1)}}));
  return page;
}

}  // namespace adacvar
