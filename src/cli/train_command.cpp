#include "base/write_file.hpp"
#include "cli/attempts.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"
#include "cli/text_style.hpp"
#include "learner/train_conditions.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/report/run_json.hpp>
#include <adacvar/report/run_text.hpp>
#include "report/repeats.hpp"
#include "report/run_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <span>

namespace adacvar::cli {

namespace {

struct ModelOutput {
  std::string model = {};
  std::string trace = {};

  static const std::vector<OptionSpec>& options() {
    using O = ModelOutput;
    static const std::vector<OptionSpec> all{
        {"model", &O::model, "file to write the model to", without("alphas")},
        {"trace", &O::trace, "file to write the game of every epoch to, as JSON lines",
         follows_game()},
    };
    return all;
  }
};

struct State {
  RunOptions run;
  TalkOptions talk;
  ModelOutput output;
  ReportOutput report;
};

/// A report or several, and the notes that were printed before training began.
template <class Found>
struct Watched {
  Found found;
  std::vector<std::string> printed;

  [[nodiscard]] std::vector<std::string> unprinted(const std::vector<std::string>& notes) const {
    std::vector<std::string> others;
    std::ranges::copy_if(notes, std::back_inserter(others), [&](const std::string& note) {
      return std::ranges::find(printed, note) == printed.end();
    });
    return others;
  }
};

template <class Found>
Watched<Found> run_watched(const State& state, const NetworkMaker* networks,
                           Found (*how)(const RunOptions&, const RunHooks&), Detail detail,
                           std::string* trace = nullptr) {
  Watched<Found> result;
  ProgressLine progress(state.talk.quiet, state.run.train.epochs);
  RunHooks hooks{.progress = [&](const RunProgress& p) { progress.show(p); },
                 .stop = &interrupted(),
                 .data_ready =
                     [&](const std::vector<std::string>& notes) {
                       watch_interrupts();
                       progress.clear();
                       if (!state.talk.quiet) print_notes(notes);
                       result.printed = notes;
                     },
                 .trace = {},
                 .detail = state.report.wanted() ? Detail::all : detail,
                 .networks = networks};
  if (trace != nullptr) {
    hooks.trace = [trace](const TraceRecord& record) { *trace += trace_json(record) + "\n"; };
  }
  RunOptions options = state.run;
  progress.watch_reading(options.data.source);
  result.found = how(options, hooks);
  return result;
}

bool was_stopped(const RunReport& report) {
  for (const RunResult& result : report.results) {
    if (result.model.parts().stop_reason == StopReason::interrupted) return true;
  }
  return false;
}

void note_interruption(RunReport& report) {
  if (was_stopped(report)) {
    report.notes.emplace_back("stopped early: these are the best models so far");
  }
}

bool has_diverged(const RunResult& result) {
  return result.model.parts().stop_reason == StopReason::diverged;
}

int exit_code(const RunReport& report) {
  return std::ranges::any_of(report.results, has_diverged) ? kNumerical : kDone;
}

// Stopped before it began in earnest: a model that exists already is better than this one.
void give_up_if_untrained(const RunReport& report) {
  const RunResult& result = report.results[0];
  if (result.model.parts().stop_reason == StopReason::interrupted && result.epochs == 0 &&
      result.model.parts().options.algorithm != Algorithm::exact) {
    throw Interrupted{};
  }
}

// It has done its work once the model is written; after an interrupt or divergence it may be
// needed.
void remove_checkpoint(const State& state, const RunReport& report) {
  const std::string& path = state.run.checkpoint.checkpoint;
  const StopReason reason = report.results[0].model.parts().stop_reason;
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
  report.results[0].model.save(state.output.model);
  remove_checkpoint(state, report);
}

// In the order of their worth: the model, then what is printed, then the other files.
void write_outputs(const State& state, const OptionList& options, Watched<RunReport>& watched,
                   const std::string& trace) {
  RunReport& report = watched.found;
  Attempts attempts;
  const std::string& path = state.output.model;
  const bool is_kept = !path.empty() && attempts.run([&] { keep_model(state, report); });
  if (path.empty() && state.run.solve.alphas.empty()) {
    report.notes.emplace_back("the model was not kept; --model FILE writes it");
  }
  const std::string saved = is_kept ? "\nmodel written to " + path + "\n" : "";
  print_notes(report.headlines);
  const bool is_said = attempts.run([&] {
    print_outcome(state.talk, run_json(report, is_kept ? path : ""), run_text(report) + saved,
                  watched.unprinted(report.notes));
  });
  if (is_kept && !is_said) print_message(saved.substr(1));
  if (const std::string& error = report.results[0].checkpoint_error; !error.empty()) {
    attempts.run([&] { throw OptionError(error + "; training continued without checkpoints"); });
  }
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

int train_now(const State& state, const OptionList& options, const NetworkMaker* networks) {
  check_outputs(state);
  std::string trace;
  Watched<RunReport> watched = run_watched(state, networks, &run, Detail::none,
                                           state.output.trace.empty() ? nullptr : &trace);
  RunReport& report = watched.found;
  give_up_if_untrained(report);
  note_interruption(report);
  write_outputs(state, options, watched, trace);
  return exit_code(report);
}

/// What a comparison prints, and its page.
struct Compared {
  std::string json;
  std::string text;
  std::vector<std::string> notes;
  std::function<Page()> page;
};

// In the order of their worth.
void print_compared(const State& state, const Compared& compared) {
  Attempts attempts;
  attempts.run([&] { print_outcome(state.talk, compared.json, compared.text, compared.notes); });
  if (state.report.wanted()) {
    attempts.run([&] { write_report(state.report, compared.page()); });
  }
  attempts.finish();
}

int print_one(const State& state, const OptionList& options, Watched<RunReport> watched) {
  RunReport& report = watched.found;
  note_interruption(report);
  print_notes(report.headlines);
  print_compared(state,
                 {compare_json(report), run_text(report) + histogram_text(report, text_style()),
                  watched.unprinted(report.notes), [&] {
                    return run_page(report, origin_of("compare", options, data_names(state.run)));
                  }});
  return exit_code(report);
}

// Those of the first, then what others have to say besides.
std::vector<std::string> notes_of(std::span<const RunReport> reports) {
  std::vector<std::string> notes = reports[0].notes;
  for (const RunReport& report : reports.subspan(1)) {
    for (const std::string& note : report.notes) {
      if (std::ranges::find(reports[0].notes, note) != reports[0].notes.end()) continue;
      notes.push_back(
          fmt::format("seed {}: {}", report.results.at(0).model.parts().options.seed, note));
    }
  }
  return notes;
}

int print_repeats(const State& state, const OptionList& options,
                  const Watched<std::vector<RunReport>>& watched) {
  const std::vector<RunReport>& reports = watched.found;
  std::vector<std::string> notes = notes_of(reports);
  if (reports.size() < state.run.repeat.repeats) {
    notes.push_back(fmt::format("stopped early: {} of {} repeats had ended", reports.size(),
                                state.run.repeat.repeats));
  }
  std::vector<std::string> all = reports[0].headlines;
  all.insert(all.end(), notes.begin(), notes.end());
  print_notes(reports[0].headlines);
  print_compared(state,
                 {repeats_json(reports, all), repeats_text(reports), watched.unprinted(notes), [&] {
                    return repeats_page(reports, all,
                                        origin_of("compare", options, data_names(state.run)));
                  }});
  const auto is_bad = [](const RunReport& report) { return exit_code(report) != kDone; };
  return std::ranges::any_of(reports, is_bad) ? kNumerical : kDone;
}

int compare_now(const State& state, const OptionList& options, const NetworkMaker* networks) {
  check_report(state.report);
  if (state.run.repeat.repeats == 1) {
    return print_one(state, options, run_watched(state, networks, &compare, Detail::losses));
  }
  Watched<std::vector<RunReport>> watched =
      run_watched(state, networks, &compare_repeated, Detail::losses);
  if (watched.found.size() > 1) return print_repeats(state, options, watched);
  return print_one(state, options, {std::move(watched.found[0]), std::move(watched.printed)});
}

}  // namespace

Command make_train_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "train";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains a linear model or a network that controls the CVaR of its losses";
  command.example = "adacvar train claims.csv --target cost --alpha 0.05 --model claims.json";
  add_run_options(command.options, state->run, {"repeats"});
  command.options.add("Output", state->output);
  add_report_options(command.options, state->report);
  add_talk_options(command.options, state->talk);
  command.options.set_role(PathRole::output, {"model", "trace"});
  command.run = [state, options = command.options](const NetworkMaker* networks) {
    return train_now(*state, options, networks);
  };
  command.needs_networks = [state] { return !state->run.network.network.empty(); };
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
  command.run = [state, options = command.options](const NetworkMaker* networks) {
    return compare_now(*state, options, networks);
  };
  command.needs_networks = [state] { return !state->run.network.network.empty(); };
  return command;
}

}  // namespace adacvar::cli
