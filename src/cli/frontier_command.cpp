#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"
#include "cli/text_style.hpp"
#include "report/frontier_report.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/run/trace_frontier.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace adacvar::cli {

namespace {

struct CurveOutput {
  std::string model = {};
  std::string csv = {};

  static const std::vector<OptionSpec>& options() {
    using O = CurveOutput;
    static const std::vector<OptionSpec> all{
        {"model", &O::model, "file to write the chosen model to"},
        {"csv", &O::csv, "file to write all points to, as a table"},
    };
    return all;
  }
};

struct State {
  RunOptions run;
  FrontierOptions curve;
  OutputOptions output;
  CurveOutput files;
  ReportOutput report;
};

void check_outputs(const State& state) {
  for (const std::string& path : {state.files.model, state.files.csv}) {
    if (!path.empty()) check_writable(path);
  }
  check_report(state.report);
}

struct TracedCurve {
  FrontierReport report;
  std::vector<std::string> printed;  // notes, before the curve was traced
};

TracedCurve trace(const State& state, const Makers& makers) {
  TracedCurve traced;
  ProgressLine progress(state.output.quiet, step_name(state.run));
  const auto show = [&](const RunProgress& p) {
    if (p.epoch != nullptr || p.epochs_done) return progress.show(p);
    progress.show_work(static_cast<double>(p.runs_done), 0, static_cast<double>(p.runs),
                       fmt::format("point {}/{}", p.runs_done, p.runs));
  };
  const RunHooks hooks{.progress = show,
                       .stop = &interrupted(),
                       .data_ready =
                           [&](const std::vector<std::string>& notes) {
                             watch_interrupts();
                             progress.clear();
                             if (!state.output.quiet) print_notes(notes);
                             traced.printed = notes;
                           },
                       .trace = {},
                       .networks = makers.networks,
                       .trees = makers.trees};
  RunOptions options = state.run;
  progress.show_reading_of(options.data.source);
  traced.report = trace_frontier(options, state.curve, hooks);
  return traced;
}

// A curve that was interrupted before both of its ends were known shows nothing.
void throw_if_empty(const FrontierReport& report) {
  if (report.points.size() >= 2 || report.chosen) return;
  if (report.is_interrupted) throw Interrupted{};
  throw NumericalError("fewer than two runs ended with a model; try a smaller learning rate");
}

void add_notes(const State& state, FrontierReport& report) {
  if (report.is_interrupted) {
    report.notes.push_back(fmt::format("stopped early: {} points were found{}",
                                       report.points.size(),
                                       report.chosen ? "" : ", but not the chosen one"));
  }
  if (state.files.model.empty()) {
    report.notes.emplace_back("no model was saved; use --model FILE to save the chosen one");
  }
}

// In order of importance: the model, the printed results, the other files.
void write_outputs(const State& state, const OptionList& options, const TracedCurve& traced) {
  const FrontierReport& report = traced.report;
  OutputAttempts attempts;
  const std::string& path = state.files.model;
  const RunResult* const chosen = report.chosen_point();
  const bool is_saved = !path.empty() && attempts.run([&] {
    if (chosen == nullptr) {
      throw NumericalError(
          fmt::format("model = '{}' was not written: the chosen point was not found", path));
    }
    chosen->model.save(path);
  });
  const std::string saved = is_saved ? fmt::format("\nmodel of '{}' written to {}\n",
                                                   report.marks[*report.chosen].name, path)
                                     : "";
  std::vector<std::string> notes;
  std::ranges::copy_if(report.notes, std::back_inserter(notes), [&](const std::string& note) {
    return std::ranges::find(traced.printed, note) == traced.printed.end();
  });
  print_notes(report.headlines);
  const bool is_printed = attempts.run([&] {
    print_outcome(state.output, frontier_json(report, is_saved ? path : ""),
                  frontier_text(report, text_style()) + saved, notes);
  });
  if (is_saved && !is_printed) print_message(saved.substr(1));
  attempts.check_checkpoints(report.points);
  if (!state.files.csv.empty()) {
    attempts.run([&] {
      write_file(state.files.csv, [&](const Write& write) { write(frontier_csv(report)); });
    });
  }
  if (state.report.is_requested()) {
    attempts.run([&] {
      const DataOptions& data = state.run.data;
      write_report(state.report,
                   frontier_page(report, origin_of("frontier", options,
                                                   {data.data, data.valid_data, data.test_data})));
    });
  }
  attempts.finish();
}

int run_frontier(const State& state, const OptionList& options, const Makers& makers) {
  (void)FrontierChoice::parse(state.curve.at);  // before files are opened
  check_outputs(state);
  if (const std::string& folder = state.run.checkpoint_folder.checkpoint; !folder.empty()) {
    create_folder("checkpoint", folder);
  }
  TracedCurve traced = trace(state, makers);
  throw_if_empty(traced.report);
  add_notes(state, traced.report);
  write_outputs(state, options, traced);
  return kDone;
}

}  // namespace

Command make_frontier_command() {
  const auto state = std::make_shared<State>();
  state->run.train.algorithm = Algorithm::exact;
  state->run.calibrate.calibrate = CalibrateChoice::no;  // the curve is that of one risk
  Command command;
  command.name = "frontier";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Traces the curve of mean against CVaR and keeps the point that is chosen";
  command.example = "adacvar frontier claims.csv --target cost --at mean=+5% --model claims.json";
  command.options.add("Curve", state->curve);
  add_run_options(command.options, state->run,
                  {"gamma", "checkpoint", "repeats", "tune", "select", "alphas", "until-gap",
                   "mean-budget", "cvar-limit", "budget-on", "calibrate", "fine-tune", "mix"});
  command.options.add("Training", state->run.checkpoint_folder);
  command.options.set_role(PathRole::output_folder, {"checkpoint"});
  command.options.add("Output", state->files);
  add_report_options(command.options, state->report);
  add_output_options(command.options, state->output);
  command.options.set_role(PathRole::output, {"model", "csv"});
  // The exact solver knows linear models only.
  command.resolve_defaults = [state](const std::set<std::string>& given) {
    const bool is_linear = state->run.network.network.empty() && !state->run.train.trees.trees;
    if (!is_linear && !given.contains("algorithm")) {
      state->run.train.algorithm = Algorithm::adacvar;
    }
  };
  command.run = [state, options = command.options](const Makers& makers) {
    return run_frontier(*state, options, makers);
  };
  command.needs_networks = [state] { return !state->run.network.network.empty(); };
  command.needs_trees = [state] { return state->run.train.trees.trees; };
  return command;
}

}  // namespace adacvar::cli
