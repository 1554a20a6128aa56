#include "base/join.hpp"
#include "report/chart_json.hpp"
#include "report/markup_text.hpp"
#include "report/page_assets.hpp"
#include "report/text_table.hpp"

#include <adacvar/version.hpp>
#include "report/page.hpp"
#include "report/svg_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace adacvar {

namespace {

// Content security policy: the browser blocks all requests to other files.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

constexpr std::size_t kManyColumns = 7;  // tables with more are printed smaller
constexpr std::size_t kLongName = 20;

const std::string& title_of(const Chart& chart) {
  return std::visit([](const auto& one) -> const std::string& { return one.title; }, chart);
}

/// Writes the page and collects the charts for its script.
class PageWriter {
 public:
  std::string write(const Page& page) {
    body_ += fmt::format("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", markup_text(page.title),
                         markup_text(page.subtitle));
    if (!page.verdict.empty()) {
      body_ += fmt::format("<p class=\"verdict\">{}</p>\n", markup_text(page.verdict));
    }
    add_notes(page.notes);
    add_contents(page.sections);
    for (std::size_t i = 0; i < page.sections.size(); ++i) add_section(page.sections[i], i + 1);
    return document(page.title);
  }

 private:
  void add_notes(const std::vector<std::string>& notes) {
    if (notes.empty()) return;
    body_ += "<ul class=\"notes\">\n";
    for (const std::string& note : notes) {
      body_ += fmt::format("<li>{}</li>\n", markup_text(note));
    }
    body_ += "</ul>\n";
  }

  void add_contents(const std::vector<PageSection>& sections) {
    body_ += "<nav aria-label=\"Sections\">\n";
    for (std::size_t i = 0; i < sections.size(); ++i) {
      body_ +=
          fmt::format("<a href=\"#section-{}\">{}</a>\n", i + 1, markup_text(sections[i].title));
    }
    body_ += "</nav>\n";
  }

  // Consecutive figures are placed side by side if there is room.
  void add_section(const PageSection& section, std::size_t number) {
    body_ +=
        fmt::format("<section aria-labelledby=\"section-{0}\">\n<h2 id=\"section-{0}\">{1}</h2>\n",
                    number, markup_text(section.title));
    bool side_by_side = false;
    for (std::size_t i = 0; i < section.items.size(); ++i) {
      const auto is_figure = [&](std::size_t j) {
        return j < section.items.size() && std::holds_alternative<PageFigure>(section.items[j]);
      };
      if (!side_by_side && is_figure(i) && is_figure(i + 1)) {
        body_ += "<div class=\"figures\">\n";
        side_by_side = true;
      }
      std::visit([this](const auto& item) { add(item); }, section.items[i]);
      if (side_by_side && !is_figure(i + 1)) {
        body_ += "</div>\n";
        side_by_side = false;
      }
    }
    body_ += "</section>\n";
  }

  void add(const PageText& text) { body_ += fmt::format("<p>{}</p>\n", markup_text(text.text)); }

  void add(const PageCommand& command) {
    const std::string id = fmt::format("command-{}", ++count_);
    body_ += fmt::format("<pre id=\"{0}\">{1}</pre>\n{2}", id, markup_text(command.text),
                         copy_button(id, "Copy"));
  }

  void add(const PageFigure& figure) {
    std::vector<std::string> views;
    for (const FigureView& view : figure.views) views.push_back(chart_json(view.chart));
    const std::string words = markup_text(text_alternative(figure.views.at(0).chart));
    body_ += fmt::format(
        "<figure id=\"{0}\" data-figure=\"{1}\">\n<div class=\"bar\"><h3>{2}</h3>{3}</div>\n"
        "<div class=\"plot\" role=\"img\" aria-label=\"{4}\" tabindex=\"0\"></div>\n"
        "<div class=\"drawing\">{5}</div>\n",
        markup_text(figure.id), figures_.size(), markup_text(title_of(figure.views[0].chart)),
        switches(figure), words, drawing(figure.views[0].chart));
    if (!figure.caption.empty()) {
      body_ += fmt::format("<figcaption>{}</figcaption>\n", markup_text(figure.caption));
    }
    body_ +=
        fmt::format("<details><summary>In words</summary><p>{}</p></details>\n</figure>\n", words);
    figures_.push_back(fmt::format("[{}]", join(views, ",")));
  }

