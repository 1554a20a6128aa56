#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace adacvar {

/// An argument is not allowed: an option, a level, a length, an index.
/// The message says what was given, what is allowed and where: `alpha = 1.5 is outside (0, 1]`.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Data cannot be used: an empty sample, a NaN, a damaged file or stream.
/// `source` names the file or stream, if any; `line` is its line (0: none).
class DataError : public std::runtime_error {
 public:
  explicit DataError(const std::string& message, std::string source = {}, std::size_t line = 0)
      : std::runtime_error(with_location(message, source, line)),
        source_(std::move(source)),
        line_(line) {}

  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  static std::string with_location(const std::string& message, const std::string& source,
                                   std::size_t line) {
    if (source.empty()) return message;
    return line == 0 ? source + ": " + message
                     : source + ":" + std::to_string(line) + ": " + message;
  }

  std::string source_;
  std::size_t line_ = 0;
};

/// A computation produced a value that is not finite.
class NumericalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adacvar
