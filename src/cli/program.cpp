#include "cli/program.hpp"

#include "base/did_you_mean.hpp"
#include "base/join.hpp"
#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/config_file.hpp"
#include "cli/help_text.hpp"
#include "cli/interrupt.hpp"
#include "cli/overwriting.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/version.hpp>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar::cli {

namespace {

constexpr const char* kDeepProgram = "adacvar-deep";  // has trees too
constexpr const char* kTreesProgram = "adacvar-trees";
constexpr const char* kMpiProgram = "adacvar-mpi";

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

/// Splits the command line by CLI11 into texts, which the command's own options parse.
class Parser {
 public:
  explicit Parser(const Command& command)
      : command_(command), app_(command.about), values_(command.options.all().size()) {
    app_.set_help_flag();
    app_.allow_extras();
    help_ = app_.add_flag("-h,--help");
    // CLI11 fills positional arguments in the order of declaration.
    for (const int position : {1, 2, 0}) add_options(position);
  }

  /// Returns false if only help was requested.
  bool parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // CLI11 takes them from the back
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ArgumentMismatch& error) {
      refuse_count(error.what());
    } catch (const CLI::ParseError& error) {
      throw OptionError(error.what());
    }
    if (help_->count() > 0) return false;
    refuse_extras();
    return true;
  }

  [[nodiscard]] std::string config() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (command_.options.all()[i].name == "config") return values_[i];
    }
    return {};
  }

  [[nodiscard]] std::set<std::string> given() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i]->count() > 0) names.insert(command_.options.all()[i].name);
    }
    return names;
  }

  /// Sets the options given on the command line.
  void apply() const {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i]->count() == 0) continue;
      const CliOption& option = command_.options.all()[i];
      option.set(option.is_flag ? handles_[i]->results().back() : values_[i]);
    }
  }

 private:
  void add_options(int position) {
    handles_.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const CliOption& option = command_.options.all()[i];
      if (option.position != position) continue;
      std::string names = "--" + option.name;
      if (option.letter != 0) names = fmt::format("-{},{}", option.letter, names);
      if (option.position > 0) names += "," + option.name;
      handles_[i] = option.is_flag ? app_.add_flag(names) : app_.add_option(names, values_[i]);
    }
  }

  // CLI11 begins these messages with the option's name.
  [[noreturn]] static void refuse_count(const std::string& what) {
    const std::string name = what.substr(0, what.find(':'));
    const bool missing = what.find("missing") != std::string::npos;
    throw OptionError(name + (missing ? " needs a value" : " is given more than once"));
  }

  void refuse_extras() {
    const std::vector<std::string> extras = app_.remaining();
    if (extras.empty()) return;
    const std::string given = extras[0].substr(0, extras[0].find('='));
    if (!given.starts_with('-')) {
      throw OptionError(fmt::format("argument '{}' is not expected", given));
    }
    std::vector<std::string> names;
    for (const CliOption& option : command_.options.all()) names.push_back("--" + option.name);
    throw OptionError(fmt::format("{} is not an option{}", given, did_you_mean(given, names)));
  }

  const Command& command_;
  CLI::App app_;
  std::vector<std::string> values_;
  std::vector<CLI::Option*> handles_;
  CLI::Option* help_ = nullptr;
};

// An empty text would be taken for an option that is not given.
void refuse_empty(const OptionList& options, const std::map<std::string, std::string>& given) {
  for (const auto& [name, location] : given) {
    const CliOption* const option = options.find_or_null(name);
    if (option == nullptr || option->is_flag || !option->text().empty()) continue;
    throw OptionError(
        fmt::format("{}{} = '' is empty; give it a value or leave it out", location, name));
  }
}

void resolve_defaults(const Command& command, const std::map<std::string, std::string>& given) {
  if (!command.resolve_defaults) return;
  std::set<std::string> names;
  for (const auto& [name, location] : given) names.insert(name);
  command.resolve_defaults(names);
}

/// Arguments of the program.
struct Invocation {
  std::vector<std::string> words;
  char** arguments;
  Makers makers;
};

// libtorch takes half a second to load, and neither it nor XGBoost is installed everywhere, so
// networks and trees are in programs of their own beside this one. Returns if that is not
// installed, or is this program. Nothing has been read from pipes or printed yet.
void start_part(const char* name, char** arguments) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto is_part = [&](const char* part) { return self.filename() == part; };
  if (error || is_part(kDeepProgram) || is_part(kTreesProgram) || is_part(kMpiProgram)) return;
  const std::filesystem::path part = self.parent_path() / name;
  if (!std::filesystem::exists(part, error)) return;
  unguard_streams();
  execv(part.c_str(), arguments);
  guard_streams();
}

// Processes that do not know of each other would all do the same work and write the same files.
void start_mpi_program(char** arguments) {
  const char* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (ranks == nullptr || std::string_view(ranks) == "1") return;
  start_part(kMpiProgram, arguments);
  throw OptionError(fmt::format(
      "started by mpirun as {} processes: {} is for that, and is not installed beside this program",
      ranks, kMpiProgram));
}

bool needs(const std::function<bool()>& part) { return part && part(); }

void refuse_on_ranks(const Command& command, const Makers& makers) {
  if (makers.ranks == nullptr) return;
  const char* const part = needs(command.needs_networks) ? " of a network"
                           : needs(command.needs_trees)  ? " of trees"
                                                         : "";
  if (command.runs_on_ranks && *part == 0) return;
  throw OptionError(
      fmt::format("{}{} is not supported with {}; use adacvar", command.name, part, kMpiProgram));
}

