#include "data/read_data.hpp"

#include "base/collectives.hpp"
#include "base/crc64.hpp"
#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "data/class_labels.hpp"
#include "data/columns_like.hpp"
#include "data/file_bytes.hpp"
#include "data/foreign_format.hpp"
#include "data/parse_csv_file.hpp"
#include "data/parse_idx.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/self_communicator.hpp>
#include "data/named_sets.hpp"
#include "data/read_table.hpp"
#include "data/synthetic.hpp"

#include <fmt/core.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <span>

namespace adacvar {

namespace {

constexpr const char* kStandardInput = "-";
constexpr const char* kStandardInputFile = "/dev/stdin";

bool is_synthetic(const std::string& name) {
  return std::ranges::find(synthetic_names(), name) != synthetic_names().end();
}

bool is_named(const std::string& name) {
  const auto names = named_sets();
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array kSourceOptions = {"data", "valid-data", "test-data"};

Condition for_sets(const std::vector<std::string>& names, const std::string& words) {
  const auto of = [&](const char* option) {
    return Condition({.option = option, .values = names, .words = words});
  };
  return of(kSourceOptions[0]) || of(kSourceOptions[1]) || of(kSourceOptions[2]);
}

// The text reader names levels as written; here a number is named by its value.
void make_categorical(Column& column) {
  column.declared = true;
  if (column.categorical) return;
  column.categorical = true;
  std::vector<double> values;
  for (const double number : column.numbers) {
    if (!std::isnan(number)) values.push_back(number);
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  for (const double value : values) column.levels.push_back(number_name(value));
  for (const double number : column.numbers) {
    const auto place = std::ranges::lower_bound(values, number) - values.begin();
    column.codes.push_back(std::isnan(number) ? kMissingLevel : static_cast<std::uint32_t>(place));
  }
  column.numbers = {};
}

// Applies `categorical` and `drop` to tables that are not read from text.
void choose_columns(Table& table, const SourceOptions& options) {
  for (const std::string& name : options.categorical) {
    const Column& found = find_column(table, name, "categorical");
    make_categorical(table.columns[static_cast<std::size_t>(&found - table.columns.data())]);
  }
  for (const std::string& name : options.drop) {
    const Column& found = find_column(table, name, "drop");
    table.columns.erase(table.columns.begin() + (&found - table.columns.data()));
  }
  if (table.columns.empty()) throw DataError("every column is dropped", table.source);
}

RawData make_table_data(Table table, const SourceOptions& options, std::string target = {}) {
  choose_columns(table, options);
  return {std::move(table), std::move(target)};
}

bool has_batch_name(std::string_view name) {
  return name.ends_with(".bin") || name.ends_with(".bin.gz") || name.ends_with(".bin.xz");
}

// A file of another size with a zero byte is not text but damaged; the reader reports that.
bool is_batch(std::string_view name, std::string_view bytes) {
  constexpr std::size_t kRecord = 3073;
  return has_batch_name(name) &&
         (bytes.size() % kRecord == 0 || bytes.find('\0') != std::string_view::npos);
}

RawData make_image_data(Images images, const SourceOptions& options, std::size_t own_test = 0) {
  if (!options.categorical.empty() || !options.drop.empty()) {
    throw OptionError(
        fmt::format("categorical and drop need named columns; {} holds images", images.source));
  }
  return {std::move(images), "label", own_test};
}

RawData read_named(const std::string& name, const SourceOptions& options) {
  const NamedSetInfo& info = named_set_info(name);
  if (info.image.size() > 0) {
    return make_image_data(load_named_images(name, options.data_dir), options, info.own_test);
  }
  NamedSet set = load_named_set(name, options.data_dir);
  return make_table_data(std::move(set.table), options, std::string(set.info.target));
}

void refuse_text_options(const SourceOptions& options, const std::string& name) {
  if (options.separator == Separator::automatic && options.header == HeaderChoice::automatic &&
      options.decimal == DecimalChoice::automatic) {
    return;
  }
  throw OptionError(fmt::format(
      "separator, header and decimal have no effect: they apply to text files in columns only; "
      "{} is not one",
      name));
}

void refuse_parts(const std::string& name, const char* why) {
  throw DataError(
      fmt::format("{}: several ranks read text files in columns (CSV, TSV) that are not "
                  "compressed",
                  why),
      name);
}

/// Whether the file of labels of an idx file of images is read.
enum class Labels : std::uint8_t { needed, ignored };

// Opened once, since a pipe cannot be read again.
RawData read_file(const std::string& name, const SourceOptions& options, const ReadOptions& csv,
                  Labels labels, Communicator& ranks) {
  if (ranks.size() > 1 && is_compressed(name)) refuse_parts(name, "is compressed");
  FileBytes file(name, options.progress);
  refuse_foreign_format(file.text(), name);
  const bool is_cifar = is_batch(name, file.text());
  const FileKind kind = find_content_kind(file.text());
  if (is_cifar || kind != FileKind::csv) refuse_text_options(options, name);
  if (ranks.size() > 1 && (is_cifar || kind != FileKind::csv)) {
    refuse_parts(name, "is not a text file in columns");
  }
  if (is_cifar) return make_image_data(parse_cifar(file.text(), name), options);
  switch (kind) {
    case FileKind::npy:
      return make_table_data(parse_npy(file.text(), name), options);
    case FileKind::libsvm:
      if (!options.categorical.empty() || !options.drop.empty()) {
        throw OptionError(
            fmt::format("categorical and drop need named columns; {} is a LIBSVM file", name));
      }
      return {parse_libsvm(file.text(), name), "target"};
    case FileKind::idx:
      return make_image_data(labels == Labels::needed ? parse_idx(file.text(), name)
                                                      : parse_idx_images(file.text(), name),
                             options);
    case FileKind::csv:
      break;
  }
  return {ranks.size() > 1 ? parse_csv(file, csv, ranks) : parse_csv(file, csv), {}};
}

RawData read(const std::string& name, const SourceOptions& options, const ReadOptions& csv,
             Labels labels, Communicator& ranks) {
  check_options(options);
  if (name.empty()) {
    throw OptionError(fmt::format("data is not given: a file, or one of {}, {}",
                                  join(synthetic_names(), ", "), join(named_sets(), ", ")));
  }
  if (ranks.size() > 1 && (is_synthetic(name) || is_named(name) || name == kStandardInput)) {
    refuse_parts(name, "is not a file");
  }
  if (is_synthetic(name)) {
    return make_table_data(
        make_synthetic(name, {.rows = options.make_rows, .seed = options.make_seed}), options, "y");
  }
  if (is_named(name)) return read_named(name, options);
  if (name == kStandardInput) return read_file(kStandardInputFile, options, csv, labels, ranks);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    std::vector<std::string> sets = named_sets();
    sets.insert(sets.begin(), synthetic_names().begin(), synthetic_names().end());
    throw DataError(fmt::format("there is no such file, nor a built-in set: {}{}", join(sets, ", "),
                                did_you_mean(name, sets)),
                    name);
  }
  return read_file(name, options, csv, labels, ranks);
}

class Checksum {
 public:
  void add(std::string_view text) {
    add_bytes(text.data(), text.size());
    add_bytes("", 1);  // "ab", "c" is not "a", "bc"
  }
  template <class Number>
  void add(std::span<const Number> numbers) {
    add_bytes(numbers.data(), numbers.size_bytes());
  }
  void add(const CompactNumbers& numbers) {
    std::array<double, 512> some{};
    for (std::size_t first = 0; first < numbers.size(); first += some.size()) {
      const std::size_t count = std::min(some.size(), numbers.size() - first);
      for (std::size_t i = 0; i < count; ++i) some[i] = numbers[first + i];
      add(std::span<const double>(some).first(count));
    }
  }
  /// Adds bytes of which only the checksum is known.
  void add_crc(std::uint64_t crc, std::uint64_t bytes) { crc_ = join_crc64(crc_, crc, bytes); }
  [[nodiscard]] std::uint64_t crc() const noexcept { return crc_; }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", crc_); }

 private:
  void add_bytes(const void* bytes, std::size_t count) {
    crc_ = lzma_crc64(static_cast<const std::uint8_t*>(bytes), count, crc_);
  }
  std::uint64_t crc_ = 0;
};

// Every column of all ranks' rows, which follow each other.
DataFingerprint fingerprint(const Table& table, Communicator& ranks) {
  std::vector<std::uint64_t> mine;
  for (const Column& column : table.columns) {
    Checksum values;
    values.add(column.numbers);
    values.add(std::span(column.codes));
    mine.push_back(values.crc());
  }
  const std::vector<std::uint64_t> values =
      gather_values(ranks, std::span<const std::uint64_t>(mine));
  const std::vector<std::uint64_t> rows = gather_one(ranks, std::uint64_t{table.rows});
  Checksum sum;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    sum.add(column.name);
    for (const std::string_view level : column.levels) sum.add(level);
    const std::size_t bytes = column.categorical ? sizeof(std::uint32_t) : sizeof(double);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      sum.add_crc(values[rank * table.columns.size() + c], bytes * rows[rank]);
    }
  }
  return {std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}), table.columns.size(),
          sum.text()};
}

