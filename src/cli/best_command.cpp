#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_result.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"

#include <adacvar/report/best.hpp>
#include "report/best_page.hpp"

#include <fmt/core.h>

#include <memory>

namespace adacvar::cli {

namespace {

struct State {
  DataOptions data;
  BestOptions best;
  ModelResultOutput output;
};

// The signal ends the program; what is lost and what is kept is said first.
[[noreturn]] void end_without_result(const BestOptions& options) {
  std::string text =
      "adacvar: stopped before the first kind of model was complete: there is no result";
  if (!options.checkpoint.empty()) {
    text += fmt::format("; models that are done are in '{}', and the same command resumes",
                        options.checkpoint);
  }
  print_message(text + "\n");
  throw Interrupted{};
}

/// The result, after its notes about the data were printed.
BestReport best_with_progress(const State& state, const Makers& makers,
                              std::vector<std::string>& printed) {
  ProgressLine line(state.output.output.quiet);
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
                        .data_ready = on_data_ready(state.output.output, line, printed),
                        .networks = makers.networks,
                        .trees = makers.trees,
                        .detail = state.output.report.is_requested()};
  std::optional<BestReport> report = best(data, state.best, hooks);
  if (report) return std::move(report).value();
  line.clear();
  end_without_result(state.best);
}

int run_best(const State& state, const OptionList& options, const Makers& makers) {
  state.output.check();
  if (!state.best.checkpoint.empty()) create_folder("checkpoint", state.best.checkpoint);
  std::vector<std::string> printed;
  BestReport report = best_with_progress(state, makers, printed);
  const DataOptions& data = state.data;
  write_model_result(
      state.output,
      {.model = report.model,
       .notes = report.notes,
       .headlines = report.headlines,
       .printed = printed,
       .json = [&](const std::string& path) { return best_json(report, path); },
       .text = [&] { return best_text(report); },
       .page =
           [&] {
             return best_page(
                 report, origin_of("best", options, {data.data, data.valid_data, data.test_data}));
           }});
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
  state->output.add_to(command.options);
  command.options.set_position("data", 1);
  command.options.set_role(PathRole::data, {"data", "valid-data", "test-data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state, options = command.options](const Makers& makers) {
    return run_best(*state, options, makers);
  };
  command.needs_networks = [] { return true; };
  command.needs_trees = [] { return true; };
  return command;
}

}  // namespace adacvar::cli
