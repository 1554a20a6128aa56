#pragma once

#include <adacvar/run/run.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace adacvar::cli {

/// Progress on standard error: a bar that is drawn over itself on a terminal, now and then a line
/// elsewhere, nothing when quiet.
class ProgressLine {
 public:
  ProgressLine(bool quiet, std::uint64_t epochs);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;

  void show(const RunProgress& progress);

  /// Clears the line, so that other output can be printed.
  void clear();

  /// Shows how much of a large file is read by these options, on a terminal only. They refer to
  /// this object then.
  void watch_reading(SourceOptions& options);

  /// Any other work: how much of `total` is done, of which `before` was done at the start.
  void show_work(double done, double before, double total, const std::string& text);

  /// Bytes of a file.
  void show_bytes(const std::string& name, std::uint64_t received, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  void show_within_epoch(double epochs_done);
  void show_reading(std::uint64_t done, std::uint64_t total);
  void draw(double share, const std::string& text);
  void print(double share, const std::string& text);

  bool quiet_;
  double share_at_start_ = 0;
  bool terminal_;
  std::uint64_t epochs_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_drawn_ = {};
  Clock::time_point last_epoch_ = start_;
  std::string last_figures_ = {};  // of the last epoch, with a comma before
  bool is_reading_ = false;
  double last_printed_ = 0;
  bool drawn_ = false;
};

/// `0:07`, `12:30`, `3:00:05`.
[[nodiscard]] std::string duration_text(double seconds);

/// `[#####.....]` of that many places inside.
[[nodiscard]] std::string bar_text(double share, std::size_t places);

/// A bar of 24 places and the text, in a line of `width`: a smaller bar or none where there is less
/// room, and then only the beginning of the text. One that fills the line would make it scroll.
[[nodiscard]] std::string bar_line(double share, const std::string& text, std::size_t width);

}  // namespace adacvar::cli
