#include "data/read_table.hpp"

#include "base/join.hpp"
#include "data/file_bytes.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace adacvar {

namespace {

using namespace std::string_view_literals;

struct NpyHeader {
  std::string_view type;
  bool by_columns = false;  // Fortran order
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

/// Returns the text after `key` in the header, a Python dictionary that NumPy writes in a fixed
/// style.
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
  header.by_columns = value_of(text, "'fortran_order'", source).starts_with("True");
  header.shape = read_shape(value_of(text, "'shape'", source), source);
  header.data = bytes.substr(static_cast<std::size_t>(text.data() - bytes.data()) + text.size());
  return header;
}

template <class Number>
void fill_columns(Table& table, const NpyHeader& header) {
  const std::string_view data = header.data;
  const std::size_t width = table.columns.size();
  if (data.size() / sizeof(Number) / width < table.rows) {
    throw DataError("is truncated", table.source);
  }
  if (data.size() != table.rows * width * sizeof(Number)) {
    throw DataError("has bytes after the array", table.source);
  }
  const auto number_at = [&](std::size_t row, std::size_t c) {
    Number number{};
    const std::size_t place = header.by_columns ? c * table.rows + row : row * width + c;
    // The mapped array need not be aligned.
    std::memcpy(&number, data.data() + place * sizeof number, sizeof number);
    const auto value = static_cast<double>(number);
    if (std::isinf(value)) {
      throw DataError(
          fmt::format("infinite value in row {}, column '{}'", row + 1, table.columns[c].name),
          table.source);
    }
    return value;
  };
  // Some rows of every column at a time, so that rows are read while they are in the cache.
  constexpr std::size_t kRows = 1024;
  std::vector<double> values;
  for (std::size_t first = 0; first < table.rows; first += kRows) {
    const std::size_t end = std::min(first + kRows, table.rows);
    for (std::size_t c = 0; c < width; ++c) {
      values.clear();
      for (std::size_t row = first; row < end; ++row) values.push_back(number_at(row, c));
      table.columns[c].numbers.append(values);
    }
  }
}

struct NpyType {
  std::string_view name;
  void (*fill)(Table&, const NpyHeader&);
};

constexpr std::array kTypes = {
    NpyType{"'|b1'", fill_columns<std::uint8_t>},  NpyType{"'|i1'", fill_columns<std::int8_t>},
    NpyType{"'|u1'", fill_columns<std::uint8_t>},  NpyType{"'<i2'", fill_columns<std::int16_t>},
    NpyType{"'<u2'", fill_columns<std::uint16_t>}, NpyType{"'<i4'", fill_columns<std::int32_t>},
    NpyType{"'<u4'", fill_columns<std::uint32_t>}, NpyType{"'<i8'", fill_columns<std::int64_t>},
    NpyType{"'<u8'", fill_columns<std::uint64_t>}, NpyType{"'<f4'", fill_columns<float>},
    NpyType{"'<f8'", fill_columns<double>}};

const NpyType& find_type(std::string_view name, const std::string& source) {
  const auto found = std::ranges::find(kTypes, name, &NpyType::name);
  if (found != kTypes.end()) return *found;
  std::vector<std::string_view> known;
  for (const NpyType& type : kTypes) known.push_back(type.name);
  throw DataError(fmt::format("type {} is not one of: {}", name, join(known, ", ")), source);
}

}  // namespace

Table parse_npy(std::string_view bytes, const std::string& source) {
  static_assert(std::endian::native == std::endian::little);
  const NpyHeader header = read_header(bytes, source);
  if (header.shape.empty() || header.shape.size() > 2) {
    throw DataError(fmt::format("array has {} dimensions, not 1 or 2", header.shape.size()),
                    source);
  }
  const NpyType& type = find_type(header.type, source);
  const std::size_t width = header.shape.size() == 2 ? header.shape[1] : 1;
  if (header.shape[0] == 0 || width == 0) throw DataError("array is empty", source);
  if (width > header.data.size()) throw DataError("is truncated", source);

  Table table;
  table.source = source;
  table.rows = header.shape[0];
  table.columns.resize(width);
  for (std::size_t c = 0; c < width; ++c) table.columns[c].name = fmt::format("c{}", c + 1);
  type.fill(table, header);
  return table;
}

Table read_npy(const std::filesystem::path& path) {
  const FileBytes file(path);
  return parse_npy(file.text(), file.source());
}

}  // namespace adacvar