DataFingerprint fingerprint(const SparseRows& sparse) {
  Checksum sum;
  sum.add(std::span(sparse.start));
  sum.add(std::span(sparse.column));
  sum.add(std::span(sparse.value));
  sum.add(std::span(sparse.target));
  return {sparse.rows(), sparse.columns, sum.text()};
}

// Class names do not count: a file may lack the names that the set has.
DataFingerprint fingerprint(const Images& images) {
  Checksum sum;
  sum.add(shape_text(images.shape));
  sum.add(std::span(images.pixels));
  sum.add(std::span(images.labels));
  return {images.rows(), images.shape.size(), sum.text()};
}

}  // namespace

const std::vector<OptionSpec>& SourceOptions::options() {
  using O = SourceOptions;
  static const std::vector<OptionSpec> all{
      {"categorical", &O::categorical,
       "columns to treat as categorical though they look numeric, separated by commas; a name with "
       "a comma must be in double quotes"},
      {"drop", &O::drop, "columns to leave out, separated by commas, quoted likewise"},
      {"separator", &O::separator, Names{"auto", "comma", "semicolon", "tab", "space", "pipe"},
       "field separator of a text file", for_files()},
      {"header", &O::header, Names{"auto", "yes", "no"},
       "whether the first row of a text file names the columns", for_files()},
      {"decimal", &O::decimal, Names{"auto", "point", "comma"},
       "decimal sign of a text file's numbers; auto: detected for each column", for_files()},
      {"missing", &O::missing,
       "words or numbers of a text file that mean a missing value, separated by commas",
       for_files()},
      {"data-dir", &O::data_dir,
       "folder of the named real sets; else ADACVAR_DATA, else adacvar in XDG_DATA_HOME or "
       "~/.local/share",
       for_named_sets()},
      {"make-rows", &O::make_rows, Bounds{.low = 1, .high = 4'294'967'294.0},
       "rows of a synthetic set", for_synthetic_sets()},
      {"make-seed", &O::make_seed, Bounds{.low = 0}, "seed of a synthetic set",
       for_synthetic_sets()},
  };
  return all;
}

Condition for_files() {
  const std::string words = "for a file";
  std::vector<std::string> sets = named_sets();
  sets.insert(sets.end(), synthetic_names().begin(), synthetic_names().end());
  const auto of = [&](const char* option) {
    return Condition({.option = option, .words = words}) &&
           Condition({.option = option, .values = sets, .is_one_of = false, .words = words});
  };
  return of(kSourceOptions[0]) || of(kSourceOptions[1]) || of(kSourceOptions[2]);
}

Condition for_synthetic_sets() {
  return for_sets({synthetic_names().begin(), synthetic_names().end()},
                  fmt::format("for a synthetic set ({})", join(synthetic_names(), ", ")));
}

Condition for_named_sets() { return for_sets(named_sets(), "for a named real set"); }

std::size_t RawData::rows() const noexcept {
  if (const auto* table = std::get_if<Table>(&content)) return table->rows;
  if (const auto* images = std::get_if<Images>(&content)) return images->rows();
  return std::get_if<SparseRows>(&content)->rows();
}

const std::string& RawData::source() const noexcept {
  if (const auto* table = std::get_if<Table>(&content)) return table->source;
  if (const auto* images = std::get_if<Images>(&content)) return images->source;
  return std::get_if<SparseRows>(&content)->source;
}

RawData read_data(const std::string& name, const SourceOptions& options) {
  SelfCommunicator self;
  return read_data(name, options, self);
}

RawData read_data(const std::string& name, const SourceOptions& options, Communicator& ranks) {
  return read(name, options, read_options(options), Labels::needed, ranks);
}

std::vector<std::filesystem::path> files_of(const std::string& name,
                                            const std::filesystem::path& data_dir) {
  if (is_synthetic(name)) return {};
  if (name == kStandardInput) return {kStandardInputFile};
  std::vector<std::filesystem::path> files;
  if (is_named(name)) {
    for (const NamedFile& file : named_set_info(name).files) {
      files.push_back(find_named_file(file, data_folder(data_dir)));
    }
    return files;
  }
  files.emplace_back(name);
  try {
    files.push_back(find_labels_file(name));
  } catch (const DataError&) {
    // Not images, or images without labels: the reader reports that.
  }
  return files;
}

bool is_text_table(const std::string& name) {
  std::error_code ignored;
  return !is_synthetic(name) && !is_named(name) && !has_batch_name(name) &&
         std::filesystem::is_regular_file(name, ignored) && find_file_kind(name) == FileKind::csv;
}

RawData read_data_like(const Preprocessor& training, const std::string& name,
                       const SourceOptions& options, std::vector<std::string> extra_columns) {
  SelfCommunicator self;
  return read_data_like(training, name, options, std::move(extra_columns), self);
}

RawData read_data_like(const Preprocessor& training, const std::string& name,
                       const SourceOptions& options, std::vector<std::string> extra_columns,
                       Communicator& ranks) {
  extra_columns.push_back(training.parts().target);
  return read(name, options, columns_like(training, read_options(options), extra_columns),
              Labels::needed, ranks);
}

RawData read_features_like(const Preprocessor& training, const std::string& name,
                           const SourceOptions& options, const std::vector<std::string>& verbatim) {
  ReadOptions text = columns_like(training, read_options(options), {training.parts().target});
  text.verbatim = verbatim;
  SelfCommunicator self;
  return read(name, options, text, Labels::ignored, self);
}

DataFingerprint fingerprint_of(const RawData& data) {
  SelfCommunicator self;
  return fingerprint_of(data, self);
}

DataFingerprint fingerprint_of(const RawData& data, Communicator& ranks) {
  if (const auto* table = std::get_if<Table>(&data.content)) return fingerprint(*table, ranks);
  if (const auto* images = std::get_if<Images>(&data.content)) return fingerprint(*images);
  return fingerprint(std::get<SparseRows>(data.content));
}

}  // namespace adacvar
