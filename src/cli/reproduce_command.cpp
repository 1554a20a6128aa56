#include "base/write_file.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_attempts.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_output.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/version.hpp>
#include "data/named_sets.hpp"
#include "data/synthetic.hpp"
#include "experiment/run_study.hpp"
#include "experiment/study_page.hpp"
#include "experiment/study_report.hpp"
#include "experiment/summary.hpp"
#include "report/svg_chart.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace adacvar::cli {

namespace {

enum class ExperimentChoice : std::uint8_t {
  convex,
  shift_train,
  shift_test,
  shift_double,
  tradeoff,
  mnist,
  fashion_mnist,
  cifar10,
  powerlaw,
  gradients,
  all,
};

struct ReproduceOptions {
  ExperimentChoice experiment = ExperimentChoice::convex;
  GridSize grid = GridSize::small;
  GridSize scale = GridSize::small;
  std::uint64_t seeds = 0;
  bool upsample = false;
  bool downsample = false;
  std::vector<std::string> sets = {};
  std::string out = {};
  std::string data_dir = {};
  std::uint64_t make_rows = 10'000;
  std::uint64_t threads = 0;
  Device device = Device::cpu;

  static const std::vector<OptionSpec>& options() {
    using O = ReproduceOptions;
    static const Condition shifts =
        with("experiment", {"shift-train", "shift-test", "shift-double"});
    static const Condition networks =
        with("experiment", {"mnist", "fashion-mnist", "cifar10", "powerlaw", "gradients"});
    static const std::vector<OptionSpec> all{
        {"experiment", &O::experiment,
         Names{"convex", "shift-train", "shift-test", "shift-double", "tradeoff", "mnist",
               "fashion-mnist", "cifar10", "powerlaw", "gradients", "all"},
         "experiment of the paper; all: all experiments with linear models, each shift also "
         "upsampled "
         "and downsampled"},
        {"grid", &O::grid, Names{"small", "paper"},
         "configurations to try: small takes minutes, paper is the full grid of the paper's "
         "appendix",
         with("experiment", {"convex", "shift-train", "shift-test", "shift-double", "all"})},
        {"scale", &O::scale, Names{"small", "paper"},
         "small: narrow networks for a few epochs, minutes; paper: the paper's networks, days "
         "without a GPU",
         networks},
        {"seeds", &O::seeds, Bounds{.low = 0, .high = 1000},
         "number of random splits, or of initial networks; 0: five; with networks at small scale "
         "three, for cifar10 and gradients two, for powerlaw one"},
        {"upsample", &O::upsample, "repeats rows until the training classes are balanced",
         shifts && without("downsample")},
        {"downsample", &O::downsample, "removes rows until the training classes are balanced",
         shifts && without("upsample")},
        {"sets", &O::sets, "only these of the paper's sets, separated by commas",
         with("experiment", {"convex", "shift-train", "shift-test", "shift-double", "tradeoff"})},
        {"out", &O::out,
         "folder for results, tables and figures; default: reproduce-EXPERIMENT-GRID. Runs whose "
         "results it contains are not repeated"},
        {"data-dir", &O::data_dir,
         "folder of the named real sets; else ADACVAR_DATA, else adacvar in XDG_DATA_HOME or "
         "~/.local/share"},
        {"make-rows", &O::make_rows, Bounds{.low = 20, .high = 4'294'967'294.0},
         "rows of the synthetic sets",
         (with("experiment", {"convex", "all"}) && without("sets")) ||
             with("sets", {"normal", "pareto", "sinc"})},
        {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
         "number of parallel runs; 0: one per core; does not change the result. Networks are "
         "trained "
         "one at a time, each on this number of threads"},
        {"device", &O::device, Names{"cpu", "cuda"}, "device for networks", networks},
    };
    return all;
  }
};

struct State {
  ReproduceOptions reproduce;
  OutputOptions output;
  ReportOutput report;
};

Rebalance rebalance_of(const ReproduceOptions& options) {
  if (options.upsample) return Rebalance::upsample;
  return options.downsample ? Rebalance::downsample : Rebalance::none;
}

// At small scale the runs take minutes on two cores.
std::uint64_t default_seeds(Experiment experiment, GridSize scale) {
  if (scale == GridSize::paper) return 5;
  if (experiment == Experiment::powerlaw) return 1;
  return experiment == Experiment::cifar10 || experiment == Experiment::gradients ? 2 : 3;
}

std::vector<Study> vision_studies(const ReproduceOptions& options, Experiment experiment,
                                  const Makers& makers) {
  const std::uint64_t seeds =
      options.seeds > 0 ? options.seeds : default_seeds(experiment, options.scale);
  std::vector<Study> studies =
      make_vision_studies(experiment, {options.scale, seeds, rebalance_of(options), options.sets});
  for (Study& study : studies) {
    study.vision->network.threads = options.threads;
    study.vision->network.device = options.device;
    require_networks(makers.networks).check(study.vision->network);
  }
  return studies;
}

std::vector<Study> studies_of(const ReproduceOptions& options, const Makers& makers) {
  if (options.experiment != ExperimentChoice::all) {
    const auto experiment = static_cast<Experiment>(options.experiment);
    if (is_vision(experiment)) return vision_studies(options, experiment, makers);
  }
  StudyChoice choice{options.grid, options.seeds > 0 ? options.seeds : 5, rebalance_of(options),
                     options.sets};
  if (options.experiment != ExperimentChoice::all) {
    return {make_study(static_cast<Experiment>(options.experiment), choice)};
  }
  std::vector<Study> studies = {make_study(Experiment::convex, choice)};
  for (const Experiment shift :
       {Experiment::shift_train, Experiment::shift_test, Experiment::shift_double}) {
    for (choice.rebalance = Rebalance::none;;) {
      studies.push_back(make_study(shift, choice));
      if (choice.rebalance == Rebalance::downsample) break;
      choice.rebalance = static_cast<Rebalance>(static_cast<int>(choice.rebalance) + 1);
    }
  }
  choice.rebalance = Rebalance::none;
  studies.push_back(make_study(Experiment::tradeoff, choice));
  return studies;
}

std::string grid_name(const Study& study) {
  constexpr Names kGrids{"small", "paper"};
  return std::string(kGrids.of(study.grid));
}

std::filesystem::path folder_of(const ReproduceOptions& options, const Study& study, bool several) {
  const std::string name = several ? "all" : study.name;
  const std::filesystem::path out =
      options.out.empty() ? fmt::format("reproduce-{}-{}", name, grid_name(study)) : options.out;
  return several ? out / study.name : out;
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw OptionError(fmt::format("out: cannot create {}: {}", folder.string(), error.message()));
  }
}

// Identifies a log of results: only results with the same text may be combined.
std::string study_text(const Study& study, const ReproduceOptions& options) {
  if (study.vision) {
    return fmt::format("{}, scale {}, alpha {:g}, {}, adacvar {}", study.name, grid_name(study),
                       study.alpha, study.vision->network.network, ADACVAR_VERSION);
  }
  return fmt::format("{}, grid {}, alpha {:g}, {} synthetic rows, adacvar {}", study.name,
                     grid_name(study), study.alpha, options.make_rows, ADACVAR_VERSION);
}

std::vector<RawData> read_sets(const Study& study, const ReproduceOptions& options) {
  SourceOptions source;
  source.data_dir = options.data_dir;
  source.make_rows = options.make_rows;
  std::vector<RawData> data;
  if (study.vision) {
    data.push_back(read_data(study.vision->data, source));
    return data;
  }
  data.reserve(study.sets.size());
  for (const std::string& set : study.sets) data.push_back(read_data(set, source));
  return data;
}

/// Runs studies one by one and shows their joint progress; each is weighted by its rows and runs.
class StudyRunner {
 public:
  StudyRunner(const State& state, const std::vector<Study>& studies, const Makers& makers)
      : state_(state), studies_(studies), makers_(makers), line_(state.output.quiet) {
    for (const Study& study : studies) weights_.push_back(weight_of(study));
  }

