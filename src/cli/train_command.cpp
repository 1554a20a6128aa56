#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_folder.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"
#include "cli/text_style.hpp"
#include "data/sharded_rows.hpp"
#include "learner/shard_files.hpp"
#include "learner/train_conditions.hpp"
#include "run/blender.hpp"
#include "run/run_sharded.hpp"
#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/report/run_json.hpp>
#include <adacvar/report/run_text.hpp>
#include "report/repeats.hpp"
#include "report/run_page.hpp"

#include <adacvar/run/best.hpp>

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
        {"trace", &O::trace, "file to write the game values of every epoch to, as JSON lines",
         follows_game()},
    };
    return all;
  }
};

/// Shards of rows, which the processes of a job share.
struct ShardOptions {
  std::uint64_t shards = kDefaultShards;

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"shards", &ShardOptions::shards, Bounds{.low = 1, .high = 65'536},
         "with adacvar-mpi: shards that rows are dealt to, at least one for each process; other "
         "shards are other draws, as with another seed"},
    };
    return all;
  }
};

/// The command best in a comparison.
struct WithBest {
  bool best = false;

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"best", &WithBest::best,
         "adds the model of the command best, trained on the training rows in folds",
         with("repeats", {"1"})},
    };
    return all;
  }
};

struct State {
  WithBest with_best;
  RunOptions run;
  OutputOptions output;
  ModelOutput model_output;  // of train
  ShardOptions shards;       // of train
  ModelFolder model_folder;  // of compare
  ReportOutput report;
};

/// The result of a run, and the notes that were printed before training.
template <class Result>
struct ResultWithNotes {
  Result result;
  std::vector<std::string> printed;

  [[nodiscard]] std::vector<std::string> remaining_notes(
      const std::vector<std::string>& notes) const {
    std::vector<std::string> others;
    std::ranges::copy_if(notes, std::back_inserter(others), [&](const std::string& note) {
      return std::ranges::find(printed, note) == printed.end();
    });
    return others;
  }
};

