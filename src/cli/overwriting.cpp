#include "cli/overwriting.hpp"

#include <adacvar/base/error.hpp>
#include "data/read_data.hpp"
#include "run/blender.hpp"
#include "run/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace adacvar::cli {

namespace {

namespace fs = std::filesystem;

/// A file named by an option.
struct UsedFile {
  std::string option;  // name and value, for messages
  fs::path path;
};

std::string option_text(const CliOption& option) {
  return fmt::format("{} = '{}'", option.name, option.text());
}

bool file_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_special(const fs::path& path) {
  std::error_code ignored;
  return file_exists(path) && !fs::is_regular_file(path, ignored) &&
         !fs::is_directory(path, ignored);
}

// Paths of files that do not exist yet are compared in canonical form.
bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  if (file_exists(one) || file_exists(other)) return fs::equivalent(one, other, ignored);
  return fs::weakly_canonical(fs::absolute(one, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(other, ignored), ignored);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path data_dir(const OptionList& options) {
  const CliOption* const folder = options.find_or_null("data-dir");
  return folder == nullptr ? "" : folder->text();
}

std::vector<UsedFile> files_read(const OptionList& options) {
  std::vector<UsedFile> files;
  for (const CliOption& option : options.all()) {
    if (option.text().empty()) continue;
    if (option.role == PathRole::data) {
      for (fs::path& path : files_of(option.text(), data_dir(options))) {
        files.push_back({option_text(option), std::move(path)});
      }
    } else if (option.role == PathRole::input) {
      files.push_back({option_text(option), option.text()});
      files.push_back({option_text(option), xgboost_path(option.text())});
      for (fs::path& path : weights_paths(option.text())) {
        files.push_back({option_text(option), std::move(path)});
      }
    }
  }
  return files;
}

std::vector<UsedFile> files_written(const OptionList& options) {
  const CliOption* const network = options.find_or_null("network");
  const bool has_weights = network != nullptr && !network->text().empty();
  const CliOption* const trees = options.find_or_null("trees");
  const bool has_trees = trees != nullptr && trees->text() == "true";
  std::vector<UsedFile> files;
  for (const CliOption& option : options.all()) {
    if (option.role != PathRole::output || option.text().empty()) continue;
    files.push_back({option_text(option), option.text()});
    if (option.name == "checkpoint" && (has_weights || has_trees)) {
      files.push_back({option_text(option), tail_checkpoint(option.text())});
    }
    if (option.name == "model" && has_trees) {
      files.push_back({option_text(option), xgboost_path(option.text())});
    }
    if (option.name == "model" && has_weights) {
      for (fs::path& path : weights_paths(option.text())) {
        files.push_back({option_text(option), std::move(path)});
      }
    }
  }
  if (file_exists("/dev/stdout")) files.push_back({"standard output", "/dev/stdout"});
  return files;
}

// Whether a file of that name may be written to the folder of `option`; figures and models have
// many names.
bool is_result_name(const CliOption& option, const fs::path& name) {
  if (option.name == "model") {
    return name.extension() == ".json" ||
           std::ranges::any_of(weights_paths(".json"), [&](const fs::path& ending) {
             return name.string().ends_with(ending.string());
           });
  }
  constexpr std::array kNames = {"results.jsonl", "tables.md", "tables.tex", "tables.csv"};
  return name.extension() == ".svg" || std::ranges::find(kNames, name) != kNames.end();
}

// `reproduce` creates a subfolder per study when it runs several.
bool is_in(const fs::path& file, const CliOption& option) {
  if (!is_result_name(option, file.filename())) return false;
  const fs::path folder = option.text();
  const fs::path parent = folder_of(file);
  return is_same(parent, folder) || is_same(folder_of(fs::absolute(parent)), folder);
}

void refuse_same(const UsedFile& written, const UsedFile& other) {
  if (is_special(written.path) || is_special(other.path)) return;
  if (!is_same(written.path, other.path)) return;
  throw OptionError(fmt::format("{} would overwrite {}: both use the file {}", written.option,
                                other.option, written.path.string()));
}

void refuse_in_folders(const OptionList& options, const std::vector<UsedFile>& files) {
  for (const CliOption& option : options.all()) {
    if (option.role != PathRole::output_folder || option.text().empty()) continue;
    for (const UsedFile& file : files) {
      if (!is_in(file.path, option) && !is_same(file.path, option.text())) continue;
      throw OptionError(fmt::format("{} would overwrite {}: files of such names are written to it",
                                    option_text(option), file.option));
    }
  }
}

}  // namespace

void refuse_overwriting(const OptionList& options) {
  const std::vector<UsedFile> read = files_read(options);
  const std::vector<UsedFile> written = files_written(options);
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const UsedFile& file : read) refuse_same(written[i], file);
    for (std::size_t j = 0; j < i; ++j) refuse_same(written[i], written[j]);
  }
  refuse_in_folders(options, read);
  refuse_in_folders(options, written);
}

}  // namespace adacvar::cli
