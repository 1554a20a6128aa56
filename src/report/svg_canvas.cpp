#include "report/svg_canvas.hpp"

#include "report/markup_text.hpp"
#include "report/text_table.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>

namespace adacvar {

namespace {

constexpr std::size_t kColours = 7;
constexpr std::size_t kDashes = 5;

// Okabe and Ito's colours without yellow and black, which have too little contrast on light and
// dark backgrounds. All rules are below one class, because the element may be part of a page.
constexpr std::string_view kStyle = R"(<style>
.adacvar-chart{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.adacvar-chart .paper{fill:#fff}.adacvar-chart text{fill:#1c1e21}
.adacvar-chart .title{font-size:16px;font-weight:600}.adacvar-chart .small{font-size:12px}
.adacvar-chart .name{font-size:13px;font-weight:600}
.adacvar-chart .grid{stroke:#dde1e6}.adacvar-chart .axis{stroke:#6b7280}
.adacvar-chart .ink{stroke:#1c1e21;fill:none}.adacvar-chart .star{fill:#1c1e21}
.adacvar-chart .line{fill:none;stroke-width:2;stroke-linejoin:round}
.adacvar-chart .area{fill-opacity:.55}.adacvar-chart .dot{fill-opacity:.5}.adacvar-chart .mark{stroke-width:1.5}
.adacvar-chart .d1{stroke-dasharray:7 3}.adacvar-chart .d2{stroke-dasharray:2 3}
.adacvar-chart .d3{stroke-dasharray:10 3 2 3}.adacvar-chart .d4{stroke-dasharray:4 2}
.adacvar-chart .f0{fill:#0072b2}.adacvar-chart .s0{stroke:#0072b2}
.adacvar-chart .f1{fill:#d55e00}.adacvar-chart .s1{stroke:#d55e00}
.adacvar-chart .f2{fill:#009e73}.adacvar-chart .s2{stroke:#009e73}
.adacvar-chart .f3{fill:#e69f00}.adacvar-chart .s3{stroke:#e69f00}
.adacvar-chart .f4{fill:#cc79a7}.adacvar-chart .s4{stroke:#cc79a7}
.adacvar-chart .f5{fill:#56b4e9}.adacvar-chart .s5{stroke:#56b4e9}
.adacvar-chart .f6{fill:#7a7f87}.adacvar-chart .s6{stroke:#7a7f87}
@media screen and (prefers-color-scheme:dark){
.adacvar-chart .paper{fill:#15181c}.adacvar-chart text{fill:#e6e8eb}
.adacvar-chart .grid{stroke:#30353c}.adacvar-chart .axis{stroke:#8b929c}
.adacvar-chart .ink{stroke:#e6e8eb}.adacvar-chart .star{fill:#e6e8eb}
.adacvar-chart .f0{fill:#56b4e9}.adacvar-chart .s0{stroke:#56b4e9}
.adacvar-chart .f5{fill:#3a8fd6}.adacvar-chart .s5{stroke:#3a8fd6}
.adacvar-chart .f6{fill:#a3a8b0}.adacvar-chart .s6{stroke:#a3a8b0}}
</style>)";

std::string_view anchor_name(Anchor anchor) {
  constexpr std::array<std::string_view, 3> kNames = {"start", "middle", "end"};
  return kNames[static_cast<std::size_t>(anchor)];
}

std::string polygon(std::initializer_list<Point> corners) {
  std::string data;
  for (const Point& corner : corners) data += path_step(data.empty() ? 'M' : 'L', corner);
  return data + "Z";
}

std::string tooltip_element(const std::string& text) {
  return text.empty() ? "" : "<title>" + markup_text(text) + "</title>";
}

std::string shape_path(Point c, std::size_t n) {
  const double r = 6;
  switch (n % 5) {
    case 0:
      return fmt::format("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", px(c.x - r), px(c.y),
                         fmt::arg("r", r), fmt::arg("d", 2 * r));
    case 1:
      return polygon(
          {{c.x - r, c.y - r}, {c.x + r, c.y - r}, {c.x + r, c.y + r}, {c.x - r, c.y + r}});
    case 2:
      return polygon({{c.x, c.y - r - 1}, {c.x + r + 1, c.y + r}, {c.x - r - 1, c.y + r}});
    case 3:
      return polygon(
          {{c.x, c.y - r - 2}, {c.x + r + 2, c.y}, {c.x, c.y + r + 2}, {c.x - r - 2, c.y}});
    default:
      return polygon({{c.x - r - 1, c.y - r}, {c.x + r + 1, c.y - r}, {c.x, c.y + r + 1}});
  }
}

}  // namespace

double label_width(const std::string& text) { return 6.7 * static_cast<double>(text_width(text)); }

std::string px(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string path_step(char command, Point to) {
  return fmt::format("{}{} {}", command, px(to.x), px(to.y));
}

std::string fill_class(std::size_t n) { return fmt::format("f{}", n % kColours); }

std::string stroke_class(std::size_t n) {
  return fmt::format("s{} d{}", n % kColours, n % kDashes);
}

void SvgCanvas::title(const std::string& words) {
  top_ = 12;
  if (words.empty()) return;
  text({16, 28}, words, Anchor::start, "title");
  top_ = 40;
}

void SvgCanvas::legend(const std::vector<std::string>& names, Swatch swatch,
                       const std::string& meaning) {
  constexpr double kSign = 26;
  double x = 16;
  const auto place = [&](const std::string& name) {
    const double width = kSign + label_width(name) + 20;
    if (x > 16 && x + width > width_) {
      x = 16;
      top_ += 20;
    }
    const Point at{x, top_ + 10};
    text({x + kSign, at.y + 4}, name);
    x += width;
    return at;
  };
  for (std::size_t n = 0; n < names.size(); ++n) {
    const Point at = place(shorten(names[n], 40));
    if (swatch == Swatch::bar) rectangle({at.x, at.y - 6, 18, 12}, fill_class(n));
    if (swatch == Swatch::line) line(at, {at.x + 20, at.y}, "line " + stroke_class(n));
    if (swatch == Swatch::shape) shape({at.x + 10, at.y}, n);
  }
  if (!meaning.empty()) {
    const Point at = place(meaning);
    star({at.x + 10, at.y});
  }
  top_ += 26;
}

void SvgCanvas::text(Point at, const std::string& words, Anchor anchor, std::string_view classes,
                     double angle) {
  const std::string turn =
      angle == 0 ? "" : fmt::format(" transform=\"rotate({} {} {})\"", angle, px(at.x), px(at.y));
  body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n",
                       classes, px(at.x), px(at.y), anchor_name(anchor), turn, markup_text(words));
}

void SvgCanvas::rectangle(const Box& box, std::string_view classes, const std::string& tooltip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>\n", classes,
      px(box.left), px(box.top), px(box.width), px(box.height), tooltip_element(tooltip));
}

void SvgCanvas::line(Point from, Point to, std::string_view classes) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", classes,
                       px(from.x), px(from.y), px(to.x), px(to.y));
}

void SvgCanvas::path(const std::string& data, std::string_view classes) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", classes, data);
}

void SvgCanvas::star(Point centre) {
  std::string data;
  for (int i = 0; i < 10; ++i) {
    const double angle = (static_cast<double>(i) / 5 - 0.5) * std::numbers::pi;
    const double radius = i % 2 == 0 ? 6 : 2.6;
    data += path_step(i == 0 ? 'M' : 'L',
                      {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  path(data + "Z", "star");
}

void SvgCanvas::shape(Point centre, std::size_t n, const std::string& tooltip) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\">{}</path>\n", fill_class(n),
                       shape_path(centre, n), tooltip_element(tooltip));
}

void SvgCanvas::dot(Point centre, std::size_t n) {
  body_ += fmt::format("<circle class=\"{} dot\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>\n", fill_class(n),
                       px(centre.x), px(centre.y));
}

void SvgCanvas::y_axis(const Box& plot, const ChartAxis& axis, const std::string& label) {
  if (!label.empty()) text({plot.left, plot.top - 10}, label);
  for (const double tick : axis.ticks()) {
    const double y = plot.bottom() - axis.position(tick) * plot.height;
    line({plot.left, y}, {plot.right(), y}, "grid");
    text({plot.left - 8, y + 4}, axis.text(tick), Anchor::end);
  }
}

void SvgCanvas::x_ticks(const Box& plot, const ChartAxis& axis, bool numbers) {
  for (const double tick : axis.ticks()) {
    const double x = plot.left + axis.position(tick) * plot.width;
    line({x, plot.bottom()}, {x, plot.bottom() + 5}, "axis");
    if (numbers) text({x, plot.bottom() + 19}, axis.text(tick), Anchor::middle);
  }
  line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, "axis");
}

void SvgCanvas::x_axis(const Box& plot, const ChartAxis& axis, const std::string& label) {
  x_ticks(plot, axis, true);
  text({plot.left + plot.width / 2, plot.bottom() + 38}, label, Anchor::middle);
}

std::string SvgCanvas::element(double height, const std::string& name,
                               const std::string& alternative) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"adacvar-chart\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n{4}\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{5}</svg>\n",
      px(width_), px(height), markup_text(name), markup_text(alternative), kStyle, body_);
}

}  // namespace adacvar
