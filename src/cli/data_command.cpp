#include "base/join.hpp"
#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/csv_text.hpp"
#include "cli/fetch.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"
#include "data/preprocess_json.hpp"
#include "report/text_table.hpp"

#include <adacvar/base/error.hpp>
#include "base/number_text.hpp"
#include "data/named_sets.hpp"
#include "data/read_data.hpp"
#include "data/synthetic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

namespace adacvar::cli {

namespace {

struct FolderOptions {
  std::string data_dir = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"data-dir", &FolderOptions::data_dir,
         "folder of the named real sets; else ADACVAR_DATA, else adacvar in XDG_DATA_HOME or "
         "~/.local/share"},
    };
    return all;
  }
};

struct NameOptions {
  std::string name = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"name", &NameOptions::name, "name of a set"},
    };
    return all;
  }
};

bool is_present(const NamedSetInfo& info, const std::filesystem::path& folder) {
  return std::ranges::all_of(info.files, [&](const NamedFile& file) {
    std::error_code ignored;
    return std::filesystem::exists(find_named_file(file, folder), ignored);
  });
}

int run_list(const FolderOptions& options) {
  TextTable table({"name", "task", "rows", "features", "target", "where"});
  for (const std::string_view name : synthetic_names()) {
    table.add(
        {std::string(name), "regression", "any", name == "sinc" ? "10" : "5", "y", "generated"});
  }
  for (const std::string& name : named_sets()) {
    const NamedSetInfo& info = named_set_info(name);
    table.add({name, std::string(task_name(info.task)), count_text(info.rows),
               std::to_string(info.features), std::string(info.target),
               is_present(info, data_folder(options.data_dir)) ? "found" : "not found"});
  }
  print_result(table.text());
  print_result(fmt::format("\nThe folder of real sets is {}; `adacvar data fetch NAME` fills it.\n",
                           data_folder(options.data_dir).string()));
  return kDone;
}

std::string column_summary(const Column& column) {
  if (column.categorical) {
    std::vector<std::string> shown(
        column.levels.begin(),
        column.levels.begin() +
            static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, column.levels.size())));
    return fmt::format("{} values: {}{}", column.levels.size(), join(shown, ", "),
                       column.levels.size() > 4 ? ", ..." : "");
  }
  std::vector<double> present;
  for (const double number : column.numbers) {
    if (!std::isnan(number)) present.push_back(number);
  }
  if (present.empty()) return "no value";
  const std::string texts =
      column.texts.empty() ? ""
                           : fmt::format("; {} of text, first '{}' in line {}", column.texts.size(),
                                         column.texts[0].text, column.texts[0].line);
  double mean = 0;
  for (const double number : present) mean += number / static_cast<double>(present.size());
  const auto [low, high] = std::ranges::minmax(present);
  return fmt::format("{} to {}, mean {}{}", number_text(low), number_text(high), number_text(mean),
                     texts);
}

std::size_t count_missing(const Column& column) {
  const auto count =
      column.categorical
          ? std::ranges::count(column.codes, kMissingLevel)
          : std::ranges::count_if(column.numbers, [](double n) { return std::isnan(n); });
  return static_cast<std::size_t>(count);
}

std::string describe_table(const Table& table, const std::string& target) {
  std::string text =
      fmt::format("{}: {} rows, {} columns{}\n\n", table.source, count_text(table.rows),
                  table.columns.size(), target.empty() ? "" : fmt::format(", target '{}'", target));
  TextTable columns({"column", "kind", "missing"});
  std::vector<std::string> summaries;
  for (const Column& column : table.columns) {
    columns.add({column.name, column.categorical ? "category" : "number",
                 count_text(count_missing(column))});
    summaries.push_back(one_line(column_summary(column)));
  }
  // Summaries are left-aligned, unlike the cells of a TextTable, so they are appended to its lines.
  std::string lined = columns.text();
  std::size_t line = 0;
  for (std::size_t end = lined.find('\n'); end != std::string::npos;
       end = lined.find('\n', end + 1)) {
    if (line > 0) {
      lined.insert(end, "  " + summaries[line - 1]);
      end += summaries[line - 1].size() + 2;
    }
    ++line;
  }
  return text + lined;
}