template <class Result>
ResultWithNotes<Result> run_with_progress(const State& state, const Makers& makers,
                                          Result (*run_function)(const RunOptions&,
                                                                 const RunHooks&),
                                          Detail detail, std::string* trace = nullptr) {
  ResultWithNotes<Result> outcome;
  ProgressLine progress(state.output.quiet, step_name(state.run));
  RunHooks hooks{.progress = [&](const RunProgress& p) { progress.show(p); },
                 .stop = &interrupted(),
                 .data_ready =
                     [&](const std::vector<std::string>& notes) {
                       watch_interrupts();
                       progress.clear();
                       if (!state.output.quiet) print_notes(notes);
                       outcome.printed = notes;
                     },
                 .trace = {},
                 .detail = state.report.is_requested() ? Detail::all : detail,
                 .dependence = state.output.json || state.report.is_requested(),
                 .networks = makers.networks,
                 .trees = makers.trees};
  if (trace != nullptr) {
    hooks.trace = [trace](const TraceRecord& record) { *trace += trace_json(record) + "\n"; };
  }
  RunOptions options = state.run;
  progress.show_reading_of(options.data.source);
  outcome.result = run_function(options, hooks);
  return outcome;
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

// A run that was interrupted before its first epoch must not overwrite an existing model.
void throw_if_untrained(const RunReport& report) {
  if (!has_model(report.results[0])) throw Interrupted{};
}

// Once the model is written the checkpoint is needed only after an interrupt or divergence.
void remove_checkpoint(const State& state, const RunReport& report) {
  const std::string& path = state.run.checkpoint.checkpoint;
  const StopReason reason = report.results[0].model.parts().stop_reason;
  const bool ended =
      reason == StopReason::epochs || reason == StopReason::patience || reason == StopReason::gap;
  if (path.empty() || !ended) return;
  std::filesystem::remove(path);
  remove_older({.checkpoint = path, .epoch = ShardFiles::kNoEpoch});
  if (report.results[0].blend) std::filesystem::remove(tail_checkpoint(path));
}

std::vector<std::string> data_names(const RunOptions& options) {
  return {options.data.data, options.data.valid_data, options.data.test_data};
}

void check_checkpoint_folder(const State& state) {
  const std::string& folder = state.run.checkpoint_folder.checkpoint;
  if (!folder.empty()) create_folder("checkpoint", folder);
}

void check_outputs(const State& state) {
  check_checkpoint_folder(state);
  for (const std::string& path :
       {state.model_output.model, state.model_output.trace, state.run.checkpoint.checkpoint}) {
    if (!path.empty()) check_writable(path);
  }
  check_report(state.report);
}

void save_model_and_clean_up(const State& state, const RunReport& report) {
  report.results[0].model.save(state.model_output.model);
  remove_checkpoint(state, report);
}

// In order of importance: the model, the printed results, the other files.
void write_outputs(const State& state, const OptionList& options,
                   ResultWithNotes<RunReport>& outcome, const std::string& trace) {
  RunReport& report = outcome.result;
  OutputAttempts attempts;
  const std::string& path = state.model_output.model;
  const bool is_saved =
      !path.empty() && attempts.run([&] { save_model_and_clean_up(state, report); });
  if (path.empty() && state.run.solve.alphas.empty()) {
    report.notes.emplace_back("the model was not saved; use --model FILE to save it");
  }
  const std::string saved = is_saved ? "\nmodel written to " + path + "\n" : "";
  print_notes(report.headlines);
  const bool is_printed = attempts.run([&] {
    print_outcome(state.output, run_json(report, is_saved ? path : ""), run_text(report) + saved,
                  outcome.remaining_notes(report.notes));
  });
  if (is_saved && !is_printed) print_message(saved.substr(1));
  attempts.check_checkpoints(report.results);
  if (!state.model_output.trace.empty()) {
    attempts.run(
        [&] { write_file(state.model_output.trace, [&](const Write& write) { write(trace); }); });
  }
  if (state.report.is_requested()) {
    attempts.run([&] {
      write_report(state.report,
                   run_page(report, origin_of("train", options, data_names(state.run))));
    });
  }
  attempts.finish();
}

// Every process trains; one prints and writes.
int run_train_on_ranks(const State& state, const OptionList& options, const Makers& makers) {
  check_options(state.shards);
  const bool is_first = makers.is_first_rank();
  if (is_first) check_outputs(state);
  ResultWithNotes<RunReport> outcome;
  ProgressLine progress(state.output.quiet || !is_first, step_name(state.run));
  RunHooks hooks{.progress = [&](const RunProgress& p) { progress.show(p); },
                 .data_ready =
                     [&](const std::vector<std::string>& notes) {
                       progress.clear();
                       if (!state.output.quiet) print_notes(notes);
                       outcome.printed = notes;
                     },
                 .detail = state.report.is_requested() ? Detail::all : Detail::none};
  if (!state.model_output.trace.empty()) hooks.trace = [](const TraceRecord&) {};
  outcome.result = run_sharded(state.run, hooks, state.shards.shards, *makers.ranks);
  if (is_first) write_outputs(state, options, outcome, {});
  return exit_code(outcome.result);
}

int run_train(const State& state, const OptionList& options, const Makers& makers) {
  if (makers.ranks != nullptr) return run_train_on_ranks(state, options, makers);
  if (state.shards.shards != kDefaultShards) {
    throw OptionError("shards has no effect: it is used by adacvar-mpi only");
  }
  check_outputs(state);
  std::string trace;
  ResultWithNotes<RunReport> outcome = run_with_progress(
      state, makers, &run, Detail::none, state.model_output.trace.empty() ? nullptr : &trace);
  RunReport& report = outcome.result;
  throw_if_untrained(report);
  note_interruption(report);
  write_outputs(state, options, outcome, trace);
  return exit_code(report);
}

/// The outputs of a comparison.
struct ComparisonOutput {
  std::span<const RunReport> reports;
  std::function<std::string(std::span<const std::string> model_paths)> json;
  std::string text;
  std::vector<std::string> notes;
  std::function<Page()> page;
};

// In order of importance: the models, the printed results, the report.
void write_comparison(const State& state, const ComparisonOutput& comparison) {
  OutputAttempts attempts;
  std::vector<std::string> paths;
  if (!state.model_folder.model.empty()) {
    attempts.run([&] { paths = write_models(state.model_folder, comparison.reports); });
  }
  const std::string written =
      paths.empty() ? "" : "\n" + written_models_text(state.model_folder, comparison.reports);
  attempts.run([&] {
    print_outcome(state.output, comparison.json(paths), comparison.text + written,
                  comparison.notes);
  });
  for (const RunReport& report : comparison.reports) attempts.check_checkpoints(report.results);
  if (state.report.is_requested()) {
    attempts.run([&] { write_report(state.report, comparison.page()); });
  }
  attempts.finish();
}

int print_single(const State& state, const OptionList& options,
                 ResultWithNotes<RunReport> outcome) {
  RunReport& report = outcome.result;
  note_interruption(report);
  print_notes(report.headlines);
  write_comparison(
      state,
      {{&report, 1},
       [&](std::span<const std::string> paths) { return compare_json(report, paths); },
       run_text(report) + histogram_text(report, text_style()),
       outcome.remaining_notes(report.notes),
       [&] { return run_page(report, origin_of("compare", options, data_names(state.run))); }});
  return exit_code(report);
}

// The notes of the first run, then those that only later runs have.
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
                  const ResultWithNotes<std::vector<RunReport>>& outcome) {
  const std::vector<RunReport>& reports = outcome.result;
  std::vector<std::string> notes = notes_of(reports);
  if (reports.size() < state.run.repeat.repeats) {
    notes.push_back(fmt::format("stopped early: {} of {} repeats were finished", reports.size(),
                                state.run.repeat.repeats));
  }
  std::vector<std::string> all = reports[0].headlines;
  all.insert(all.end(), notes.begin(), notes.end());
  print_notes(reports[0].headlines);
  write_comparison(
      state, {reports,
              [&](std::span<const std::string> paths) { return repeats_json(reports, all, paths); },
              repeats_text(reports), outcome.remaining_notes(notes),
              [&] {
                return repeats_page(reports, all,
                                    origin_of("compare", options, data_names(state.run)));
              }});
  const auto is_bad = [](const RunReport& report) { return exit_code(report) != kDone; };
  return std::ranges::any_of(reports, is_bad) ? kNumerical : kDone;
}

