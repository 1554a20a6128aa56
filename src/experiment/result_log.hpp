#pragma once

#include "experiment/trial.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace adacvar {

/// Identifies a run of a study.
struct TrialKey {
  std::string set;
  std::uint64_t seed = 0;
  std::string contestant;
  std::uint64_t config = 0;

  [[nodiscard]] std::string text() const;
  friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

/// A log of results, one line of JSON each, from which an interrupted study resumes. Format:
/// docs/file_formats.md. Thread-safe.
class ResultLog {
 public:
  /// Opens or creates the log. An incomplete last line, left by a killed program, is removed.
  /// Throws: OptionError if the file cannot be written or is in use by another log; DataError, with
  /// the line, if it is not a log, is damaged, or belongs to another `study`.
  ResultLog(const std::filesystem::path& path, const std::string& study);
  ~ResultLog();
  ResultLog(const ResultLog&) = delete;
  ResultLog& operator=(const ResultLog&) = delete;
  ResultLog(ResultLog&&) = delete;
  ResultLog& operator=(ResultLog&&) = delete;

  /// Records the fingerprint of `set`. Throws: DataError if the log has a different one.
  void check_data(const std::string& set, const std::string& fingerprint);

  /// Returns null if the run is not done yet. Valid until the next `add`.
  [[nodiscard]] const TrialResult* find(const TrialKey& key) const;

  /// Appends a line and flushes it. Throws: OptionError if that fails.
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