std::string describe_sparse(const SparseRows& sparse) {
  const double filled = static_cast<double>(sparse.value.size()) /
                        (static_cast<double>(sparse.rows()) *
                         static_cast<double>(std::max<std::size_t>(1, sparse.columns)));
  const auto [low, high] = std::ranges::minmax(sparse.target);
  return fmt::format(
      "{}: {} rows, {} sparse columns, {} values ({:.2g} % of all); targets {} to {}\n",
      sparse.source, count_text(sparse.rows()), count_text(sparse.columns),
      count_text(sparse.value.size()), 100 * filled, number_text(low), number_text(high));
}

std::string describe_pixels(const Images& images) {
  std::vector<Index> rows(images.rows());
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<std::string> channels;
  for (const ChannelMoments& channel : channel_moments(images, rows)) {
    channels.push_back(fmt::format("{:.4f} (s.d. {:.4f})", channel.mean, channel.sd));
  }
  return fmt::format("pixels / 255, mean of {}: {}\n",
                     channels.size() == 1 ? "the channel" : "each channel", join(channels, ", "));
}

std::string describe_images(const Images& images, std::size_t own_test) {
  std::map<std::uint8_t, std::array<std::size_t, 2>> counts;  // all rows, own test rows
  for (std::size_t row = 0; row < images.rows(); ++row) {
    auto& [all, test] = counts[images.labels[row]];
    ++all;
    if (row + own_test >= images.rows()) ++test;
  }
  TextTable table(own_test > 0 ? std::vector<std::string>{"class", "rows", "own test rows"}
                               : std::vector<std::string>{"class", "rows"});
  for (const auto& [label, count] : counts) {
    std::vector<std::string> cells = {one_line(label_name(images, label)), count_text(count[0])};
    if (own_test > 0) cells.push_back(count_text(count[1]));
    table.add(std::move(cells));
  }
  return fmt::format(
      "{}: {} images of {} (channels x height x width), {} classes, target "
      "'label'\n{}\n{}",
      images.source, count_text(images.rows()), shape_text(images.shape), counts.size(),
      describe_pixels(images), table.text());
}

struct DescribeInput {
  std::string data = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"data", &DescribeInput::data, "file or built-in set"},
    };
    return all;
  }
};

struct DescribeState {
  DescribeInput input;
  SourceOptions source;
  OutputOptions output;
};

RawData read_with_progress(const DescribeState& state) {
  ProgressLine progress(state.output.quiet);
  SourceOptions source = state.source;
  progress.show_reading_of(source);
  return read_data(state.input.data, source);
}

int run_describe(const DescribeState& state) {
  const RawData data = read_with_progress(state);
  if (const auto* table = std::get_if<Table>(&data.content)) {
    print_result(describe_table(*table, data.target));
    if (!state.output.quiet) print_notes(table->notes);
  } else if (const auto* images = std::get_if<Images>(&data.content)) {
    print_result(describe_images(*images, data.own_test));
  } else {
    print_result(describe_sparse(std::get<SparseRows>(data.content)));
  }
  return kDone;
}

struct MakeOptions {
  std::string output = {};
  std::uint64_t rows = SyntheticOptions{}.rows;
  std::uint64_t seed = 0;

  static const std::vector<OptionSpec>& options() {
    using O = MakeOptions;
    static const std::vector<OptionSpec> all{
        {"output", &O::output, "CSV file to write; default: standard output"},
        {"rows", &O::rows, Bounds{.low = 1, .high = 4'294'967'294.0}, "number of rows"},
        {"seed", &O::seed, Bounds{.low = 0}, "seed of the random generator"},
    };
    return all;
  }
};

struct MakeState {
  NameOptions name;
  MakeOptions make;
  OutputOptions output;
};

void write_csv(const Table& table, const Write& write) {
  std::string text;
  for (const Column& column : table.columns) {
    if (!text.empty()) text += ',';
    text += csv_field(column.name);
  }
  text += '\n';
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      text += fmt::format("{}{}", c == 0 ? "" : ",", table.columns[c].numbers[row]);
    }
    text += '\n';
    if (text.size() > 1U << 20U) {
      write(text);
      text.clear();
    }
  }
  write(text);
}

