#include "cli/model_result.hpp"

#include "cli/interrupt.hpp"
#include "cli/output_attempts.hpp"

#include <algorithm>

namespace adacvar::cli {

const std::vector<OptionSpec>& ModelResultOutput::options() {
  static const std::vector<OptionSpec> all{
      {"model", &ModelResultOutput::model, "file to write the model to"},
  };
  return all;
}

void ModelResultOutput::add_to(OptionList& list) {
  list.add("Output", *this);
  add_report_options(list, report);
  add_output_options(list, output);
  list.set_role(PathRole::output, {"model"});
}

void ModelResultOutput::check() const {
  if (!model.empty()) check_writable(model);
  check_report(report);
}

void write_model_result(const ModelResultOutput& output, const ModelResult& result) {
  const std::string& path = output.model;
  OutputAttempts attempts;
  const bool is_saved = !path.empty() && attempts.run([&] { result.model.save(path); });
  if (path.empty()) {
    result.notes.emplace_back("the model was not saved; use --model FILE to save it");
  }
  std::vector<std::string> notes = result.notes;
  std::erase_if(notes, [&](const std::string& note) {
    return std::ranges::find(result.printed, note) != result.printed.end();
  });
  print_notes(result.headlines);
  const std::string saved = is_saved ? "\nmodel written to " + path + "\n" : "";
  const bool is_printed = attempts.run([&] {
    print_outcome(output.output, result.json(is_saved ? path : ""), result.text() + saved, notes);
  });
  if (is_saved && !is_printed) print_message(saved.substr(1));
  if (output.report.is_requested()) {
    attempts.run([&] { write_report(output.report, result.page()); });
  }
  attempts.finish();
}

std::function<void(const std::vector<std::string>&)> on_data_ready(
    const OutputOptions& output, ProgressLine& progress, std::vector<std::string>& printed) {
  return [&](const std::vector<std::string>& notes) {
    watch_interrupts();
    progress.clear();
    if (!output.quiet) print_notes(notes);
    printed.insert(printed.end(), notes.begin(), notes.end());
  };
}

}  // namespace adacvar::cli
