#include <adacvar/data/read_table.hpp>

#include "data/file_bytes.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace adacvar {

namespace {

using namespace std::string_view_literals;

struct NpyHeader {
  std::string_view type;
  std::vector<std::size_t> shape;
  std::string_view data;
};

std::string_view header_text(std::string_view bytes, const std::string& source) {
  if (!bytes.starts_with("\x93NUMPY"sv) || bytes.size() < 10) {
    throw DataError("is not a NumPy file", source);
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned version = byte(6);
  if (version != 1 && version != 2) {
    throw DataError(fmt::format("NumPy format version {} is not one of: 1, 2", version), source);
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) throw DataError("is truncated", source);
  std::size_t length = byte(8) | std::size_t{byte(9)} << 8U;
  if (version == 2) length |= std::size_t{byte(10)} << 16U | std::size_t{byte(11)} << 24U;
  if (bytes.size() - begin < length) throw DataError("is truncated", source);
  return bytes.substr(begin, length);
}

/// What follows `key` in the header, a Python dictionary that NumPy writes in a fixed style.
std::string_view value_of(std::string_view header, std::string_view key,
                          const std::string& source) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) {
    throw DataError(fmt::format("NumPy header lacks {}", key), source);
  }
  std::string_view value = header.substr(at + key.size());
  value.remove_prefix(std::min(value.find_first_not_of(": "), value.size()));
  return value;
}

std::vector<std::size_t> read_shape(std::string_view text, const std::string& source) {
  std::vector<std::size_t> shape;
  const std::string_view inside = text.substr(0, text.find(')'));
  const char* const end = inside.data() + inside.size();
  for (const char* at = inside.data(); at != end;) {
    std::size_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error == std::errc::result_out_of_range) throw DataError("is truncated", source);
    if (error == std::errc()) shape.push_back(size);
    at = error == std::errc() ? stop : at + 1;
  }
  return shape;
}

NpyHeader read_header(std::string_view bytes, const std::string& source) {
  const std::string_view text = header_text(bytes, source);
  NpyHeader header;
  const std::string_view type = value_of(text, "'descr'", source);
  header.type = type.substr(0, type.find(','));
  if (value_of(text, "'fortran_order'", source).starts_with("True")) {
    throw DataError("array is in Fortran order; save it with numpy.ascontiguousarray", source);
  }
  header.shape = read_shape(value_of(text, "'shape'", source), source);
  header.data = bytes.substr(static_cast<std::size_t>(text.data() - bytes.data()) + text.size());
  return header;
}

template <class Number>
void fill_columns(Table& table, std::string_view data) {
  const std::size_t width = table.columns.size();
  if (data.size() / sizeof(Number) / width < table.rows) {
    throw DataError("is truncated", table.source);
  }
  if (data.size() != table.rows * width * sizeof(Number)) {
    throw DataError("has bytes after the array", table.source);
  }
  for (Column& column : table.columns) column.numbers.resize(table.rows);
  const char* at = data.data();
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (Column& column : table.columns) {
      Number number{};
      std::memcpy(&number, at, sizeof number);  // the mapped array need not be aligned
      at += sizeof number;
      column.numbers[row] = static_cast<double>(number);
      if (std::isinf(column.numbers[row])) {
        throw DataError(fmt::format("infinite value in row {}, column '{}'", row + 1, column.name),
                        table.source);
      }
    }
  }
}

}  // namespace

Table read_npy(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  const FileBytes file(path);
  const NpyHeader header = read_header(file.text(), file.source());
  if (header.shape.empty() || header.shape.size() > 2) {
    throw DataError(fmt::format("array has {} dimensions, not 1 or 2", header.shape.size()),
                    file.source());
  }
  const std::size_t width = header.shape.size() == 2 ? header.shape[1] : 1;
  if (header.shape[0] == 0 || width == 0) throw DataError("array is empty", file.source());
  if (width > header.data.size()) throw DataError("is truncated", file.source());

  Table table;
  table.source = file.source();
  table.rows = header.shape[0];
  table.columns.resize(width);
  for (std::size_t c = 0; c < width; ++c) table.columns[c].name = fmt::format("c{}", c + 1);
  if (header.type == "'<f4'") {
    fill_columns<float>(table, header.data);
  } else if (header.type == "'<f8'") {
    fill_columns<double>(table, header.data);
  } else if (header.type == "'<i4'") {
    fill_columns<std::int32_t>(table, header.data);
  } else if (header.type == "'<i8'") {
    fill_columns<std::int64_t>(table, header.data);
  } else {
    throw DataError(fmt::format("type {} is not one of: '<f4', '<f8', '<i4', '<i8'", header.type),
                    file.source());
  }
  return table;
}

}  // namespace adacvar
