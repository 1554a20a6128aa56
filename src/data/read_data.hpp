#pragma once

#include <adacvar/base/communicator.hpp>
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

/// Conditions under which reading options have an effect: a source is of their kind.
[[nodiscard]] Condition for_files();
[[nodiscard]] Condition for_synthetic_sets();
[[nodiscard]] Condition for_named_sets();

/// Content of a source, before preprocessing.
struct RawData {
  std::variant<Table, SparseRows, Images> content;
  std::string target = {};   ///< default target, if the source has one
  std::size_t own_test = 0;  ///< number of rows at the end that are the set's own test rows

  [[nodiscard]] std::size_t rows() const noexcept;
  [[nodiscard]] const std::string& source() const noexcept;
};

/// Reads the data set `name`: a synthetic set (normal, pareto, sinc), a named real set (adult,
/// ...), `-` for standard input, or else a file or pipe. NPY, LIBSVM, idx and CSV are detected by
/// content, a batch of CIFAR-10 by its name (`.bin`, also compressed) and size. The labels of an
/// idx file of images are read from the file beside it (find_labels_file). A file with the name of
/// a set is read as `./normal`. Throws: OptionError for an option that does not fit the source;
/// DataError for an error in the file, or when it does not exist.
[[nodiscard]] RawData read_data(const std::string& name, const SourceOptions& options = {});

/// Reads a text file in columns by several ranks, of which each gets consecutive rows; they know
/// the columns, kinds and levels that one rank finds with all rows. Throws: DataError for other
/// sources, which are not read in parts, if there are several ranks.
[[nodiscard]] RawData read_data(const std::string& name, const SourceOptions& options,
                                Communicator& ranks);

/// Returns the files that `read_data` reads for `name`: those in `data_dir` for a named set,
/// including the labels of images; none for a synthetic set. The files need not exist.
[[nodiscard]] std::vector<std::filesystem::path> files_of(
    const std::string& name, const std::filesystem::path& data_dir = {});

/// True if `name` is a text file in columns, which TableStream can read. A pipe is not inspected,
/// since it cannot be read twice.
[[nodiscard]] bool is_text_table(const std::string& name);

/// Reads data that a trained model is scored on: columns that were categorical in training stay
/// categorical, numbers have the format of training, and only features, target and `extra_columns`
/// of a text file are kept. A file without rows is allowed.
[[nodiscard]] RawData read_data_like(const Preprocessor& training, const std::string& name,
                                     const SourceOptions& options = {},
                                     std::vector<std::string> extra_columns = {});
[[nodiscard]] RawData read_data_like(const Preprocessor& training, const std::string& name,
                                     const SourceOptions& options,
                                     std::vector<std::string> extra_columns, Communicator& ranks);

/// Reads data to predict, as read_data_like does, with the columns `verbatim` of a text file as
/// they are written. An idx file of images needs no labels: they are not read.
[[nodiscard]] RawData read_features_like(const Preprocessor& training, const std::string& name,
                                         const SourceOptions& options = {},
                                         const std::vector<std::string>& verbatim = {});

/// Computes the fingerprint of the data. Cost: one pass.
[[nodiscard]] DataFingerprint fingerprint_of(const RawData& data);
/// The fingerprint of the rows of all ranks.
[[nodiscard]] DataFingerprint fingerprint_of(const RawData& data, Communicator& ranks);

}  // namespace adacvar
