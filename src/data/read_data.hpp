#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include "data/images.hpp"
#include "data/preprocess.hpp"
#include "data/read_table.hpp"
#include "data/table.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace adacvar {

/// What options of reading need to have an effect: one of the sources is of their kind.
[[nodiscard]] Condition for_files();
[[nodiscard]] Condition for_synthetic_sets();
[[nodiscard]] Condition for_named_sets();

/// What a source holds, before preprocessing.
struct RawData {
  std::variant<Table, SparseRows, Images> content;
  std::string target = {};   ///< its usual target, where the source has one
  std::size_t own_test = 0;  ///< that many rows at the end are the set's own test rows

  [[nodiscard]] std::size_t rows() const noexcept;
  [[nodiscard]] const std::string& source() const noexcept;
};

/// Reads what `name` stands for: a synthetic set (normal, pareto, sinc), a named real set (adult,
/// ...), `-`, which is standard input, or else a file or pipe: NPY, LIBSVM, idx or CSV, by its
/// content; a batch of CIFAR-10 by its name (`.bin`, also packed) and size. Beside an idx file of
/// images stands that of their labels (find_labels_file). A file that is called like a set is
/// read as `./normal`. Throws: OptionError for an option that does not fit the source; DataError
/// for what is wrong with the file, or when there is none of that name.
[[nodiscard]] RawData read_data(const std::string& name, const SourceOptions& options = {});

/// The files that `read_data` reads for `name`: of a named set those in `data_dir`, of images
/// also that of their labels; none of a synthetic set. They need not be there.
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::string& name, const std::filesystem::path& data_dir = {});

/// Whether `name` stands for a file of text in columns, which TableStream can read; a pipe, which
/// cannot be read twice, is not looked into.
[[nodiscard]] bool is_text_table(const std::string& name);

/// The same for data that a model of `training` is used on: columns that were categories in
/// training are so here, numbers are written as there, of a text file only the columns in use and
/// those of `also` are kept. There may be no rows.
[[nodiscard]] RawData read_data_like(const Preprocessor& training, const std::string& name,
                                     const SourceOptions& options = {},
                                     std::vector<std::string> also = {});

/// Cost: one pass over the data.
[[nodiscard]] DataFingerprint fingerprint_of(const RawData& data);

}  // namespace adacvar
