#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_result.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"

#include <adacvar/report/correction.hpp>
#include <adacvar/run/correct.hpp>
#include "report/correction_page.hpp"

#include <memory>

namespace adacvar::cli {

namespace {

struct State {
  DataOptions data;
  CorrectOptions correct;
  ModelResultOutput output;
};

/// The result, after its notes about the data were printed.
Correction correct_with_progress(const State& state, std::vector<std::string>& printed) {
  ProgressLine progress(state.output.output.quiet);
  DataOptions data = state.data;
  progress.show_reading_of(data.source);
  CorrectOptions options = state.correct;
  options.stop = &interrupted();
  Correction result = correct(data, options, on_data_ready(state.output.output, progress, printed));
  throw_if_interrupted();
  return result;
}

int run_correct(const State& state, const OptionList& options) {
  state.output.check();
  std::vector<std::string> printed;
  Correction correction = correct_with_progress(state, printed);
  const DataOptions& data = state.data;
  write_model_result(
      state.output,
      {.model = correction.model,
       .notes = correction.notes,
       .headlines = correction.headlines,
       .printed = printed,
       .json = [&](const std::string& path) { return correction_json(correction, path); },
       .text = [&] { return correction_text(correction); },
       .page =
           [&] {
             return correction_page(
                 correction,
                 origin_of("correct", options, {data.data, data.valid_data, data.test_data}));
           }});
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
  state->output.add_to(command.options);
  command.options.set_position("data", 1);
  command.options.set_role(PathRole::data, {"data", "valid-data", "test-data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state, options = command.options](const Makers& /*makers*/) {
    return run_correct(*state, options);
  };
  return command;
}

}  // namespace adacvar::cli
