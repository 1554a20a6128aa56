#pragma once

#include "data/read_table.hpp"
#include "data/table.hpp"

#include <filesystem>
#include <memory>

namespace adacvar {

/// Reads a table of text as read_csv does, some megabytes of rows at a time, so that memory does
/// not grow with the file. Separator, header and names are detected in the first block; whether a
/// column is numeric is detected block by block, unless it is declared categorical.
/// Throws: DataError with the file and line of the first error.
class TableStream {
 public:
  explicit TableStream(const std::filesystem::path& path, const ReadOptions& options = {});
  ~TableStream();
  TableStream(TableStream&& other) noexcept;
  TableStream& operator=(TableStream&& other) noexcept;

  /// Reads the next rows and sets their first_row; returns false at the end.
  bool next(Table& block);

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace adacvar
