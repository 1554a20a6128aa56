#include "data/foreign_format.hpp"

#include "data/libsvm_line.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace adacvar {

namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view start;
  std::string_view name;
  std::string_view advice;
};

constexpr std::string_view kUnpack = "unpack it first; gzip and xz are read as they are";
constexpr std::string_view kExport = "save it as CSV";

constexpr std::array kFormats = {
    Format{"BZh"sv, "is a bzip2 archive", kUnpack},
    Format{"\x28\xb5\x2f\xfd"sv, "is a Zstandard archive", kUnpack},
    Format{"\x04\x22\x4d\x18"sv, "is an LZ4 archive", kUnpack},
    Format{"7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive", kUnpack},
    Format{"Rar!\x1a\x07"sv, "is a RAR archive", kUnpack},
    Format{"PAR1"sv, "is a Parquet file", "save it as CSV (pandas: read_parquet, then to_csv)"},
    Format{"ARROW1"sv, "is an Arrow or Feather file",
           "save it as CSV (pandas: read_feather, then to_csv)"},
    Format{"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file", kExport},
    Format{"SQLite format 3\0"sv, "is an SQLite database", "write the table as CSV"},
    Format{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "is an old Excel or Office document", kExport},
    Format{"%PDF-"sv, "is a PDF document", kExport},
};

bool is_bzip2(std::string_view bytes) {
  return bytes.size() > 9 && bytes[3] >= '1' && bytes[3] <= '9' &&
         (bytes.substr(4, 6) == "1AY&SY" || bytes.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"sv);
}

[[noreturn]] void refuse(std::string_view name, std::string_view advice,
                         const std::string& source) {
  throw DataError(fmt::format("{}; {}", name, advice), source);
}

// The first bytes of an archive contain the name of its first file.
void refuse_zip(std::string_view bytes, const std::string& source) {
  if (!bytes.starts_with("PK\x03\x04"sv) && !bytes.starts_with("PK\x05\x06"sv)) return;
  constexpr std::size_t kName = 30;
  std::string_view first;
  if (bytes.size() > kName) {
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[26])) +
                        256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[27]));
    first = bytes.substr(kName, length);
  }
  if (first.ends_with(".npy")) {
    refuse("is an NPZ archive of NumPy", "save the array by itself (numpy.save), or as CSV",
           source);
  }
  if (bytes.find("xl/") != std::string_view::npos) refuse("is an Excel workbook", kExport, source);
  if (first == "mimetype") refuse("is an OpenDocument file", kExport, source);
  refuse("is a zip archive", kUnpack, source);
}

// With a byte order mark; or without: three of four bytes of Latin text are 0.
void refuse_utf32(std::string_view bytes, const std::string& source) {
  constexpr std::size_t kLookedAt = 64;
  const std::string_view begin = bytes.substr(0, std::min(bytes.size(), kLookedAt) / 4 * 4);
  const auto is_latin = [&](std::size_t place) {
    for (std::size_t i = 0; i < begin.size(); ++i) {
      if ((begin[i] != '\0') != (i % 4 == place)) return false;
    }
    return begin.size() >= 16;
  };
  const bool has_mark = bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv);
  if (!has_mark && !is_latin(0) && !is_latin(3)) return;
  refuse("is UTF-32 text",
         fmt::format("save it as UTF-8 (iconv -f UTF-32 -t UTF-8 {} > NEW)", source), source);
}

// With a byte order mark; or without: every second byte of Latin text is 0.
void refuse_utf16(std::string_view bytes, const std::string& source) {
  constexpr std::size_t kLookedAt = 64;
  const std::string_view begin = bytes.substr(0, std::min(bytes.size(), kLookedAt) / 2 * 2);
  const auto zeros = [&](std::size_t from) {
    for (std::size_t i = 0; i < begin.size(); ++i) {
      if ((begin[i] == '\0') != (i % 2 == from)) return false;
    }
    return begin.size() >= 8;
  };
  const bool has_mark = bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv);
  if (!has_mark && !zeros(0) && !zeros(1)) return;
  refuse("is UTF-16 text",
         fmt::format("save it as UTF-8 (iconv -f UTF-16 -t UTF-8 {} > NEW)", source), source);
}

void refuse_tar(std::string_view bytes, const std::string& source) {
  constexpr std::size_t kPlace = 257;
  if (bytes.size() > kPlace && bytes.substr(kPlace).starts_with("ustar")) {
    refuse("is a tar archive", kUnpack, source);
  }
}

bool starts_without_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::ranges::equal(text.substr(0, start.size()), start, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// Text formats are detected by their first line that is not blank or a comment.
void refuse_text(std::string_view text, const std::string& source) {
  if (text.starts_with("\xef\xbb\xbf"sv)) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('%') || line.starts_with('#')) continue;
    if (starts_without_case(line, "@relation")) {
      refuse("is an ARFF file of Weka", kExport, source);
    }
    if (starts_without_case(line, "<!doctype html") || starts_without_case(line, "<html")) {
      refuse("is an HTML page", "download the file itself", source);
    }
    if (is_libsvm_line_without_label(line)) {
      refuse("is a LIBSVM file without labels",
             "begin every line with its label; use 0 if it is not known", source);
    }
    return;
  }
}

}  // namespace

void refuse_foreign_format(std::string_view content, const std::string& source) {
  for (const Format& format : kFormats) {
    if (!content.starts_with(format.start)) continue;
    if (format.start == "BZh" && !is_bzip2(content)) continue;
    refuse(format.name, format.advice, source);
  }
  refuse_zip(content, source);
  refuse_utf32(content, source);
  refuse_utf16(content, source);
  refuse_tar(content, source);
  refuse_text(content, source);
}

}  // namespace adacvar
