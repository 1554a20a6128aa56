#include "data/libsvm_line.hpp"

#include "data/field_reader.hpp"
#include "data/number_text.hpp"

#include <cstddef>

namespace adacvar {

namespace {

bool is_entry(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view index = word.substr(0, colon);
  double ignored = 0;
  return (index == "qid" || index.find_first_not_of("0123456789") == std::string_view::npos) &&
         parse_number(word.substr(colon + 1), ignored);
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

double index_of(std::string_view entry) {
  double index = 0;
  return parse_number(entry.substr(0, entry.find(':')), index) ? index : 0.0;  // qid: 0
}

}  // namespace

bool is_libsvm_line(std::string_view line) {
  FieldReader reader(without_comment(line), ' ');
  double ignored = 0;
  if (line.find('"') != std::string_view::npos || !reader.next_row()) return false;
  if (!parse_number(reader.field(), ignored) || reader.row_ended()) return false;
  while (!reader.row_ended()) {
    if (!is_entry(reader.field())) return false;
  }
  return true;
}

bool is_libsvm_line_without_label(std::string_view line) {
  FieldReader reader(without_comment(line), ' ');
  if (line.find('"') != std::string_view::npos || !reader.next_row()) return false;
  std::size_t entries = 0;
  for (double last = -1; !reader.row_ended(); ++entries) {
    const std::string_view word = reader.field();
    if (!is_entry(word) || !(index_of(word) > last)) return false;
    last = index_of(word);
  }
  return entries > 1;
}

}  // namespace adacvar