  // The page shows the title above the figure.
  static std::string drawing(Chart chart) {
    std::visit([](auto& one) { one.title.clear(); }, chart);
    return svg(chart);
  }

  static std::string switches(const PageFigure& figure) {
    if (figure.views.size() < 2) return {};
    std::string text = R"(<fieldset aria-label="Views">)";
    for (std::size_t v = 0; v < figure.views.size(); ++v) {
      text += fmt::format(R"(<label><input type="radio" name="view-{}" value="{}"{}>{}</label>)",
                          markup_text(figure.id), v, v == 0 ? " checked" : "",
                          markup_text(figure.views[v].name));
    }
    return text + "</fieldset>";
  }

  static std::string copy_button(const std::string& id, std::string_view words) {
    return fmt::format("<button type=\"button\" class=\"tool\" data-copies=\"{}\">{}</button>\n",
                       id, words);
  }

  void add(const PageTable& table) {
    const std::string id = fmt::format("table-{}", ++count_);
    body_ += fmt::format(
        "<div class=\"tablebar\"><p id=\"{0}-name\">{1}</p>{2}</div>\n"
        "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{0}-name\">"
        "<table id=\"{0}\" aria-labelledby=\"{0}-name\"{3}>\n<thead><tr>",
        id, markup_text(table.caption), copy_button(id, "Copy as CSV"),
        table.columns.size() > kManyColumns ? " class=\"wide\"" : "");
    std::vector<bool> numbers;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      numbers.push_back(is_of_numbers(table, c));
      body_ += header_html(table.columns[c], numbers.back());
    }
    body_ += "</tr></thead>\n<tbody>\n";
    for (const std::vector<PageCell>& row : table.rows) {
      body_ += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) {
        body_ += cell_html(row[c], c < numbers.size() && numbers[c]);
      }
      body_ += "</tr>\n";
    }
    body_ += "</tbody></table></div>\n";
  }

  static bool is_of_numbers(const PageTable& table, std::size_t column) {
    return std::ranges::any_of(table.rows, [&](const std::vector<PageCell>& row) {
      return column < row.size() && row[column].value.has_value();
    });
  }

  // CSS cuts a long name; the tooltip shows all of it.
  static std::string header_html(const std::string& name, bool numbers) {
    const std::string text = markup_text(name);
    return fmt::format(R"(<th scope="col"{}><button type="button"{}><span>{}</span></button></th>)",
                       numbers ? R"( class="number")" : "",
                       text_width(name) > kLongName ? fmt::format(" title=\"{}\"", text) : "",
                       text);
  }

  // Empty cells of a numeric column are aligned like its numbers.
  static std::string cell_html(const PageCell& cell, bool is_numeric) {
    std::string classes = is_numeric ? "number" : "";
    if (cell.marked) classes += classes.empty() ? "marked" : " marked";
    return fmt::format("<td{}{}>{}</td>",
                       classes.empty() ? "" : fmt::format(" class=\"{}\"", classes),
                       cell.value ? fmt::format(" data-value=\"{:.10g}\"", *cell.value) : "",
                       markup_text(cell.text));
  }

  [[nodiscard]] std::string document(const std::string& title) const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"generator\" content=\"adacvar {}\">\n<title>{}</title>\n"
        "<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n"
        "<main>\n{}<footer>Generated by adacvar {}. Charts are drawn by Chart.js (MIT License, in "
        "this "
        "file); nothing is loaded from the network.</footer>\n</main>\n"
        "<div id=\"said\" role=\"status\" class=\"skip\"></div>\n"
        "<script type=\"application/json\" id=\"figures\">[{}]</script>\n"
        "<script>\n/*!\n{}*/\n{}\n</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        kPolicy, ADACVAR_VERSION, markup_text(title), kPageStyle, body_, ADACVAR_VERSION,
        join(figures_, ","), kChartLicence, kChartScript, kPageScript);
  }

  std::string body_;
  std::vector<std::string> figures_;  // the views of each, as a JSON list
  std::size_t count_ = 0;
};

}  // namespace

std::string html(const Page& page) { return PageWriter().write(page); }

}  // namespace adacvar
