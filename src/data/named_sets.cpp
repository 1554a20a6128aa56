#include "data/named_sets.hpp"

#include <adacvar/base/error.hpp>
#include "data/read_table.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "data/named_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <span>
#include <system_error>
#include <utility>

namespace adacvar {

namespace {

using Names = std::vector<std::string>;

/// How one set is read: by columns from text, or from LIBSVM rows when `sparse`.
struct Recipe {
  NamedSetInfo info;
  Names names;  // names of the columns; image sets: of the classes
  Names categorical = {};
  Names drop = {};
  bool sparse = false;
};

/// Returns prefix1, ..., prefix<count>, then `more`.
Names numbered(const std::string& prefix, int count, const Names& more = {}) {
  Names names;
  for (int i = 1; i <= count; ++i) names.push_back(prefix + std::to_string(i));
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

Names joined(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// LIBSVM rows begin with the target, other formats mostly end with it.
std::vector<Recipe> make_regression_recipes() {
  return {
      {{"abalone", "age of abalone (rings) from its measures", Task::regression, 4177, 10, "Rings",
        named_files("abalone")},
       {"Sex", "Length", "Diameter", "Height", "Whole weight", "Shucked weight", "Viscera weight",
        "Shell weight", "Rings"},
       {"Sex"}},
      {{"boston", "median house values of Boston districts", Task::regression, 506, 22, "MEDV",
        named_files("boston")},
       {"CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B",
        "LSTAT", "MEDV"},
       {"CHAS", "RAD"}},
      {.info = {"cpu-small", "share of time a computer runs in user mode", Task::regression, 8192,
                12, "usr", named_files("cpu-small")},
       .names = {"usr", "lread", "lwrite", "scall", "sread", "swrite", "fork", "exec", "rchar",
                 "wchar", "runqsz", "freemem", "freeswap"},
       .sparse = true},
  };
}

std::vector<Recipe> make_classification_recipes() {
  return {
      {{"adult", "income above 50,000 dollars, census of 1994", Task::binary, 48842, 108, "income",
        named_files("adult")},
       {"age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
        "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
        "native-country", "income"}},
      {{"australian", "credit approval", Task::binary, 690, 42, "A15", named_files("australian")},
       numbered("A", 15),
       {"A1", "A4", "A5", "A6", "A8", "A9", "A11", "A12"}},
      {{"german", "credit risk: 1 good, 2 bad", Task::binary, 1000, 24, "class",
        named_files("german")},
       numbered("A", 24, {"class"})},
      {{"monks", "MONK's problem 1: a1 = a2 or a5 = 1", Task::binary, 556, 17, "class",
        named_files("monks")},
       joined({"class"}, numbered("a", 6, {"id"})),
       numbered("a", 6),
       {"id"}},
      {{"phoneme", "nasal (0) against oral (1) vowels", Task::binary, 5404, 5, "Class",
        named_files("phoneme")},
       {"Aa", "Ao", "Dcl", "Iy", "Sh", "Class"}},
      {{"spambase", "spam (1) by frequencies of words", Task::binary, 4601, 57, "spam",
        named_files("spambase")},
       joined(numbered("word", 48),
              numbered("char", 6, {"capital_mean", "capital_longest", "capital_total", "spam"}))},
      {.info = {"splice", "splice junctions in DNA: -1 a junction, 1 none", Task::binary, 3175, 60,
                "class", named_files("splice")},
       .names = joined({"class"}, numbered("p", 60)),
       .sparse = true},
      {{"titanic", "survival of the people on board, coded as numbers", Task::binary, 2201, 3,
        "Survived", named_files("titanic")},
       {"Class", "Age", "Sex", "Survived"}},
  };
}

NamedSetInfo image_set_info(std::string_view name, std::string_view about, std::size_t rows,
                            const ImageShape& shape) {
  return {.name = name,
          .about = about,
          .task = Task::multiclass,
          .rows = rows,
          .features = shape.size(),
          .target = "label",
          .files = named_files(name),
          .image = shape,
          .own_test = 10'000};
}

std::vector<Recipe> make_image_recipes() {
  constexpr ImageShape kGrey = {.channels = 1, .height = 28, .width = 28};
  return {
      {image_set_info("mnist", "handwritten digits", 70'000, kGrey),
       {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
      {image_set_info("fashion-mnist", "articles of clothing", 70'000, kGrey),
       {"T-shirt/top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
        "ankle boot"}},
      {.info = image_set_info("cifar-10", "animals and vehicles in colour", 60'000,
                              {.channels = 3, .height = 32, .width = 32}),
       .names = {}},
  };
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> made = make_regression_recipes();
    for (Recipe& recipe : make_classification_recipes()) made.push_back(std::move(recipe));
    for (Recipe& recipe : make_image_recipes()) made.push_back(std::move(recipe));
    return made;
  }();
  return all;
}

const Recipe& find_recipe(std::string_view name) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.info.name == name) return recipe;
  }
  throw OptionError(fmt::format("data set = '{}' is not one of: {}{}", name,
                                join(named_sets(), ", "), did_you_mean(name, named_sets())));
}

// In adult.test every label ends with a full stop.
void strip_full_stops(Column& target) {
  CompactNames levels;
  for (std::string_view level : target.levels) {
    if (level.ends_with('.')) level.remove_suffix(1);
    levels.push_back(level);
  }
  target.levels = std::move(levels);
}

Table read_file(const Recipe& recipe, const std::filesystem::path& path) {
  if (recipe.sparse) {
    Table table = to_table(read_libsvm(path));
    if (table.columns.size() != recipe.names.size()) {
      throw DataError(fmt::format("{} features, {} has {}", table.columns.size() - 1,
                                  recipe.info.name, recipe.names.size() - 1),
                      table.source);
    }
    for (std::size_t c = 0; c < recipe.names.size(); ++c) table.columns[c].name = recipe.names[c];
    return table;
  }
  // The headers of KEEL's files begin with @, the first line of adult.test with |.
  Table table = read_csv(path, {.header = false,
                                .names = recipe.names,
                                .categorical = recipe.categorical,
                                .drop = recipe.drop,
                                .preamble = "@|"});
  strip_full_stops(*std::ranges::find(table.columns, recipe.info.target, &Column::name));
  return table;
}

/// Returns an empty string if the variable is not set.
std::filesystem::path environment_path(const char* name) {
  const char* const set = std::getenv(name);
  return set != nullptr ? set : "";
}

std::filesystem::path existing_folder(const std::filesystem::path& folder) {
  std::filesystem::path place = data_folder(folder);
  if (!std::filesystem::is_directory(place)) {
    throw DataError(
        "there is no such data folder; `adacvar data fetch` makes it, --data-dir or ADACVAR_DATA "
        "names another",
        place.string());
  }
  return place;
}

void check_count(std::size_t rows, const NamedSetInfo& info, const std::string& source) {
  if (rows == info.rows) return;
  throw DataError(fmt::format("{} rows, {} has {}", rows, info.name, info.rows), source);
}

// Files come in pairs: images, then their labels.
Images read_idx_pairs(const Recipe& recipe, std::span<const std::filesystem::path> paths) {
  Images all = read_idx(paths[0], paths[1], recipe.names);
  for (std::size_t i = 2; i + 1 < paths.size(); i += 2) {
    append_images(all, read_idx(paths[i], paths[i + 1], recipe.names));
  }
  return all;
}

}  // namespace

std::vector<std::string> named_sets() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) names.emplace_back(recipe.info.name);
  return names;
}

const NamedSetInfo& named_set_info(std::string_view name) { return find_recipe(name).info; }

std::filesystem::path data_folder(const std::filesystem::path& given) {
  if (!given.empty()) return given;
  if (std::filesystem::path set = environment_path("ADACVAR_DATA"); !set.empty()) return set;
  // The XDG base directory specification has relative paths ignored.
  if (const auto data = environment_path("XDG_DATA_HOME"); data.is_absolute()) {
    return data / "adacvar";
  }
  const auto home = environment_path("HOME");
  if (home.empty()) {
    throw OptionError("HOME is not set, so there is no default data folder; set ADACVAR_DATA");
  }
  return home / ".local" / "share" / "adacvar";
}

std::filesystem::path find_named_file(const NamedFile& file, const std::filesystem::path& folder) {
  std::filesystem::path plain = folder / file.path;
  for (const char* const packed : {"", ".gz", ".xz"}) {
    std::filesystem::path path = plain;
    path += packed;
    std::error_code unreadable;  // the reader says why
    if (std::filesystem::exists(path, unreadable)) return path;
  }
  return plain;
}

NamedSet load_named_set(std::string_view name, const std::filesystem::path& folder) {
  const Recipe& recipe = find_recipe(name);
  if (recipe.info.image.size() > 0) {
    throw DataError("holds images, not a table", std::string(name));
  }
  const std::filesystem::path place = existing_folder(folder);
  NamedSet set{recipe.info, {}};
  for (const NamedFile& file : recipe.info.files) {
    Table table = read_file(recipe, find_named_file(file, place));
    set.table = set.table.columns.empty() ? std::move(table) : append_rows(set.table, table);
  }
  check_count(set.table.rows, recipe.info, set.table.source);
  set.table.source = name;
  return set;
}

Images load_named_images(std::string_view name, const std::filesystem::path& folder) {
  const Recipe& recipe = find_recipe(name);
  if (recipe.info.image.size() == 0) {
    throw DataError("holds a table, not images", std::string(name));
  }
  const std::filesystem::path place = existing_folder(folder);
  std::vector<std::filesystem::path> paths;
  for (const NamedFile& file : recipe.info.files) paths.push_back(find_named_file(file, place));
  // The reader of CIFAR-10 sets the class names.
  Images images = recipe.names.empty() ? read_cifar(paths) : read_idx_pairs(recipe, paths);
  check_count(images.rows(), recipe.info, images.source);
  images.source = name;
  return images;
}

}  // namespace adacvar
