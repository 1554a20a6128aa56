#include "base/join.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/csv_text.hpp"
#include "cli/progress_line.hpp"
#include "data/class_labels.hpp"
#include "data/columns_like.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"
#include "data/read_data.hpp"
#include "data/table_stream.hpp"
#include "learner/predict.hpp"
#include "run/model_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

namespace adacvar::cli {

namespace {

struct Input {
  std::string model = {};
  std::string data = {};
  std::string output = {};
  std::vector<std::string> keep = {};

  static const std::vector<OptionSpec>& options() {
    static const std::vector<OptionSpec> all{
        {"model", &Input::model, "model file written by train"},
        {"data", &Input::data,
         "file, - for standard input, or built-in set with the features of the model"},
        {"output", &Input::output, "CSV file to write; default: standard output"},
        {"keep", &Input::keep,
         "input columns to copy to the output before the predictions, separated by commas; a name "
         "with a comma must be in double quotes"},
    };
    return all;
  }
};

struct State {
  Input input;
  SourceOptions source;
  OutputOptions output;
};

std::vector<std::string> prediction_columns(const TrainedModel& model) {
  std::vector<std::string> names = {"prediction"};
  if (model.loss.kind() == LossKind::hinge) {
    names.emplace_back("score");
    return names;
  }
  for (const std::string& name : model.preprocessor.parts().class_names) {
    names.push_back("p_" + name);
  }
  return names;
}

void check_kept(const std::vector<std::string>& kept, const TrainedModel& model) {
  const std::vector<std::string> others = prediction_columns(model);
  for (auto name = kept.begin(); name != kept.end(); ++name) {
    if (std::find(kept.begin(), name, *name) != name) {
      throw OptionError(fmt::format("keep names the column '{}' more than once", *name));
    }
    if (std::ranges::find(others, *name) != others.end()) {
      throw OptionError(fmt::format(
          "keep = '{}': the output has a column of that name, which holds predictions", *name));
    }
  }
}

/// The columns of a table that are copied to the output.
class KeptColumns {
 public:
  KeptColumns() = default;
  KeptColumns(const Table& table, const std::vector<std::string>& names) : table_(&table) {
    if (!table.verbatim.empty()) return;
    for (const std::string& name : names) columns_.push_back(&find_column(table, name, "keep"));
  }

  // Adds the fields of a row, each with a comma. Columns that are not text have numbers in their
  // shortest form; a missing value is empty.
  void add_fields(std::size_t row, std::string& line) const {
    if (table_ == nullptr) return;
    for (const VerbatimColumn& column : table_->verbatim) {
      line += csv_field(std::string(column.fields[row])) + ',';
    }
    for (const Column* column : columns_) {
      if (!is_missing_at(*column, row)) line += csv_field(value_name(*column, row));
      line += ',';
    }
  }

 private:
  const Table* table_ = nullptr;
  std::vector<const Column*> columns_;  // unless the table has their text
};

std::string header_of(const TrainedModel& model, const std::vector<std::string>& kept) {
  std::vector<std::string> fields;
  for (const std::string& name : kept) fields.push_back(csv_field(name));
  for (const std::string& name : prediction_columns(model)) fields.push_back(csv_field(name));
  return join(fields, ",") + "\n";
}

/// `first` is the row of the first prediction in `kept`.
std::string lines_of(const TrainedModel& model, const Predictions& predictions,
                     const KeptColumns& kept, std::size_t first) {
  const auto& classes = model.preprocessor.parts().class_names;
  std::string text;
  for (std::size_t i = 0; i < predictions.values.size(); ++i) {
    kept.add_fields(first + i, text);
    if (classes.empty()) {
      text += fmt::format("{}", predictions.values[i]);
    } else {
      text += csv_field(classes[static_cast<std::size_t>(predictions.values[i])]);
    }
    for (std::size_t c = 0; c < classes.size() && !predictions.probabilities.empty(); ++c) {
      text += fmt::format(",{}", predictions.probabilities[i * classes.size() + c]);
    }
    if (!predictions.scores.empty()) text += fmt::format(",{}", predictions.scores[i]);
    text += '\n';
  }
  return text;
}

class Predictor {
 public:
  Predictor(const TrainedModel& model, const std::vector<std::string>& kept, const Write& sink)
      : model_(model), kept_(kept), sink_(sink) {}

