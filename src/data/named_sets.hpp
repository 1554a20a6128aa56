#pragma once

#include <adacvar/data/dataset.hpp>
#include "data/images.hpp"
#include "data/table.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// A file of a named set as published. A copy compressed by gzip or xz, with `.gz` or `.xz` added
/// to its name, is also read. If the original is compressed, `path` ends in `.gz`.
struct NamedFile {
  std::string path = {};    ///< inside the data folder
  std::uint64_t bytes = 0;  ///< size of the original; the checksum is also that of the original
  std::string sha256 = {};  ///< 64 lower-case hexadecimal digits
  std::string url = {};     ///< address of this file; empty: none
  std::string origin = {};  ///< publisher, for messages
};

/// Description of a named set, known before it is read.
struct NamedSetInfo {
  std::string_view name;
  std::string_view about;
  Task task = Task::binary;
  std::size_t rows = 0;
  std::size_t features = 0;  ///< after one-hot encoding
  std::string_view target;
  std::vector<NamedFile> files;
  ImageShape image = {};     ///< shape of its images; all 0: a table
  std::size_t own_test = 0;  ///< number of rows at the end that are its own test rows
};

/// A set of the paper, as the paper uses it.
struct NamedSet {
  NamedSetInfo info;
  Table table;
};

/// Returns all names: abalone, boston, ...
[[nodiscard]] std::vector<std::string> named_sets();

/// Throws: OptionError `data set = 'x' is not one of: ...`.
[[nodiscard]] const NamedSetInfo& named_set_info(std::string_view name);

/// Returns `given` unless it is empty; else the environment variable ADACVAR_DATA; else the folder
/// `adacvar` in XDG_DATA_HOME if that is an absolute path, else in ~/.local/share.
/// Throws: OptionError when HOME is not set and it would be needed.
[[nodiscard]] std::filesystem::path data_folder(const std::filesystem::path& given = {});

/// Returns the path of `file` in `folder`, plain or compressed; the plain path if there is neither.
[[nodiscard]] std::filesystem::path find_named_file(const NamedFile& file,
                                                    const std::filesystem::path& folder);

/// Reads a tabular set of [CLJK20] from the data folder, as the paper uses it: files concatenated,
/// ids dropped, categorical columns declared.
/// Throws: OptionError for an unknown name; DataError when the folder or file does not exist, the
/// file has an unexpected number of rows, or the set contains images.
[[nodiscard]] NamedSet load_named_set(std::string_view name,
                                      const std::filesystem::path& folder = {});

/// Reads a set of images: mnist, fashion-mnist, cifar-10. Training rows come first, then the set's
/// own test rows.
[[nodiscard]] Images load_named_images(std::string_view name,
                                       const std::filesystem::path& folder = {});

}  // namespace adacvar