  /// Throws: Interrupted.
  void run(std::size_t number, const std::vector<RawData>& data, ResultLog& log,
           const std::filesystem::path& folder) {
    watch_interrupts();
    const StudyHooks hooks{.progress = [&](const StudyProgress& p) { show(number, p); },
                           .stop = &interrupted(),
                           .networks = makers_.networks};
    const auto threads = static_cast<unsigned>(state_.reproduce.threads);
    if (run_study(studies_[number], data, threads, log, hooks)) return;
    if (!state_.output.quiet) {
      print_message(
          fmt::format("\nstopped: {} finished runs are kept in {}; the same command resumes "
                      "from there\n",
                      log.size(), folder.string()));
    }
    throw Interrupted{};
  }

 private:
  [[nodiscard]] double weight_of(const Study& study) const {
    double rows = 0;
    if (study.vision) return 1;  // studies of networks take about the same time
    for (const std::string& set : study.sets) {
      const bool made = std::ranges::count(synthetic_names(), set) > 0;
      rows += static_cast<double>(made ? state_.reproduce.make_rows : named_set_info(set).rows);
    }
    double runs = 0;
    for (const Contestant& contestant : study.contestants) {
      runs += static_cast<double>(contestant.configs.size());
    }
    return rows * runs;
  }

  void show(std::size_t number, const StudyProgress& p) {
    double done = weights_[number] * p.work_done / p.work;
    double total = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      total += weights_[i];
      if (i < number) done += weights_[i];
    }
    if (!before_) before_ = done;
    const std::string which =
        studies_.size() > 1 ? fmt::format(" ({}/{})", number + 1, studies_.size()) : "";
    line_.show_work(done, *before_, total,
                    fmt::format("{}{} run {}/{}{}{}", studies_[number].name, which, p.done, p.total,
                                p.last.empty() ? "" : ": ", p.last));
  }

