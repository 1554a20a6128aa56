#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"

#include <adacvar/report/best.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace adacvar::cli {

namespace {

struct ModelOutput {
  std::string model = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"model", &ModelOutput::model, "file to write the model to"},
    };
    return all;
  }
};

struct State {
  DataOptions data;
  BestOptions best;
  ModelOutput model_output;
  OutputOptions output;
};

/// The result, after its notes about the data were printed.
BestReport best_with_progress(const State& state, const Makers& makers,
                              std::vector<std::string>& printed) {
  ProgressLine line(state.output.quiet);
  DataOptions data = state.data;
  line.show_reading_of(data.source);
  const BestHooks hooks{.progress =
                            [&](const BestProgress& progress) {
                              line.show_work(static_cast<double>(progress.done), 0,
                                             static_cast<double>(progress.models),
                                             fmt::format("{}, fold {} of {}", progress.base,
                                                         progress.fold + 1, state.best.folds));
                            },
                        .stop = &interrupted(),
                        .data_ready =
                            [&](const std::vector<std::string>& notes) {
                              watch_interrupts();
                              line.clear();
                              if (!state.output.quiet) print_notes(notes);
                              printed = notes;
                            },
                        .networks = makers.networks,
                        .trees = makers.trees};
  std::optional<BestReport> report = best(data, state.best, hooks);
  if (!report) throw_if_interrupted();
  return std::move(report).value();
}

int run_best(const State& state, const Makers& makers) {
  const std::string& path = state.model_output.model;
  if (!path.empty()) check_writable(path);
  if (!state.best.checkpoint.empty()) create_folder("checkpoint", state.best.checkpoint);
  std::vector<std::string> printed;
  BestReport report = best_with_progress(state, makers, printed);
  OutputAttempts attempts;
  const bool is_saved = !path.empty() && attempts.run([&] { report.model.save(path); });
  if (path.empty()) {
    report.notes.emplace_back("the model was not saved; use --model FILE to save it");
  }
  std::vector<std::string> notes = report.notes;
  std::erase_if(notes, [&](const std::string& note) {
    return std::ranges::find(printed, note) != printed.end();
  });
  print_notes(report.headlines);
  const std::string saved = is_saved ? "\nmodel written to " + path + "\n" : "";
  const bool is_printed = attempts.run([&] {
    print_outcome(state.output, best_json(report, is_saved ? path : ""), best_text(report) + saved,
                  notes);
  });
  if (is_saved && !is_printed) print_message(saved.substr(1));
  attempts.finish();
  return kDone;
}

}  // namespace

Command make_best_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "best";
  command.usage = "DATA --target COLUMN [options]";
  command.about =
      "Trains linear models, networks and trees in folds, stacks them and corrects the tail";
  command.example = "adacvar best claims.csv --target cost --model claims.json";
  command.options.add("Data", state->data, {"raw-features"});
  command.options.add("Data", state->data.source);
  command.options.add("Loss", state->best.loss);
  command.options.add("Best", state->best);
  command.options.add("Output", state->model_output);
  add_output_options(command.options, state->output);
  command.options.set_position("data", 1);
  command.options.set_role(PathRole::data, {"data", "valid-data", "test-data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.options.set_role(PathRole::output, {"model"});
  command.run = [state](const Makers& makers) { return run_best(*state, makers); };
  command.needs_networks = [] { return true; };
  return command;
}

}  // namespace adacvar::cli
