#pragma once

#include "data/read_table.hpp"
#include "data/table.hpp"

#include <filesystem>
#include <memory>

namespace adacvar {

/// Reads a table of text as read_csv does, some megabytes of rows at a time, so that memory does
/// not grow with the file. Separator, header and names are found in the first block; whether a
/// column is numeric is found block by block, unless the options say it is categorical.
/// Throws: DataError with the file and line of the first thing that is wrong.
class TableStream {
 public:
  explicit TableStream(const std::filesystem::path& path, const ReadOptions& options = {});
  ~TableStream();
  TableStream(TableStream&& other) noexcept;
  TableStream& operator=(TableStream&& other) noexcept;

  /// The next rows, their first_row set; false at the end.
  bool next(Table& block);

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace adacvar
