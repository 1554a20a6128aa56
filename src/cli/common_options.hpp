#pragma once

#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/standard_streams.hpp"

#include <adacvar/run/run.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::cli {

/// Options of the printed output, shared by all commands.
struct OutputOptions {
  bool json = false;
  bool quiet = false;
  std::string config = {};

  static const std::vector<OptionSpec>& options();
};

/// Adds them under "Output", except those in `without`.
void add_output_options(OptionList& list, OutputOptions& options,
                        std::initializer_list<std::string_view> without = {});

/// Adds the training options, except those in `without`, under their headings in the help.
void add_run_options(OptionList& list, RunOptions& options,
                     std::initializer_list<std::string_view> without = {});

/// Writes a file like `write_file`; an interrupt leaves an existing file unchanged. Throws:
/// Interrupted too.
void write_result(const std::string& path, const std::function<void(const Write&)>& fill);

/// Creates the folder that the option `name` names. Throws OptionError if that is not possible.
void create_folder(std::string_view name, const std::string& path);

/// Prints each note as a line `note: ...` to standard error.
void print_notes(const std::vector<std::string>& notes);

/// Prints the result of a command to standard output: the JSON object with --json, else the text.
/// Unless --quiet, the notes and, with --json, the text go to standard error.
void print_outcome(const OutputOptions& options, const std::string& json, const std::string& text,
                   const std::vector<std::string>& notes);

}  // namespace adacvar::cli
