#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"

#include <adacvar/report/correction.hpp>
#include <adacvar/run/correct.hpp>
#include "report/correction_page.hpp"

#include <algorithm>
#include <memory>

namespace adacvar::cli {

namespace {

struct ModelOutput {
  std::string model = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"model", &ModelOutput::model,
         "file to write the model to, which maps predictions and features to corrected "
         "predictions"},
    };
    return all;
  }
};

struct State {
  DataOptions data;
  CorrectOptions correct;
  ModelOutput model_output;
  ReportOutput report;
  OutputOptions output;
};

/// The result, after its notes about the data were printed.
Correction correct_with_progress(const State& state, std::vector<std::string>& printed) {
  ProgressLine progress(state.output.quiet);
  DataOptions data = state.data;
  progress.show_reading_of(data.source);
  CorrectOptions options = state.correct;
  options.stop = &interrupted();
  Correction result = correct(data, options, [&](const std::vector<std::string>& notes) {
    watch_interrupts();
    progress.clear();
    if (!state.output.quiet) print_notes(notes);
    printed = notes;
  });
  throw_if_interrupted();
  return result;
}

int run_correct(const State& state, const OptionList& options) {
  const std::string& path = state.model_output.model;
  if (!path.empty()) check_writable(path);
  check_report(state.report);
  std::vector<std::string> printed;
  Correction correction = correct_with_progress(state, printed);
  OutputAttempts attempts;
  const bool is_saved = !path.empty() && attempts.run([&] { correction.model.save(path); });
  if (path.empty()) {
    correction.notes.emplace_back("the model was not saved; use --model FILE to save it");
  }
  std::vector<std::string> notes = correction.notes;
  std::erase_if(notes, [&](const std::string& note) {
    return std::ranges::find(printed, note) != printed.end();
  });
  print_notes(correction.headlines);
  const std::string saved = is_saved ? "\nmodel written to " + path + "\n" : "";
  const bool is_printed = attempts.run([&] {
    print_outcome(state.output, correction_json(correction, is_saved ? path : ""),
                  correction_text(correction) + saved, notes);
  });
  if (is_saved && !is_printed) print_message(saved.substr(1));
  if (state.report.is_requested()) {
    attempts.run([&] {
      write_report(state.report,
                   correction_page(correction, origin_of("correct", options,
                                                         {state.data.data, state.data.valid_data,
                                                          state.data.test_data})));
    });
  }
  attempts.finish();
  return kDone;
}

}  // namespace

Command make_correct_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "correct";
  command.usage = "DATA --target COLUMN --prediction COLUMN [options]";
  command.about = "Corrects the tail of another model's held-out predictions, within a mean budget";
  command.example =
      "adacvar correct claims.csv --target cost --prediction f --model corrected.json";
  command.options.add("Prediction", state->correct.prediction);
  command.options.add("Data", state->data, {"raw-features"});
  command.options.add("Data", state->data.source);
  command.options.add("Loss", state->correct.loss);
  command.options.add("Correction", state->correct);
  command.options.add("Output", state->model_output);
  add_report_options(command.options, state->report);
  add_output_options(command.options, state->output);
  command.options.set_position("data", 1);
  command.options.set_role(PathRole::data, {"data", "valid-data", "test-data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.options.set_role(PathRole::output, {"model"});
  command.run = [state, options = command.options](const Makers& /*makers*/) {
    return run_correct(*state, options);
  };
  return command;
}

}  // namespace adacvar::cli