  const State& state_;
  const std::vector<Study>& studies_;
  const Makers& makers_;
  ProgressLine line_;
  std::vector<double> weights_;
  std::optional<double> before_;
};

std::optional<Variant> variant_of(const Contestant& contestant) {
  for (std::size_t i = 0; i < kVariantNames.names.size(); ++i) {
    if (kVariantNames.names[i] == contestant.name) return static_cast<Variant>(i);
  }
  return std::nullopt;
}

bool may_select_plain(const Contestant& contestant, std::size_t config) {
  const auto variant = variant_of(contestant);
  return !variant || is_plain(*variant, contestant.configs[config]);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_file(path, [&](const Write& write) { write(text); });
}

void write_tables(const std::filesystem::path& folder, const std::string& title,
                  const Summary& summary, const std::vector<ResultTable>& tables) {
  std::string markdown = fmt::format("## {}\n\n", title);
  std::string latex;
  for (const ResultTable& table : tables) {
    markdown += table_markdown(table) + "\n";
    latex += table_latex(table) + "\n";
  }
  write_text(folder / "tables.md", markdown);
  write_text(folder / "tables.tex", latex);
  write_text(folder / "tables.csv", study_csv(summary));
  std::vector<FigureFile> figures;
  for (const StudyFigure& figure : study_figures(summary)) {
    figures.push_back({figure.stem + ".svg", svg(figure.chart)});
  }
  write_figures(folder, figures);
}

nlohmann::ordered_json cell_json(const ResultCell& cell) {
  if (!cell.value && cell.text == "–") return nullptr;
  if (!cell.value) return cell.text;
  nlohmann::ordered_json json = {{"value", *cell.value}};
  if (cell.sd) json["sd"] = *cell.sd;
  json["text"] = cell.text;
  return json;
}