  // Dense features are built in blocks: a row may need far more memory than its text.
  void add(const Table& table) {
    const std::vector<Index> rows = first_rows(table.rows);
    const KeptColumns kept(table, kept_);
    const std::size_t size =
        model_.preprocessor.parts().sparse_categories ? std::max(rows.size(), kBlock) : kBlock;
    std::size_t begin = 0;
    do {  // at least once, to write the header
      const std::size_t count = std::min(size, rows.size() - begin);
      write(model_.preprocessor.apply_features(table, std::span(rows).subspan(begin, count),
                                               &report_),
            kept, begin);
      begin += count;
    } while (begin < rows.size());
  }
  void add(const SparseRows& sparse) {
    refuse_kept(sparse.source, "is a LIBSVM file");
    write(model_.preprocessor.apply_features(sparse, first_rows(sparse.rows())));
  }
  // In blocks: features need four times the memory of pixels.
  void add(const Images& images) {
    refuse_kept(images.source, "holds images");
    const std::vector<Index> rows = first_rows(images.rows());
    for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
      const std::size_t count = std::min(kBlock, rows.size() - begin);
      write(model_.preprocessor.apply_features(images, std::span(rows).subspan(begin, count)));
    }
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes = apply_notes(report_, "these");
    std::string note = missing_note(report_, "these");
    if (!note.empty()) notes.push_back(std::move(note));
    return notes;
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  static std::vector<Index> first_rows(std::size_t count) {
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  void refuse_kept(const std::string& source, std::string_view what) const {
    if (kept_.empty()) return;
    throw OptionError(
        fmt::format("keep = '{}' needs named columns; {} {}", join(kept_, ","), source, what));
  }
  // The header is written with the first valid rows.
  void write(const Dataset& data, const KeptColumns& kept = {}, std::size_t first = 0) {
    if (!has_header_) sink_(header_of(model_, kept_));
    has_header_ = true;
    sink_(lines_of(model_,
                   predict(model_.scorer(), model_.loss, data, model_.preprocessor.target_scale()),
                   kept, first));
  }

  const TrainedModel& model_;
  const std::vector<std::string>& kept_;
  const Write& sink_;
  ApplyReport report_;
  bool has_header_ = false;
};

std::vector<std::string> predict_blocks(const TrainedModel& model, const State& state,
                                        const Write& sink) {
  const SourceOptions source = with_missing_words(model, state.source);
  ReadOptions options = columns_like(model.preprocessor, read_options(source), {});
  options.verbatim = state.input.keep;
  TableStream stream(state.input.data, options);
  Table block;
  Predictor predictor(model, state.input.keep, sink);
  while (stream.next(block)) predictor.add(block);
  return predictor.notes();
}

std::vector<std::string> predict_whole(const TrainedModel& model, const State& state,
                                       const RawData& raw, const Write& sink) {
  Predictor predictor(model, state.input.keep, sink);
  std::visit([&](const auto& content) { predictor.add(content); }, raw.content);
  return predictor.notes();
}

// Predictions on the same terminal would mix with the progress line.
bool hides_progress(const State& state) {
  return state.output.quiet || (state.input.output.empty() && ::isatty(STDOUT_FILENO) != 0);
}

int run_predict(State state, const Makers& makers) {
  if (state.input.model.empty())
    throw OptionError("model is not given; name a model file written by train");
  const TrainedModel model = load_model(state.input.model, makers.networks);
  check_kept(state.input.keep, model);
  std::optional<ProgressLine> progress(std::in_place, hides_progress(state));
  progress->show_reading_of(state.source);
  if (!state.input.output.empty()) check_writable(state.input.output);
  // Text tables are read in blocks; other formats are read completely before the output file is
  // created, so that an interrupt leaves nothing behind.
  std::optional<RawData> whole;
  if (!is_text_table(state.input.data)) {
    whole = read_features_like(model.preprocessor, state.input.data,
                               with_missing_words(model, state.source), state.input.keep);
  }
  std::vector<std::string> notes;
  const auto predict_to = [&](const Write& sink) {
    notes = whole ? predict_whole(model, state, *whole, sink) : predict_blocks(model, state, sink);
  };
  if (state.input.output.empty()) {
    predict_to(print_result);
  } else {
    write_result(state.input.output, predict_to);
  }
  progress.reset();
  if (!state.output.quiet) print_notes(notes);
  return kDone;
}

}  // namespace

Command make_predict_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "predict";
  command.usage = "MODEL DATA [-o FILE] [options]";
  command.about = "Writes a prediction for every row as CSV, with class probabilities";
  command.example = "adacvar predict claims.json new_claims.csv -o predictions.csv";
  command.options.add("Input", state->input);
  command.options.add("Data", state->source, {"categorical", "drop"});
  add_output_options(command.options, state->output, {"json"});
  command.options.set_position("model", 1);
  command.options.set_position("data", 2);
  command.options.set_letter("output", 'o');
  command.options.set_role(PathRole::input, {"model"});
  command.options.set_role(PathRole::data, {"data"});
  command.options.set_role(PathRole::output, {"output"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  command.run = [state](const Makers& makers) { return run_predict(*state, makers); };
  command.needs_networks = [state] { return holds_network(state->input.model); };
  return command;
}

}  // namespace adacvar::cli