void start_needed_part(const Command& command, const Invocation& invocation) {
  if (invocation.makers.networks == nullptr && needs(command.needs_networks)) {
    start_part(kDeepProgram, invocation.arguments);
  }
  if (invocation.makers.trees == nullptr && needs(command.needs_trees)) {
    start_part(kTreesProgram, invocation.arguments);
  }
}

int run_command(const Command& command, const std::vector<Command>& commands,
                std::vector<std::string> arguments, const Invocation& invocation) {
  Parser parser(command);
  if (!parser.parse(std::move(arguments))) {
    print_result(command_help(command));
    return kDone;
  }
  std::map<std::string, std::string> given;
  if (const std::string config = parser.config(); !config.empty()) {
    given = apply_config(config, command, commands, parser.given());
  }
  for (const std::string& name : parser.given()) given[name] = "";
  parser.apply();
  resolve_defaults(command, given);
  refuse_empty(command.options, given);
  refuse_unused(command.options.states(given));
  refuse_overwriting(command.options);
  refuse_on_ranks(command, invocation.makers);
  start_needed_part(command, invocation);
  return command.run(invocation.makers);
}

// Writes what is installed with the program: manual pages, and completions as `adacvar.<shell>`.
void write_pages(const std::vector<Command>& commands, const std::filesystem::path& folder) {
  auto pages = man_pages(commands);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    pages.emplace_back(fmt::format("adacvar.{}", shell), completion_script(commands, shell));
  }
  for (const auto& page : pages) {
    write_file(folder / page.first, [&](const Write& write) { write(page.second); });
  }
}

// Commands for the documentation and for shells, not listed in the help.
int print_page(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  if (words[0] == "options") {
    print_result(options_page(commands));
  } else if (words[0] == "pages") {
    write_pages(commands, words.size() > 1 ? words[1] : ".");
  } else {
    print_result(completion_script(commands, words.size() > 1 ? words[1] : ""));
  }
  return kDone;
}

[[noreturn]] void refuse_command(const std::vector<Command>& commands,
                                 const std::vector<std::string>& words) {
  const std::vector<std::string> names = names_of(commands);
  const bool is_prefix = std::ranges::any_of(
      names, [&](const std::string& name) { return name.starts_with(words[0] + " "); });
  const std::string given = is_prefix && words.size() > 1 ? words[0] + " " + words[1] : words[0];
  throw OptionError(fmt::format("command '{}' is not one of: {}{}", given, join(names, ", "),
                                did_you_mean(given, names)));
}

/// Finds the command whose name is the first word or the first two.
const Command& find_command(const std::vector<Command>& commands,
                            const std::vector<std::string>& words) {
  const std::string two = words.size() > 1 ? words[0] + " " + words[1] : words[0];
  const auto found = std::ranges::find_if(commands, [&](const Command& command) {
    return command.name == words[0] || command.name == two;
  });
  if (found == commands.end()) refuse_command(commands, words);
  return *found;
}

/// Returns the help of the command, or the overview without one.
std::string help_for(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  return words.empty() ? program_help(commands) : command_help(find_command(commands, words));
}

int run_words(const Invocation& invocation) {
  const std::vector<std::string>& words = invocation.words;
  const std::vector<Command> commands = make_commands();
  if (words.empty()) {
    print_message(program_help(commands));
    return kBadOption;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_result(help_for(commands, {words.begin() + 1, words.end()}));
    return kDone;
  }
  if (words[0] == "--version") {
    print_result("adacvar " ADACVAR_VERSION "\n");
    return kDone;
  }
  if (words[0] == "options" || words[0] == "completion" || words[0] == "pages") {
    return print_page(commands, words);
  }
  const Command& command = find_command(commands, words);
  const auto taken = std::ranges::count(command.name, ' ') + 1;
  return run_command(command, commands, {words.begin() + taken, words.end()}, invocation);
}

int report_error(const char* what, int code, const RankJob* job) {
  if (job != nullptr) return job->fail(code, what);
  print_message(fmt::format("adacvar: {}\n", what));
  return code;
}

}  // namespace

std::vector<Command> make_commands() {
  std::vector<Command> commands;
  commands.push_back(make_best_command());
  commands.push_back(make_train_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_frontier_command());
  commands.push_back(make_correct_command());
  commands.push_back(make_evaluate_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_reproduce_command());
  for (Command& command : make_data_commands()) commands.push_back(std::move(command));
  return commands;
}

int run_program(int count, char** arguments, const Makers& makers, const RankJob* job) {
  guard_streams();
  try {
    if (job == nullptr) start_mpi_program(arguments);
    return run_words({{arguments + std::min(count, 1), arguments + count}, arguments, makers});
  } catch (const OptionError& error) {
    return report_error(error.what(), kBadOption, job);
  } catch (const DataError& error) {
    return report_error(error.what(), kBadData, job);
  } catch (const NumericalError& error) {
    return report_error(error.what(), kNumerical, job);
  } catch (const CommunicationError& error) {
    return report_error(error.what(), kLostRank, job);
  } catch (const Interrupted&) {
    end_by_interrupt();
  } catch (const PipeClosed&) {
    end_by_closed_pipe();
  } catch (const std::bad_alloc&) {
    return report_error("not enough memory", kNoMemory, job);
  } catch (const std::exception& error) {
    return report_error(fmt::format("internal error, please report it: {}", error.what()).c_str(),
                        kInternalError, job);
  }
}

}  // namespace adacvar::cli
