#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"
#include "cli/sha256.hpp"
#include "cli/text_style.hpp"
#include "run/model_file.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/run/evaluate.hpp>
#include "report/run_page.hpp"

#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace adacvar::cli {

namespace {

struct Input {
  std::string model = {};
  std::string data = {};
  std::string against = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"model", &Input::model, "model file written by train"},
        {"data", &Input::data,
         "file, - for standard input, or built-in set with the columns of the model"},
        {"against", &Input::against,
         "another model file: differences in CVaR to it, on the same rows"},
    };
    return all;
  }
};

struct State {
  Input input;
  EvaluateOptions evaluate;
  OutputOptions output;
  ReportOutput report;
};

std::string name_with_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  return fmt::format("{}, SHA-256 {}", path, sha256(content));
}

// Includes the facts that identify the model, and the seeds that the numbers depend on.
PageOrigin origin_with_model(const State& state, const TrainedModel& model,
                             const OptionList& options) {
  PageOrigin origin = origin_of("evaluate", options, {state.input.data});
  origin.facts.insert(origin.facts.end(),
                      {{"model", name_with_hash(state.input.model)},
                       {"trained by", fmt::format("{}, alpha {:g}, seed {}",
                                                  kAlgorithmNames.of(model.options.algorithm),
                                                  model.options.alpha, model.options.seed)},
                       {"trained on", model.source},
                       {"fingerprint of that data", fingerprint_text(model.fingerprint)},
                       {"seed of the bootstrap", std::to_string(state.evaluate.bootstrap.seed)}});
  if (!state.input.against.empty()) {
    origin.facts.push_back({"other model", name_with_hash(state.input.against)});
  }
  return origin;
}

Evaluation evaluate_with_progress(const State& state, const Model& model, const Model* other) {
  ProgressLine progress(state.output.quiet);
  EvaluateOptions options = state.evaluate;
  progress.show_reading_of(options.source);
  Evaluation evaluation = evaluate(model, state.input.data, options, other);
  evaluation.other_model = state.input.against;
  return evaluation;
}

int run_evaluate(const State& state, const OptionList& options, const Makers& makers) {
  if (state.input.model.empty())
    throw OptionError("model is not given; name a model file written by train");
  check_report(state.report);
  const Model model = Model::load(state.input.model, makers.networks);
  std::optional<Model> other;
  if (!state.input.against.empty()) other = Model::load(state.input.against, makers.networks);
  const Evaluation evaluation = evaluate_with_progress(state, model, other ? &*other : nullptr);
  OutputAttempts attempts;
  attempts.run([&] {
    print_outcome(state.output, evaluation_json(evaluation),
                  evaluation_text(evaluation) + histogram_text(evaluation, text_style()),
                  evaluation.notes);
  });
  if (state.report.is_requested()) {
    attempts.run([&] {
      write_report(state.report,
                   evaluation_page(evaluation, origin_with_model(state, model.parts(), options)));
    });
  }
  attempts.finish();
  return kDone;
}

}  // namespace

Command make_evaluate_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "evaluate";
  command.usage = "MODEL DATA [options]";
  command.about = "Measures a model's losses on data, with intervals, worst rows and groups";
  command.example = "adacvar evaluate claims.json claims.csv --part test --group region";
  command.options.add("Input", state->input);
  command.options.add("Data", state->evaluate.source, {"drop"});
  command.options.add("Risk", state->evaluate);
  command.options.add("Bootstrap", state->evaluate.bootstrap);
  add_report_options(command.options, state->report);
  add_output_options(command.options, state->output);
  command.options.set_position("model", 1);
  command.options.set_position("data", 2);
  command.options.set_role(PathRole::input, {"model", "against"});
  command.options.set_role(PathRole::data, {"data"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state, options = command.options](const Makers& makers) {
    return run_evaluate(*state, options, makers);
  };
  command.needs_networks = [state] {
    const Input& input = state->input;
    return holds_network(input.model) || (!input.against.empty() && holds_network(input.against));
  };
  return command;
}

}  // namespace adacvar::cli
