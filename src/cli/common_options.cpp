#include "cli/common_options.hpp"

#include "cli/interrupt.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

namespace adacvar::cli {

const std::vector<OptionSpec>& OutputOptions::options() {
  using O = OutputOptions;
  static const std::vector<OptionSpec> all{
      {"json", &O::json, "prints one JSON object to standard output"},
      {"quiet", &O::quiet,
       "prints no progress, and only the notes that are needed to read the results"},
      {"config", &O::config, "TOML file with options"},
  };
  return all;
}

void add_output_options(OptionList& list, OutputOptions& options,
                        std::initializer_list<std::string_view> without) {
  list.add("Output", options, without);
  list.set_letter("quiet", 'q');
  if (list.find_or_null("config") != nullptr) list.set_role(PathRole::input, {"config"});
}

void add_run_options(OptionList& list, RunOptions& options,
                     std::initializer_list<std::string_view> without) {
  list.add("Data", options.data);
  list.add("Data", options.data.source);
  list.add("Loss", options.loss);
  list.add("Training", options.train, without);
  list.add("Trade-off", options.budget, without);
  list.add("Training", options.train.optimizer);
  list.add("Training", options.checkpoint, without);
  list.add("Network", options.network);
  list.add("Network", options.blend, without);
  list.add("Trees", options.train.trees, without);
  list.add("Training", options.repeat, without);
  list.add("Tuning", options.tune, without);
  list.add("Trade-off", options.calibrate, without);
  list.add("Best possible", options.solve, without);
  list.add("Sampler of adacvar", options.train.sampler, {"alpha", "gamma"});
  list.set_position("data", 1);
  list.set_role(PathRole::data, {"data", "valid-data", "test-data"});
  list.set_role(PathRole::input, {"network"});
  list.set_role(PathRole::input_folder, {"data-dir"});
  if (list.find_or_null("checkpoint") != nullptr) list.set_role(PathRole::output, {"checkpoint"});
}

void write_result(const std::string& path, const std::function<void(const Write&)>& fill) {
  watch_interrupts();
  write_file(path, [&](const Write& write) {
    fill([&](std::string_view text) {
      throw_if_interrupted();
      write(text);
    });
  });
}

void create_folder(std::string_view name, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  throw OptionError(fmt::format("{} = '{}' is not a folder: {}", name, path, error.message()));
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_message("note: " + note + "\n");
}

void print_outcome(const OutputOptions& options, const std::string& json, const std::string& text,
                   const std::vector<std::string>& notes) {
  if (options.json) {
    print_result(json + "\n");
    if (!options.quiet) print_message(text);
  } else {
    print_result(text);
  }
  if (!options.quiet) print_notes(notes);
}

}  // namespace adacvar::cli
