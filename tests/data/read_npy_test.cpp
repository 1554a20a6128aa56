#include <adacvar/base/error.hpp>
#include "data/read_table.hpp"

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::message_of;
using support::TemporaryFolder;

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// A file as numpy.save writes it.
std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& fortran = "False", char version = 1) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  if (version != 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

struct Reader {
  TemporaryFolder folder;

  [[nodiscard]] Table read(const std::string& bytes) const {
    return read_npy(folder.write("a.npy", bytes));
  }
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    const std::string place = (folder.path() / "a.npy").string() + ": ";
    const std::string words = message_of<DataError>([&] { return read(bytes); });
    return words.starts_with(place) ? words.substr(place.size()) : words;
  }
};

TEST(ReadNpy, all_types_and_versions) {
  const Reader reader;
  const auto check = [](const Table& table) {
    EXPECT_EQ(table.rows, 2U);
    EXPECT_EQ(column_names(table), "c1, c2, c3");
    EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{1, 4}));
    EXPECT_EQ(table.columns[2].numbers, (std::vector<double>{3, -6}));
  };
  check(reader.read(npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, -6}))));
  check(reader.read(npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, -6}))));
  check(reader.read(npy("<i4", "(2, 3)", bytes_of<std::int32_t>({1, 2, 3, 4, 5, -6}), "False", 2)));
  check(reader.read(npy("<i8", "(2, 3)", bytes_of<std::int64_t>({1, 2, 3, 4, 5, -6}), "False", 2)));
  check(reader.read(npy("<i2", "(2, 3)", bytes_of<std::int16_t>({1, 2, 3, 4, 5, -6}))));
  check(reader.read(npy("|i1", "(2, 3)", bytes_of<std::int8_t>({1, 2, 3, 4, 5, -6}))));
}

TEST(ReadNpy, unsigned_types_and_truth_values) {
  const Reader reader;
  const auto last = [&](const char* type, const std::string& data) {
    return reader.read(npy(type, "(2,)", data)).columns[0].numbers[1];
  };
  EXPECT_EQ(last("|b1", bytes_of<std::uint8_t>({0, 1})), 1);
  EXPECT_EQ(last("|u1", bytes_of<std::uint8_t>({0, 255})), 255);
  EXPECT_EQ(last("<u2", bytes_of<std::uint16_t>({0, 65535})), 65535);
  EXPECT_EQ(last("<u4", bytes_of<std::uint32_t>({0, 4294967295U})), 4294967295.0);
  EXPECT_EQ(last("<u8", bytes_of<std::uint64_t>({0, std::uint64_t{1} << 63U})), 0x1p63);
}

TEST(ReadNpy, columns_of_an_array_in_fortran_order) {
  const Reader reader;
  const Table table =
      reader.read(npy("<f4", "(2, 3)", bytes_of<float>({1, 4, 2, 5, 3, 6}), "True"));
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{1, 4}));
  EXPECT_EQ(table.columns[2].numbers, (std::vector<double>{3, 6}));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reader.refusal(npy("<f8", "(2, 2)", bytes_of<double>({1, 2, inf, 4}), "True")),
            "infinite value in row 1, column 'c2'");
}

TEST(ReadNpy, one_dimension_is_one_column) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Table table = Reader().read(npy("<f8", "(2,)", bytes_of<double>({1.5, nan})));
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.columns[0].numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(table.columns[0].numbers[1]));
}

TEST(ReadNpy, everything_else_is_refused) {
  const Reader reader;
  const std::string four = bytes_of<float>({1, 2, 3, 4});
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reader.refusal("a,b\n1,2\n"), "is not a NumPy file");
  EXPECT_EQ(reader.refusal("\x93NUMPY"), "is not a NumPy file");
  EXPECT_EQ(reader.refusal(npy("<f4", "(4,)", four, "False", 3)),
            "NumPy format version 3 is not one of: 1, 2");
  EXPECT_EQ(reader.refusal(npy("<f4", "(4,)", four).substr(0, 40)), "is truncated");
  EXPECT_EQ(reader.refusal(npy("<f4", "(5,)", four)), "is truncated");
  EXPECT_EQ(reader.refusal(npy("<f4", "(4611686018427387905, 4)", four)), "is truncated");
  EXPECT_EQ(reader.refusal(npy("<f4", "(1, 99999999999)", four)), "is truncated");
  EXPECT_EQ(reader.refusal(npy("<f4", "(3,)", four)), "has bytes after the array");
  EXPECT_EQ(reader.refusal(npy("<f4", "()", four)), "array has 0 dimensions, not 1 or 2");
  EXPECT_EQ(reader.refusal(npy("<f4", "(1, 2, 2)", four)), "array has 3 dimensions, not 1 or 2");
  EXPECT_EQ(reader.refusal(npy("<f4", "(0, 2)", "")), "array is empty");
  EXPECT_EQ(reader.refusal(npy(">f4", "(4,)", four)),
            "type '>f4' is not one of: '|b1', '|i1', '|u1', '<i2', '<u2', '<i4', '<u4', '<i8', "
            "'<u8', '<f4', '<f8'");
  EXPECT_EQ(reader.refusal(npy("<f8", "(2, 1)", bytes_of<double>({1, inf}))),
            "infinite value in row 2, column 'c1'");
}

}  // namespace
}  // namespace adacvar
