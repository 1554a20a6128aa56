#pragma once

#include <adacvar/run/run.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace adacvar::cli {

/// Progress on standard error: a progress bar on a terminal, a line for each tenth elsewhere,
/// nothing if quiet.
class ProgressLine {
 public:
  /// `step`: name of what training counts.
  explicit ProgressLine(bool quiet, std::string step = "epoch");
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

  void show(const RunProgress& progress);

  /// Clears the line, so that other output can be printed.
  void clear();

  /// Makes reading by these options show its progress for large files, on a terminal only. The
  /// options then refer to this object.
  void show_reading_of(SourceOptions& options);

  /// Shows progress of other work; `before` is the amount that was already done at the start.
  void show_work(double done, double before, double total, const std::string& text);

  /// Shows progress of a download.
  void show_bytes(const std::string& name, std::uint64_t received, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  void show_within_epoch(double epochs_done, std::uint64_t epochs);
  void show_reading(std::uint64_t done, std::uint64_t total);
  void draw(double share, const std::string& text);
  void print(double share, const std::string& text);

  bool quiet_;
  std::string step_;
  double share_at_start_ = 0;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_ = {};
  Clock::time_point last_epoch_ = start_;
  std::string last_figures_ = {};  // figures of the last epoch, after a comma
  bool is_reading_ = false;
  double last_printed_ = 0;
  bool drawn_ = false;
};

/// What the training of a run counts: `epoch`, or `round` of trees.
[[nodiscard]] std::string step_name(const RunOptions& options);

/// `0:07`, `12:30`, `3:00:05`.
[[nodiscard]] std::string duration_text(double seconds);

/// Returns `[#####.....]` with `places` characters inside.
[[nodiscard]] std::string bar_text(double share, std::size_t places);

/// Returns a bar of up to 24 places and the text, shorter than `width` so that the line does not
/// scroll; without room for a bar, only the beginning of the text.
[[nodiscard]] std::string bar_line(double share, const std::string& text, std::size_t width);

}  // namespace adacvar::cli
