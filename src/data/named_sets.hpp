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

/// A file of a named set in its original form. A copy packed by gzip or xz, under the same name and
/// `.gz` or `.xz`, serves as well. Some originals are packed: then `path` ends in `.gz`.
struct NamedFile {
  std::string path = {};    ///< inside the data folder
  std::uint64_t bytes = 0;  ///< of the original, as is the sum
  std::string sha256 = {};  ///< 64 lower-case hexadecimal digits
  std::string url = {};     ///< of this very file; empty: there is none
  std::string origin = {};  ///< who publishes it, in words
};

/// What is known of a named set before it is read.
struct NamedSetInfo {
  std::string_view name;
  std::string_view about;
  Task task = Task::binary;
  std::size_t rows = 0;
  std::size_t features = 0;  ///< after one-hot
  std::string_view target;
  std::vector<NamedFile> files;
  ImageShape image = {};     ///< of a set of images; all 0: it is a table
  std::size_t own_test = 0;  ///< that many rows at the end are its own test rows
};

/// A set of the paper, as the paper uses it.
struct NamedSet {
  NamedSetInfo info;
  Table table;
};

/// All names: abalone, boston, ...
[[nodiscard]] std::vector<std::string> named_sets();

/// Throws: OptionError `data set = 'x' is not one of: ...`.
[[nodiscard]] const NamedSetInfo& named_set_info(std::string_view name);

/// `given`, unless it is empty; else the environment's ADACVAR_DATA; else the folder `adacvar`
/// among the user's data: in XDG_DATA_HOME where that is an absolute path, else in ~/.local/share.
/// Throws: OptionError when HOME is not set and it would be needed.
[[nodiscard]] std::filesystem::path data_folder(const std::filesystem::path& given = {});

/// Where `file` is in `folder`: as it is, else packed; as it is when there is none.
[[nodiscard]] std::filesystem::path find_named_file(const NamedFile& file,
                                                    const std::filesystem::path& folder);

/// Reads a tabular set of [CLJK20] from the data folder, in the form of the paper: files pooled,
/// ids left out, the categorical columns declared as such.
/// Throws: OptionError for an unknown name; DataError when there is no such folder or file, or
/// when the file does not have the number of rows that it should, or when the set holds images.
[[nodiscard]] NamedSet load_named_set(std::string_view name,
                                      const std::filesystem::path& folder = {});

/// The same for a set of images: mnist, fashion-mnist, cifar-10. The training rows first, then
/// the set's own test rows.
[[nodiscard]] Images load_named_images(std::string_view name,
                                       const std::filesystem::path& folder = {});

}  // namespace adacvar