int run_make(const MakeState& state) {
  if (!state.make.output.empty()) check_writable(state.make.output);
  const Table table =
      make_synthetic(state.name.name, {.rows = state.make.rows, .seed = state.make.seed});
  if (state.make.output.empty()) {
    write_csv(table, print_result);
  } else {
    write_result(state.make.output, [&](const Write& write) { write_csv(table, write); });
  }
  return kDone;
}

struct MirrorOptions {
  std::string mirror = {};
  bool force = false;

  static const std::vector<OptionSpec>& options() {
    using O = MirrorOptions;
    static const std::vector<OptionSpec> all{
        {"mirror", &O::mirror, "URL of a copy of the data folder; default: the original sources"},
        {"force", &O::force, "replaces existing files that differ"},
    };
    return all;
  }
};

struct FetchState {
  NameOptions name;
  FolderOptions folder;
  MirrorOptions mirror;
  OutputOptions output;
};

int run_fetch(const FetchState& state) {
  watch_interrupts();
  std::vector<FetchedFile> files;
  {
    ProgressLine progress(state.output.quiet);
    files = fetch_named_set(state.name.name, {.folder = data_folder(state.folder.data_dir),
                                              .mirror = state.mirror.mirror,
                                              .force = state.mirror.force,
                                              .progress = [&](const FetchProgress& now) {
                                                progress.show_bytes(std::string(now.file),
                                                                    now.received, now.total);
                                                return !interrupted();
                                              }});
  }
  for (const FetchedFile& file : files) {
    print_result(fmt::format("{}: {}\n", file.path.string(),
                             file.already_there ? "already there" : "fetched"));
  }
  return kDone;
}

Command make_command(std::string name, std::string usage, std::string about,
                     std::string example = {}) {
  Command command;
  command.name = std::move(name);
  command.usage = std::move(usage);
  command.about = std::move(about);
  command.example = std::move(example);
  return command;
}

Command make_list_command() {
  const auto folder = std::make_shared<FolderOptions>();
  Command command = make_command("data list", "[options]", "Lists the built-in sets");
  command.options.add("Data", *folder);
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [folder](const Makers& /*makers*/) { return run_list(*folder); };
  return command;
}

Command make_describe_command() {
  const auto state = std::make_shared<DescribeState>();
  Command command = make_command("data describe", "DATA [options]",
                                 "Describes the columns of a built-in set or a file");
  command.options.add("Data", state->input);
  command.options.add("Data", state->source);
  command.options.set_position("data", 1);
  command.options.set_role(PathRole::data, {"data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state](const Makers& /*makers*/) { return run_describe(*state); };
  return command;
}

Command make_make_command() {
  const auto state = std::make_shared<MakeState>();
  Command command = make_command("data make", "NAME [-o FILE] [options]",
                                 "Generates a synthetic set: normal, pareto or sinc");
  command.options.add("Data", state->name);
  command.options.add("Data", state->make);
  command.options.set_position("name", 1);
  command.options.set_letter("output", 'o');
  command.options.set_role(PathRole::output, {"output"});
  command.run = [state](const Makers& /*makers*/) { return run_make(*state); };
  return command;
}

Command make_fetch_command() {
  const auto state = std::make_shared<FetchState>();
  Command command =
      make_command("data fetch", "NAME [options]",
                   "Downloads a real set into the data folder and verifies its checksums");
  command.options.add("Data", state->name);
  command.options.add("Data", state->folder);
  command.options.add("Data", state->mirror);
  add_output_options(command.options, state->output, {"json", "config"});
  command.options.set_position("name", 1);
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state](const Makers& /*makers*/) { return run_fetch(*state); };
  return command;
}

}  // namespace

std::vector<Command> make_data_commands() {
  std::vector<Command> commands;
  commands.push_back(make_list_command());
  commands.push_back(make_describe_command());
  commands.push_back(make_make_command());
  commands.push_back(make_fetch_command());
  return commands;
}

}  // namespace adacvar::cli
