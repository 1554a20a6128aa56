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

/// How a command talks; every command has these.
struct TalkOptions {
  bool json = false;
  bool quiet = false;
  std::string config = {};

  static const std::vector<OptionSpec>& options();
};

/// Adds them under "Output".
void add_talk_options(OptionList& list, TalkOptions& options,
                      std::initializer_list<std::string_view> without = {});

/// The options of training, but for those in `without`, under the headings of the help.
void add_run_options(OptionList& list, RunOptions& options,
                     std::initializer_list<std::string_view> without = {});

/// Writes a file as `write_file` does; an interrupt leaves what was there. Throws: Interrupted too.
void write_result(const std::string& path, const std::function<void(const Write&)>& fill);

/// Prints each as a line `note: ...` to standard error.
void print_notes(const std::vector<std::string>& notes);

/// The result of a command: the object, or else the text; beside the object the text goes to
/// standard error, and notes always do, unless `options` ask for quiet.
void print_outcome(const TalkOptions& options, const std::string& json, const std::string& text,
                   const std::vector<std::string>& notes);

}  // namespace adacvar::cli
