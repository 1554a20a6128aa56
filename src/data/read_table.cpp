#include "data/read_table.hpp"

#include "data/field_reader.hpp"
#include "data/file_bytes.hpp"
#include "data/foreign_format.hpp"
#include "data/libsvm_line.hpp"

#include <algorithm>

namespace adacvar {

namespace {

// Bytes of the file that are read to detect its format.
constexpr std::size_t kEnough = std::size_t{1} << 20U;

// True for a blank line, a comment, or a lone number: a LIBSVM row without features, or a single
// column.
bool says_nothing(std::string_view line) {
  FieldReader reader(line.substr(0, line.find('#')), ' ');
  double ignored = 0;
  return !reader.next_row() || (reader.number(ignored) && reader.row_ended());
}

std::string_view telling_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!says_nothing(line)) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

FileKind find_content_kind(std::string_view text) {
  if (text.starts_with("\x93NUMPY")) return FileKind::npy;
  if (text.size() >= 4 && text.starts_with(std::string_view("\0\0", 2))) return FileKind::idx;
  return is_libsvm_line(telling_line(text.substr(0, kEnough))) ? FileKind::libsvm : FileKind::csv;
}

FileKind find_file_kind(const std::filesystem::path& path) {
  FileStream file(path);
  std::string text;
  while (text.size() < kEnough && file.append_to(text)) {
  }
  refuse_foreign_format(text, file.source());
  return find_content_kind(text);
}

}  // namespace adacvar
