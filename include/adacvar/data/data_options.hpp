#pragma once

#include <adacvar/base/options.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace adacvar {

/// Progress callback, called now and then while a file is decompressed or read: bytes done and
/// bytes in total.
using ReadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Decimal sign of numbers in text files.
enum class DecimalChoice : std::uint8_t { automatic, point, comma };

enum class Separator : std::uint8_t { automatic, comma, semicolon, tab, space, pipe };
enum class HeaderChoice : std::uint8_t { automatic, yes, no };
enum class TaskChoice : std::uint8_t { automatic, regression, binary, multiclass };

/// How data is found and read; by default the format is detected.
struct SourceOptions {
  Separator separator = Separator::automatic;
  HeaderChoice header = HeaderChoice::automatic;
  std::vector<std::string> categorical = {};
  std::vector<std::string> drop = {};
  DecimalChoice decimal = DecimalChoice::automatic;
  std::vector<std::string> missing = {};
  std::string data_dir = {};
  std::uint64_t make_rows = 10'000;
  std::uint64_t make_seed = 0;
  ReadProgress progress = {};  ///< called while a file is read

  static const std::vector<OptionSpec>& options();
};

/// Scale of the predictions of another model; automatic: values, for two classes probabilities.
enum class PredictionScale : std::uint8_t { automatic, value, probability, logit };
/// Whether a correction uses the features; automatic: if there are at most 40.
enum class FeatureUse : std::uint8_t { automatic, yes, no };

/// A column with the predictions of another model, for a linear model that corrects them.
struct PredictionOptions {
  std::string prediction = {};
  PredictionScale prediction_scale = PredictionScale::automatic;
  std::string positive = {};
  FeatureUse features = FeatureUse::automatic;

  static const std::vector<OptionSpec>& options();
};

/// Training data: source, target, task and split.
struct DataOptions {
  std::string data = {};
  std::string target = {};
  TaskChoice task = TaskChoice::automatic;
  std::vector<double> split = {};
  std::string valid_data = {};
  std::string test_data = {};
  std::string weight = {};
  bool raw_features = false;
  bool strict = false;
  bool for_trees = false;  ///< not a flag: features as trees take them (Dataset::levels)
  SourceOptions source = {};
  PredictionOptions prediction = {};

  static const std::vector<OptionSpec>& options();
};

/// Fingerprint of data: sources with equal fingerprints have the same columns and values.
struct DataFingerprint {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::string crc64 = {};  ///< 16 hexadecimal digits

  friend bool operator==(const DataFingerprint&, const DataFingerprint&) = default;
};

}  // namespace adacvar