nlohmann::ordered_json tables_json(const std::vector<ResultTable>& tables) {
  auto list = nlohmann::ordered_json::array();
  for (const ResultTable& table : tables) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      auto cells = nlohmann::ordered_json::object();
      auto best = nlohmann::ordered_json::array();
      for (std::size_t c = 0; c < row.size(); ++c) {
        cells[table.header[c]] = cell_json(row[c]);
        if (row[c].best) best.push_back(table.header[c]);
      }
      if (!best.empty()) cells["best"] = std::move(best);
      rows.push_back(std::move(cells));
    }
    list.push_back({{"title", table.title}, {"rows", std::move(rows)}, {"notes", table.notes}});
  }
  return list;
}

std::vector<std::string> sets_of(const std::vector<Study>& studies) {
  std::vector<std::string> sets;
  for (const Study& study : studies) {
    if (study.vision) {
      sets.push_back(study.vision->data);
    } else {
      sets.insert(sets.end(), study.sets.begin(), study.sets.end());
    }
  }
  return sets;
}

int run_reproduce(const State& state, const OptionList& options, const Makers& makers) {
  check_options(state.reproduce);
  check_report(state.report);
  const std::vector<Study> studies = studies_of(state.reproduce, makers);
  nlohmann::ordered_json json = {{"experiments", nlohmann::ordered_json::array()}};
  std::string text;
  std::vector<std::string> notes;
  std::vector<StudyResult> done;
  OutputAttempts attempts;
  StudyRunner runner(state, studies, makers);
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const Study& study = studies[i];
    const auto folder = folder_of(state.reproduce, study, studies.size() > 1);
    const std::vector<RawData> data = read_sets(study, state.reproduce);
    create_folder(folder);
    const std::string title = study_text(study, state.reproduce);
    ResultLog log(folder / "results.jsonl", title);
    runner.run(i, data, log, folder);
    const Summary summary = summarise(study, log);
    std::optional<Summary> plain;
    if (study.grid == GridSize::paper && !is_tradeoff(study) && !study.vision) {
      plain = summarise(study, log, &may_select_plain);
    }
    done.push_back({summary, study_tables(summary, plain ? &*plain : nullptr), {}});
    for (const RawData& set : data) done.back().data.push_back(fingerprint_of(set));
    const auto& tables = done.back().tables;
    attempts.run([&] { write_tables(folder, title, summary, tables); });
    for (const ResultTable& table : tables) text += table_text(table) + "\n";
    json["experiments"].push_back({{"experiment", study.name},
                                   {"grid", grid_name(study)},
                                   {"alpha", study.alpha},
                                   {"seeds", study.seeds},
                                   {"folder", folder.string()},
                                   {"tables", tables_json(tables)}});
    notes.push_back(cost_text(summary));
    notes.push_back(
        fmt::format("results, tables and figures of {} are in {}", study.name, folder.string()));
  }
  json["notes"] = notes;
  attempts.run([&] { print_outcome(state.output, json.dump(), text, notes); });
  if (state.report.is_requested()) {
    attempts.run([&] {
      write_report(state.report,
                   study_page(done, origin_of("reproduce", options, sets_of(studies))));
    });
  }
  attempts.finish();
  return kDone;
}

}  // namespace

Command make_reproduce_command() {
  const auto state = std::make_shared<State>();
  Command command;
  command.name = "reproduce";
  command.usage = "EXPERIMENT [options]";
  command.about = "Runs an experiment of the paper and compares it with the published results";
  command.example = "adacvar reproduce convex --grid small";
  command.options.add("Experiment", state->reproduce);
  command.options.set_position("experiment", 1);
  command.options.set_role(PathRole::output_folder, {"out"});
  command.options.set_role(PathRole::input_folder, {"data-dir"});
  // Figures are written to the folder of results.
  command.options.add("Output", state->report, {"figures"});
  command.options.set_role(PathRole::output, {"report"});
  add_output_options(command.options, state->output);
  command.run = [state, options = command.options](const Makers& makers) {
    return run_reproduce(*state, options, makers);
  };
  command.needs_networks = [state] {
    const ExperimentChoice choice = state->reproduce.experiment;
    return choice != ExperimentChoice::all && is_vision(static_cast<Experiment>(choice));
  };
  return command;
}

}  // namespace adacvar::cli
