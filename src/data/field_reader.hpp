#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adacvar {

/// Error in a row; `line` counts from 0 at the start of the reader's text.
struct RowError {
  std::size_t line = 0;
  std::string message;
};

/// Iterates over the fields of separated text, row by row:
///
///     while (reader.next_row())
///       while (!reader.row_ended()) use(reader.field());
///
/// Throws: RowError for a quote that is not closed and for text after a closing quote.
class FieldReader {
 public:
  FieldReader(std::string_view text, char separator) noexcept
      : place_(text.data()), end_(text.data() + text.size()), separator_(separator) {}

  /// Moves to the next row that is not blank; returns false at the end.
  bool next_row() noexcept;
  [[nodiscard]] bool row_ended() const noexcept { return row_ended_; }
  [[nodiscard]] std::size_t row_line() const noexcept { return row_line_; }
  [[nodiscard]] const char* place() const noexcept { return place_; }

  /// Returns the next field without surrounding blanks, valid until the next call.
  std::string_view field();

  /// Reads the next field if it is a number without quotes; otherwise does not advance. Parsing the
  /// number finds the end of the field, which makes reading fast.
  bool number(double& value) noexcept;

 private:
  [[nodiscard]] bool is_blank(char c) const noexcept {
    return c == ' ' || (c == '\t' && separator_ != '\t');
  }
  [[nodiscard]] const char* skip_blanks(const char* at) const noexcept {
    while (at != end_ && is_blank(*at)) ++at;
    return at;
  }
  [[nodiscard]] bool at_carriage_return(const char* at) const noexcept {
    return *at == '\r' && (at + 1 == end_ || at[1] == '\n');
  }
  bool finish_field(const char* at) noexcept;
  std::string_view quoted_field(const char* at);

  const char* place_;
  const char* end_;
  char separator_;
  bool row_ended_ = true;
  std::size_t line_ = 0;
  std::size_t row_line_ = 0;
  std::string unquoted_;
};

}  // namespace adacvar
