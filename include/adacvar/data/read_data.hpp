#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/images.hpp>
#include <adacvar/data/preprocess.hpp>
#include <adacvar/data/read_table.hpp>
#include <adacvar/data/table.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace adacvar {

enum class Separator : std::uint8_t { automatic, comma, semicolon, tab, space, pipe };
enum class HeaderChoice : std::uint8_t { automatic, yes, no };

/// What options of reading need to have an effect: one of the sources is of their kind.
[[nodiscard]] Condition for_files();
[[nodiscard]] Condition for_synthetic_sets();
[[nodiscard]] Condition for_named_sets();

/// How data is found and read; the defaults find out for themselves.
struct SourceOptions {
  Separator separator = Separator::automatic;
  HeaderChoice header = HeaderChoice::automatic;
  std::vector<std::string> categorical = {};
  std::vector<std::string> drop = {};
  DecimalChoice decimal = DecimalChoice::automatic;
  std::vector<std::string> missing = {};
  std::string data_dir = {};
  std::uint64_t make_rows = 10'000;
  std::uint64_t make_seed = 0;
  ReadProgress progress = {};  ///< of a file

  static void describe(auto&& option) {
    using O = SourceOptions;
    option("categorical", &O::categorical,
           "columns that are categories though they look numeric, with commas between; one whose "
           "name has a comma in double quotes");
    option("drop", &O::drop, "columns to leave out, with commas between, quoted likewise");
    option("separator", &O::separator, Names{"auto", "comma", "semicolon", "tab", "space", "pipe"},
           "what stands between the fields of a text file", for_files());
    option("header", &O::header, Names{"auto", "yes", "no"},
           "whether the first row of a text file names the columns", for_files());
    option("decimal", &O::decimal, Names{"auto", "point", "comma"},
           "decimal sign of a text file's numbers; auto: found column by column", for_files());
    option("missing", &O::missing,
           "words or numbers of a text file that mean a missing value, with commas between",
           for_files());
    option("data-dir", &O::data_dir,
           "folder of the named real sets; else ADACVAR_DATA, else adacvar in XDG_DATA_HOME or "
           "~/.local/share",
           for_named_sets());
    option("make-rows", &O::make_rows, Bounds{.low = 1, .high = 4'294'967'294.0},
           "rows of a synthetic set", for_synthetic_sets());
    option("make-seed", &O::make_seed, Bounds{.low = 0}, "seed of a synthetic set",
           for_synthetic_sets());
  }
};

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
/// pictures stands that of their labels (find_labels_file). A file that is called like a set is
/// read as `./normal`. Throws: OptionError for an option that does not fit the source; DataError
/// for what is wrong with the file, or when there is none of that name.
[[nodiscard]] RawData read_data(const std::string& name, const SourceOptions& options = {});

/// The files that `read_data` reads for `name`: of a named set those in `data_dir`, of pictures
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

/// What identifies data: two sources with equal fingerprints hold the same columns and values.
struct DataFingerprint {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::string crc64;  ///< 16 hexadecimal digits

  friend bool operator==(const DataFingerprint&, const DataFingerprint&) = default;
};

/// Cost: one pass over the data.
[[nodiscard]] DataFingerprint fingerprint_of(const RawData& data);

}  // namespace adacvar
