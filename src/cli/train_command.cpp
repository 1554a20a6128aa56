#include "base/write_file.hpp"
#include "cli/attempts.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"
#include "cli/text_style.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/report/run_json.hpp>
#include <adacvar/report/run_page.hpp>
#include <adacvar/report/run_text.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

namespace adacvar::cli {

namespace {

struct ModelOutput {
  std::string model = {};
  std::string trace = {};

  static void describe(auto&& option) {
    using O = ModelOutput;
    option("model", &O::model, "file to write the model to", without("alphas"));
    option("trace", &O::trace, "file to write the game of every epoch to, as JSON lines",
           follows_game());
  }
};

struct State {
  RunOptions run;
  TalkOptions talk;
  ModelOutput output;
  ReportOutput report;
};

/// A report, and the notes that were printed before training began.
struct Watched {
  RunReport report;
  std::vector<std::string> printed;

  [[nodiscard]] std::vector<std::string> unprinted() const {
    std::vector<std::string> notes;
    std::ranges::copy_if(report.notes, std::back_inserter(notes), [&](const std::string& note) {
      return std::ranges::find(printed, note) == printed.end();
    });
    return notes;
  }
};

Watched run_watched(const State& state, RunReport (*how)(const RunOptions&, const RunHooks&),
                    Detail detail, std::string* trace = nullptr) {
  Watched result;
  ProgressLine progress(state.talk.quiet, state.run.train.epochs);
  RunHooks hooks{.progress = [&](const RunProgress& p) { progress.show(p); },
                 .stop = &interrupted(),
                 .data_ready =
                     [&](const std::vector<std::string>& notes) {
                       watch_interrupts();
                       if (!state.talk.quiet) print_notes(notes);
                       result.printed = notes;
                     },
                 .trace = {},
                 .detail = state.report.wanted() ? Detail::all : detail};
  if (trace != nullptr) {
    hooks.trace = [trace](const TraceRecord& record) { *trace += trace_json(record) + "\n"; };
  }
  result.report = how(state.run, hooks);
  return result;
}

bool was_stopped(const RunReport& report) {
  for (const RunResult& result : report.results) {
    if (result.model.stop_reason == StopReason::interrupted) return true;
  }
  return false;
}

void note_interruption(RunReport& report) {
  if (was_stopped(report)) {
    report.notes.emplace_back("stopped early: these are the best models so far");
  }
}

bool has_diverged(const RunResult& result) {
  return result.model.stop_reason == StopReason::diverged;
}

int exit_code(const RunReport& report) {
  return std::ranges::any_of(report.results, has_diverged) ? kNumerical : kDone;
}

// Stopped before it began in earnest: a model that exists already is better than this one.
void give_up_if_untrained(const RunReport& report) {
  const RunResult& result = report.results[0];
  if (result.model.stop_reason == StopReason::interrupted && result.epochs == 0 &&
      result.model.options.algorithm != Algorithm::exact) {
    throw Interrupted{};
  }
}

// It has done its work once the model is written; after an interrupt or divergence it may be
// needed.
void remove_checkpoint(const State& state, const RunReport& report) {
  const std::string& path = state.run.checkpoint.checkpoint;
  const StopReason reason = report.results[0].model.stop_reason;
  const bool ended =
      reason == StopReason::epochs || reason == StopReason::patience || reason == StopReason::gap;
  if (!path.empty() && ended) std::filesystem::remove(path);
}

std::vector<std::string> data_names(const RunOptions& options) {
  return {options.data.data, options.data.valid_data, options.data.test_data};
}

void check_outputs(const State& state) {
  for (const std::string& path :
       {state.output.model, state.output.trace, state.run.checkpoint.checkpoint}) {
    if (!path.empty()) check_writable(path);
  }
  check_report(state.report);
}

void keep_model(const State& state, const RunReport& report) {
  save_model(state.output.model, report.results[0].model);
  remove_checkpoint(state, report);
}

// In the order of their worth: the model, then what is printed, then the other files.
void write_outputs(const State& state, const OptionList& options, Watched& watched,
                   const std::string& trace) {
  RunReport& report = watched.report;
  Attempts attempts;
  const std::string& path = state.output.model;
  const bool is_kept = !path.empty() && attempts.run([&] { keep_model(state, report); });
  if (path.empty() && state.run.solve.alphas.empty()) {
    report.notes.emplace_back("the model was not kept; --model FILE writes it");
  }
  const std::string saved = is_kept ? "\nmodel written to " + path + "\n" : "";
  const bool is_said = attempts.run([&] {
    print_outcome(state.talk, run_json(report, is_kept ? path : ""), run_text(report) + saved,
                  watched.unprinted());
  });
  if (is_kept && !is_said) print_message(saved.substr(1));
  if (!state.output.trace.empty()) {
    attempts.run(
        [&] { write_file(state.output.trace, [&](const Write& write) { write(trace); }); });
  }
  if (state.report.wanted()) {
    attempts.run([&] {
      write_report(state.report,
                   run_page(report, origin_of("train", options, data_names(state.run))));
    });
  }
  attempts.finish();
}

int train_now(const State& state, const OptionList& options) {
  check_outputs(state);
  std::string trace;
  Watched watched =
      run_watched(state, &run, Detail::none, state.output.trace.empty() ? nullptr : &trace);
  RunReport& report = watched.report;
  give_up_if_untrained(report);
  note_interruption(report);
  write_outputs(state, options, watched, trace);
  return exit_code(report);
}

int compare_now(const State& state, const OptionList& options) {
  check_report(state.report);
  Watched watched = run_watched(state, &compare, Detail::losses);
  RunReport& report = watched.report;
  note_interruption(report);
  Attempts attempts;
  attempts.run([&] {
    print_outcome(state.talk, compare_json(report),
                  run_text(report) + histogram_text(report, text_style()), watched.unprinted());
  });
  if (state.report.wanted()) {
    attempts.run([&] {
      write_report(state.report,
                   run_page(report, origin_of("compare", options, data_names(state.run))));
    });
  }
  attempts.finish();
  return exit_code(report);
}

}  // namespace

Command make_train_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "train";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains a linear model or a network that controls the CVaR of its losses";
  command.example = "adacvar train claims.csv --target cost --alpha 0.05 --model claims.json";
  add_run_options(command.options, state->run);
  command.options.add("Output", state->output);
  add_report_options(command.options, state->report);
  add_talk_options(command.options, state->talk);
  command.options.set_role(PathRole::output, {"model", "trace"});
  command.run = [state, options = command.options] { return train_now(*state, options); };
  return command;
}

Command make_compare_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "compare";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains by every algorithm on the same splits and tabulates their risks";
  command.example = "adacvar compare pareto";
  add_run_options(command.options, state->run, {"algorithm", "alphas", "until-gap", "checkpoint"});
  command.options.fix("algorithm", {"adacvar", "trunc", "soft", "mean"});
  add_report_options(command.options, state->report);
  add_talk_options(command.options, state->talk);
  command.run = [state, options = command.options] { return compare_now(*state, options); };
  return command;
}

}  // namespace adacvar::cli
