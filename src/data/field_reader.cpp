#include "data/field_reader.hpp"

#include "data/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace adacvar {

bool FieldReader::next_row() noexcept {
  for (;;) {
    const char* at = skip_blanks(place_);
    if (at != end_ && at_carriage_return(at)) ++at;
    if (at == end_) {
      place_ = at;
      return false;
    }
    if (*at != '\n') break;
    place_ = at + 1;
    ++line_;
  }
  row_ended_ = false;
  row_line_ = line_;
  return true;
}

// Skips the separator or line end after a field whose text stops at `at`; returns false when other
// text follows.
bool FieldReader::finish_field(const char* at) noexcept {
  const char* next = skip_blanks(at);
  if (next != end_ && at_carriage_return(next)) ++next;
  if (next == end_) {
    row_ended_ = true;
  } else if (*next == '\n') {
    row_ended_ = true;
    ++line_;
    ++next;
  } else if (separator_ == ' ') {
    if (next == at) return false;
  } else if (*next == separator_) {
    ++next;
  } else {
    return false;
  }
  place_ = next;
  return true;
}

bool FieldReader::number(double& value) noexcept {
  const auto [stop, error] = read_number(skip_blanks(place_), end_, value);
  return error == std::errc() && !std::isnan(value) && finish_field(stop);
}

std::string_view FieldReader::field() {
  const char* const begin = skip_blanks(place_);
  if (begin != end_ && *begin == '"') return quoted_field(begin + 1);
  const char* stop = begin;
  if (separator_ == ' ') {
    while (stop != end_ && *stop != '\n' && !is_blank(*stop)) ++stop;
  } else {
    while (stop != end_ && *stop != '\n' && *stop != separator_) ++stop;
  }
  if (stop != begin && (stop == end_ || *stop == '\n') && stop[-1] == '\r') --stop;
  while (stop != begin && is_blank(stop[-1])) --stop;
  finish_field(stop);
  return {begin, static_cast<std::size_t>(stop - begin)};
}

std::string_view FieldReader::quoted_field(const char* at) {
  const std::size_t first_line = line_;
  const char* begin = at;
  unquoted_.clear();
  for (;;) {
    const char* const quote = std::find(at, end_, '"');
    if (quote == end_) throw RowError{first_line, "quote is not closed"};
    if (quote + 1 != end_ && quote[1] == '"') {
      unquoted_.append(begin, quote + 1);
      begin = at = quote + 2;
      continue;
    }
    unquoted_.append(begin, quote);
    line_ += static_cast<std::size_t>(std::ranges::count(unquoted_, '\n'));
    if (!finish_field(quote + 1)) throw RowError{line_, "text after a closing quote"};
    return unquoted_;
  }
}

}  // namespace adacvar
