#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"

#include <adacvar/report/run_json.hpp>
#include <adacvar/report/run_text.hpp>

#include <memory>

namespace adacvar::cli {

namespace {

struct ModelOutput {
  std::string model = {};

  static void describe(auto&& option) {
    option("model", &ModelOutput::model, "file to write the model to");
  }
};

struct State {
  RunOptions run;
  TalkOptions talk;
  ModelOutput output;
};

RunReport run_watched(const State& state, RunReport (*how)(const RunOptions&, const RunHooks&)) {
  ProgressLine progress(state.talk.quiet, state.run.train.epochs);
  return how(state.run, {.progress = [&](const RunProgress& p) { progress.show(p); },
                         .stop = &watch_interrupts()});
}

bool was_stopped(const RunReport& report) {
  for (const RunResult& result : report.results) {
    if (result.model.stop_reason == StopReason::interrupted) return true;
  }
  return false;
}

void note_interruption(RunReport& report) {
  if (was_stopped(report)) {
    report.notes.emplace_back("stopped early: the best models so far are kept");
  }
}

int train_now(const State& state) {
  const std::string& path = state.output.model;
  if (!path.empty()) check_writable(path);
  RunReport report = run_watched(state, &run);
  note_interruption(report);
  if (!path.empty()) {
    save_model(path, report.results[0].model);
  } else {
    report.notes.emplace_back("the model was not kept; --model FILE writes it");
  }
  const std::string saved = path.empty() ? "" : "\nmodel written to " + path + "\n";
  print_outcome(state.talk, run_json(report, path), run_text(report) + saved, report.notes);
  return report.results[0].model.stop_reason == StopReason::diverged ? kNumerical : kDone;
}

int compare_now(const State& state) {
  RunReport report = run_watched(state, &compare);
  note_interruption(report);
  print_outcome(state.talk, compare_json(report), run_text(report), report.notes);
  return kDone;
}

}  // namespace

Command make_train_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "train";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains a linear model that controls the CVaR of its losses";
  command.example = "adacvar train claims.csv --target cost --alpha 0.05 --model claims.json";
  add_run_options(command.options, state->run);
  command.options.add("Output", state->output);
  add_talk_options(command.options, state->talk);
  command.options.set_file({"model"});
  command.run = [state] { return train_now(*state); };
  return command;
}

Command make_compare_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "compare";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains by every algorithm on the same splits and tabulates their risks";
  command.example = "adacvar compare pareto";
  add_run_options(command.options, state->run, {"algorithm"});
  add_talk_options(command.options, state->talk);
  command.run = [state] { return compare_now(*state); };
  return command;
}

}  // namespace adacvar::cli
