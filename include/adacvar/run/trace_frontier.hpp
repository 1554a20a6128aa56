#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/matrix_view.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/run/result.hpp>
#include <adacvar/run/run.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// The point of the curve that is kept, as the text `knee`, `gamma=0.8` or `mean=+5%`.
struct FrontierChoice {
  enum class By : std::uint8_t { knee, gamma, mean } by = By::mean;
  double value = 0;  ///< gamma, or the increase of the mean: 0.05 for +5 %

  /// Throws: OptionError for any other text, a gamma outside [0, 1] or a negative increase.
  [[nodiscard]] static FrontierChoice parse(const std::string& text);
  /// `knee`, `gamma 0.8`, `+5 %`.
  [[nodiscard]] std::string name() const;
};

struct FrontierOptions {
  std::uint64_t points = 0;
  std::string at = "mean=+5%";

  static const std::vector<OptionSpec>& options();
};

/// A named point of the curve.
struct FrontierMark {
  std::string name;  ///< `mean`, `+1 %`, `+2 %`, `+5 %`, `+10 %`, `knee`, `CVaR` or the choice's
  std::size_t point = 0;  ///< its position in FrontierReport::points
};

/// The curve of mean against CVaR at one tail share.
struct FrontierReport {
  /// From the least mean (gamma 1) to the least CVaR (gamma 0): exact solutions by their training
  /// mean, runs by gamma. The certificate of an exact solution bounds the least (1 - gamma) CVaR +
  /// gamma mean; that of a mark `+5 %` the least CVaR among models whose mean is at most so large.
  std::vector<RunResult> points;
  std::vector<FrontierMark> marks;         ///< in the order of the points
  std::optional<std::size_t> chosen = {};  ///< position in `marks`; none if interrupted before it
  bool is_exact = true;                    ///< else by runs
  bool is_interrupted = false;             ///< points or marks are missing
  std::vector<std::string> notes;
  std::vector<std::string> headlines = {};  ///< as RunReport::headlines

  /// The weight of the mean that the point minimises with; for a mark such as `+5 %` the one that
  /// its limit amounts to.
  [[nodiscard]] double gamma(std::size_t point) const;
  /// What differs along the curve: `gamma`, or for trees `share`, that of the tail's trees.
  [[nodiscard]] std::string_view setting_name() const;
  /// Its value at a point.
  [[nodiscard]] double setting(std::size_t point) const;
  [[nodiscard]] const RunResult* chosen_point() const {
    return chosen ? &points[marks[*chosen].point] : nullptr;
  }
};

/// Traces the curve from gamma = 1 (mean) to 0 (CVaR) for the data, loss, alpha and ridge of `run`.
///
/// With `run.train.algorithm` exact: certified solutions that start from their neighbours
/// (Frontier), placed so that they are evenly spread along the curve, and the marks besides. The
/// knee is the solution at the largest distance from the chord between the ends, where both axes
/// are scaled to the curve's extent on the training rows; a mark such as `+5 %` is the model of
/// least training CVaR whose training mean is at most 5 % above the least.
///
/// With another algorithm: a run for each of a few gammas, that of gamma = 1 by `mean`; marks are
/// chosen among the runs, on the validation rows if there are any, else on the training rows.
///
/// With trees: one training for the mean and one for the tail, mixed with shares of the latter from
/// 0 to 1; marks as among runs.
///
/// Throws: like `run`; OptionError for alpha = 1, where the curve is one point, for the algorithm
/// mean, for fewer than 3 points and for trees at a gamma.
[[nodiscard]] FrontierReport trace_frontier(const RunOptions& run, const FrontierOptions& curve,
                                            const RunHooks& hooks = {});

/// The same for a matrix: all rows are training rows. `fit.algorithm` automatic is exact, of trees
/// adacvar; budgets are not supported, the curve has them all. `classes` are names of classes.
[[nodiscard]] FrontierReport trace_frontier(const MatrixView& features,
                                            std::span<const double> targets, const FitOptions& fit,
                                            const FrontierOptions& curve);
[[nodiscard]] FrontierReport trace_frontier(const MatrixView& features,
                                            std::span<const std::string> classes,
                                            const FitOptions& fit, const FrontierOptions& curve);

}  // namespace adacvar
