#include "data/foreign_format.hpp"

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <adacvar/base/error.hpp>
#include "data/read_data.hpp"
#include "data/read_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using namespace std::string_literals;
using support::message_of;

std::string zip_of(const std::string& name, const std::string& rest = {}) {
  return "PK\x03\x04"s + std::string(22, '\x01') + static_cast<char>(name.size()) + '\0' + "\0\0"s +
         name + rest;
}

std::string tar_of(const std::string& name) {
  std::string bytes(512, '\0');
  bytes.replace(0, name.size(), name);
  bytes.replace(257, 5, "ustar");
  return bytes;
}

struct Case {
  std::string bytes;
  std::string name;  // words of the message
  std::string advice;
};

std::vector<Case> cases() {
  return {
      {"BZh91AY&SY\x12\x34\x56\x78\x9a"s, "bzip2", "unpack"},
      {"\x28\xb5\x2f\xfd\x24\x00"s, "Zstandard", "unpack"},
      {zip_of("table.csv"), "zip archive", "unpack"},
      {zip_of("[Content_Types].xml", "PK\x03\x04...xl/workbook.xml"s), "Excel", "CSV"},
      {zip_of("arr_0.npy"), "NPZ", "numpy.save"},
      {zip_of("mimetype"), "OpenDocument", "CSV"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"s, "Excel", "CSV"},
      {"PAR1\x15\x04\x15\x00"s, "Parquet", "CSV"},
      {"ARROW1\0\0"s, "Arrow", "CSV"},
      {"\x89HDF\r\n\x1a\n\0\0"s, "HDF5", "CSV"},
      {"SQLite format 3\0\x10\0"s, "SQLite", "CSV"},
      {tar_of("table.csv"), "tar", "unpack"},
      {"\xff\xfex\0,\0y\0\n\0"s, "UTF-16", "UTF-8"},
      {"\xfe\xff\0x\0,\0y\0\n"s, "UTF-16", "UTF-8"},
      {"x\0,\0y\0\n\0001\0,\0002\0\n\0"s, "UTF-16", "UTF-8"},
      {"\0x\0,\0y\0\n\0001\0,\0002\0\n"s, "UTF-16", "UTF-8"},
      {"\xff\xfe\0\0x\0\0\0,\0\0\0"s, "UTF-32", "iconv -f UTF-32"},
      {"\0\0\xfe\xff\0\0\0x\0\0\0,"s, "UTF-32", "UTF-8"},
      {"x\0\0\0,\0\0\0y\0\0\0\n\0\0\0"s, "UTF-32", "UTF-8"},
      {"\0\0\0x\0\0\0,\0\0\0y\0\0\0\n"s, "UTF-32", "UTF-8"},
      {"% made by Weka\n\n@RELATION iris\n@ATTRIBUTE x NUMERIC\n@DATA\n1\n", "ARFF", "CSV"},
      {"1:0.5 3:2\n2:1 4:-1e3\n", "LIBSVM", "label"},
      {"# comment\r\n1:0.5 3:2\r\n", "LIBSVM", "label"},
      {"<!DOCTYPE html>\n<html></html>\n", "HTML", "download"},
  };
}

TEST(ForeignFormat, is_named_with_what_to_do_instead) {
  for (const Case& one : cases()) {
    const std::string message =
        message_of<DataError>([&] { refuse_foreign_format(one.bytes, "a.bin"); });
    EXPECT_TRUE(message.starts_with("a.bin: is a") || message.starts_with("a.bin: is UTF-"))
        << message;
    EXPECT_NE(message.find(one.name), std::string::npos) << message;
    EXPECT_NE(message.find(one.advice), std::string::npos) << message;
  }
}

TEST(ForeignFormat, every_reader_of_data_names_it) {
  support::TemporaryFolder folder;
  const std::string path = (folder.path() / "t.csv").string();
  std::ofstream(path, std::ios::binary) << zip_of("[Content_Types].xml", "xl/worksheets");
  for (const std::string& message : {message_of<DataError>([&] { return read_data(path, {}); }),
                                     message_of<DataError>([&] { return read_csv(path); }),
                                     message_of<DataError>([&] { return is_text_table(path); })}) {
    EXPECT_NE(message.find("Excel"), std::string::npos) << message;
  }
}

TEST(ForeignFormat, tables_are_left_alone) {
  for (const std::string& text :
       {"x,y\n1,2\n"s, "12:30\n13:00\n"s, "1 1:0.5 3:2\n"s, "-1\n"s, "time,y\n12:30,1\n"s,
        "BZh,y\n1,2\n"s, "PK,y\n1,2\n"s, "a b\n3:1 2:1\n"s, "\xef\xbb\xbfx,y\n1,2\n"s, "\n\n"s, ""s,
        "\x93NUMPY\x01\0"s, "\0\0\x08\x03\0\0\0\x01"s}) {
    EXPECT_NO_THROW(refuse_foreign_format(text, "t.csv")) << text;
  }
}

}  // namespace
}  // namespace adacvar
