#pragma once

#include "experiment/trial.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace adacvar {

/// Which run of a study.
struct TrialKey {
  std::string set;
  std::uint64_t seed = 0;
  std::string contestant;
  std::uint64_t config = 0;

  [[nodiscard]] std::string text() const;
  friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

/// Results as they come, a line of JSON each, so that a run that was killed goes on where it
/// stopped. Format: docs/file_formats.md. May be used from several threads.
class ResultLog {
 public:
  /// Opens or begins the log. A last line without its end was being written when the program was
  /// killed: it is cut off.
  /// Throws: OptionError when the file cannot be written or another log has it open; DataError,
  /// with the line, when it is not such a log, is damaged, or belongs to another `study` (text that
  /// must be the same).
  ResultLog(const std::filesystem::path& path, const std::string& study);
  ~ResultLog();
  ResultLog(const ResultLog&) = delete;
  ResultLog& operator=(const ResultLog&) = delete;
  ResultLog(ResultLog&&) = delete;
  ResultLog& operator=(ResultLog&&) = delete;

  /// Says that `set` has this fingerprint. Throws: DataError when the log knows another one.
  void check_data(const std::string& set, const std::string& fingerprint);

  /// Null when the run is not done yet. Valid until the next `add`.
  [[nodiscard]] const TrialResult* find(const TrialKey& key) const;

  /// Appends a line and hands it to the operating system.
  /// Throws: OptionError when that fails.
  void add(const TrialKey& key, const TrialResult& result);

  [[nodiscard]] std::size_t size() const { return results_.size(); }

 private:
  void lock() const;
  void read(const std::string& study);
  void read_line(std::string_view line);
  void append(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, TrialResult> results_;
  std::unordered_map<std::string, std::string> fingerprints_;
};

}  // namespace adacvar