// Trained on the same training rows.
void add_best(const State& state, const Makers& makers, RunReport& report) {
  const BestOptions options{.alpha = state.run.train.alpha,
                            .mean_budget = state.run.budget.mean_budget.value_or(0.02),
                            .seed = state.run.train.seed,
                            .threads = state.run.tune.threads,
                            .loss = state.run.loss,
                            .has_training_split = true};
  const std::optional<BestReport> found =
      best(state.run.data, options,
           {.stop = &interrupted(), .networks = makers.networks, .trees = makers.trees});
  if (!found) {
    report.notes.emplace_back("best is left out: it was stopped before its first kind of model");
    return;
  }
  report.results.push_back(to_run_result(*found));
  report.notes.insert(report.notes.end(), found->headlines.begin(), found->headlines.end());
}

int run_compare(const State& state, const OptionList& options, const Makers& makers) {
  check_model_folder(state.model_folder);
  check_checkpoint_folder(state);
  check_report(state.report);
  if (state.run.repeat.repeats == 1) {
    ResultWithNotes<RunReport> outcome = run_with_progress(state, makers, &compare, Detail::losses);
    if (state.with_best.best) add_best(state, makers, outcome.result);
    return print_single(state, options, std::move(outcome));
  }
  ResultWithNotes<std::vector<RunReport>> outcome =
      run_with_progress(state, makers, &compare_repeated, Detail::losses);
  if (outcome.result.size() > 1) return print_repeats(state, options, outcome);
  return print_single(state, options, {std::move(outcome.result[0]), std::move(outcome.printed)});
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
  command.options.add("Training", state->shards);
  command.options.add("Output", state->model_output);
  add_report_options(command.options, state->report);
  add_output_options(command.options, state->output);
  command.options.set_role(PathRole::output, {"model", "trace"});
  command.run = [state, options = command.options](const Makers& makers) {
    CheckpointOptions& file = state->run.checkpoint;
    if (state->run.tune.tune) std::swap(file.checkpoint, state->run.checkpoint_folder.checkpoint);
    return run_train(*state, options, makers);
  };
  command.needs_networks = [state] { return !state->run.network.network.empty(); };
  command.needs_trees = [state] { return state->run.train.trees.trees; };
  command.runs_on_ranks = true;
  return command;
}

Command make_compare_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "compare";
  command.usage = "DATA [--target COLUMN] [options]";
  command.about = "Trains with every algorithm on the same splits and tabulates their risks";
  command.example = "adacvar compare pareto";
  add_run_options(command.options, state->run, {"algorithm", "alphas", "until-gap", "checkpoint"});
  command.options.fix("algorithm", {"adacvar", "trunc", "soft", "mean"});
  command.options.add("Training", state->with_best);
  command.options.add("Training", state->run.checkpoint_folder);
  command.options.set_role(PathRole::output_folder, {"checkpoint"});
  add_model_folder(command.options, state->model_folder);
  add_report_options(command.options, state->report);
  add_output_options(command.options, state->output);
  command.run = [state, options = command.options](const Makers& makers) {
    return run_compare(*state, options, makers);
  };
  command.needs_networks = [state] {
    return state->with_best.best || !state->run.network.network.empty();
  };
  command.needs_trees = [state] { return state->with_best.best || state->run.train.trees.trees; };
  return command;
}

}  // namespace adacvar::cli
