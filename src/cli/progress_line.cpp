#include "cli/progress_line.hpp"

#include "cli/common_options.hpp"

#include "base/number_text.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace adacvar::cli {

namespace {

// Bytes; smaller files are read too fast to show progress.
constexpr std::uint64_t kLargeFile = 32'000'000;

std::string figures_of(const EpochRecord& record) {
  return record.validation
             ? fmt::format(", validation CVaR {}", number_text(record.validation->cvar))
             : fmt::format(", sampled loss {}", number_text(record.training_loss));
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string runs_text(const RunProgress& progress) {
  std::string text = progress.repeats > 1 ? fmt::format("repeat {}/{}, ", progress.repeats_done + 1,
                                                        progress.repeats)
                                          : std::string();
  text += fmt::format("run {}/{}", progress.runs_done, progress.runs);
  if (progress.valid_accuracy) {
    text += fmt::format(", validation accuracy {:.3f}", *progress.valid_accuracy);
  } else if (progress.valid_cvar) {
    text += fmt::format(", validation CVaR {}", number_text(*progress.valid_cvar));
  }
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
  const std::uint64_t hours = whole / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
}

std::string bar_text(double share, std::size_t places) {
  const auto filled = static_cast<std::size_t>(
      std::floor(std::clamp(share, 0.0, 1.0) * static_cast<double>(places)));
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(places - filled, '.'));
}

std::string bar_line(double share, const std::string& text, std::size_t width) {
  constexpr std::size_t kMost = 24;
  constexpr std::size_t kLeast = 4;
  constexpr std::size_t kAround = 3;  // brackets and a space
  const std::size_t room = std::max<std::size_t>(width, 1) - 1;
  if (text.size() + kAround + kLeast > room) return text.substr(0, room);
  return bar_text(share, std::min(kMost, room - kAround - text.size())) + " " + text;
}

std::string step_name(const RunOptions& options) {
  return options.train.trees.trees ? "round" : "epoch";
}

ProgressLine::ProgressLine(bool quiet, std::string step)
    : quiet_(quiet), step_(std::move(step)), terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const RunProgress& progress) {
  if (quiet_) return;
  if (is_reading_) {  // reading is over; it does not predict the time of training
    is_reading_ = false;
    start_ = last_epoch_ = Clock::now();
  }
  if (progress.epoch != nullptr) {
    const double share =
        static_cast<double>(progress.epoch->epoch) / static_cast<double>(progress.epochs);
    last_epoch_ = Clock::now();
    last_figures_ = figures_of(*progress.epoch);
    print(share,
          fmt::format("{} {}/{}{}", step_, progress.epoch->epoch, progress.epochs, last_figures_));
  } else if (progress.epochs_done) {
    show_within_epoch(*progress.epochs_done, progress.epochs);
  } else if (progress.runs > 1) {
    const double share =
        static_cast<double>(progress.runs_done) / static_cast<double>(progress.runs);
    print((static_cast<double>(progress.repeats_done) + share) /
              static_cast<double>(progress.repeats),
          runs_text(progress));
  }
}

// Short epochs need no progress within them.
void ProgressLine::show_within_epoch(double epochs_done, std::uint64_t epochs) {
  if (!terminal_ || Clock::now() - last_epoch_ < std::chrono::seconds(1)) return;
  const double whole = std::floor(epochs_done);
  draw(epochs_done / static_cast<double>(epochs),
       fmt::format("{} {:.0f}/{}, {:.0f} %{}", step_, whole + 1, epochs,
                   100 * (epochs_done - whole), last_figures_));
}

void ProgressLine::show_reading_of(SourceOptions& options) {
  options.progress = [this](std::uint64_t done, std::uint64_t total) { show_reading(done, total); };
}

void ProgressLine::show_reading(std::uint64_t done, std::uint64_t total) {
  if (quiet_ || !terminal_ || total < kLargeFile) return;
  is_reading_ = true;
  draw(static_cast<double>(done) / static_cast<double>(total),
       fmt::format("reading, {:.0f} of {:.0f} MB", static_cast<double>(done) / 1e6,
                   static_cast<double>(total) / 1e6));
}

void ProgressLine::show_work(double done, double before, double total, const std::string& text) {
  if (quiet_ || !(total > 0)) return;
  share_at_start_ = before / total;
  print(done / total, text);
}

void ProgressLine::show_bytes(const std::string& name, std::uint64_t received,
                              std::uint64_t total) {
  if (quiet_) return;
  const double share = total == 0 ? 0 : static_cast<double>(received) / static_cast<double>(total);
  print(share, fmt::format("{}, {:.1f} MB", name, static_cast<double>(received) / 1e6));
}

void ProgressLine::print(double share, const std::string& text) {
  if (terminal_) {
    draw(share, text);
    return;
  }
  constexpr double kLines = 10;
  if (drawn_ && std::floor(share * kLines) <= std::floor(last_printed_ * kLines)) return;
  drawn_ = true;
  last_printed_ = share;
  print_message(text + "\n");
}

void ProgressLine::draw(double share, const std::string& text) {
  const auto now = Clock::now();
  if (drawn_ && share < 1 && now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  drawn_ = true;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double gained = share - share_at_start_;
  const std::string left =
      gained > 0 ? ", " + duration_text(spent * (1 - share) / gained) + " left" : "";
  print_message("\r\x1b[K" + bar_line(share, text + left, terminal_width()));
}

void ProgressLine::clear() {
  if (!drawn_ || !terminal_) return;
  print_message("\r\x1b[K");
}

}  // namespace adacvar::cli
