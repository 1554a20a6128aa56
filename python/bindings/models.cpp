#include "arrays.hpp"
#include "interruptible.hpp"
#include "keywords.hpp"
#include "module.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/learner/trees.hpp>
#include <adacvar/run/best.hpp>
#include <adacvar/run/certify_linear.hpp>
#include <adacvar/run/correct.hpp>
#include <adacvar/run/fit.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/run/run.hpp>
#include <adacvar/run/trace_frontier.hpp>

#include <pybind11/stl.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace adacvar::python {

namespace {

using Levels = std::map<std::size_t, std::vector<std::string>>;

enum class ModelClass : std::uint8_t { linear, trees };

/// The keywords of `fit`, from the lists of options that the program has too.
class FitKeywords {
 public:
  explicit FitKeywords(ModelClass of = ModelClass::linear) {
    if (of == ModelClass::linear) {
      add_linear();
    } else {
      add_trees();
    }
    add(keywords_of(steps_, {"seed"}));
    add(keywords_of(tune_, {"threads"}));
  }

  [[nodiscard]] const std::vector<Keyword>& all() const noexcept { return all_; }

  /// The options with the keywords given; `seed` and `threads` among them.
  FitOptions options(const py::dict& given) {
    set_keywords(all_, given);
    FitOptions options;
    options.alpha = steps_.alpha;
    options.gamma = steps_.gamma;
    options.mean_budget = budget_.mean_budget;
    options.cvar_limit = budget_.cvar_limit;
    options.algorithm = algorithm(given);
    options.loss = loss_;
    options.ridge = steps_.ridge;
    options.seed = steps_.seed;
    options.standardise = !data_.raw_features;
    options.steps = steps_;
    options.threads = static_cast<unsigned>(tune_.threads);
    return options;
  }

 private:
  void add_linear() {
    add(keywords_of(steps_, {"alpha", "gamma"}));
    add(keywords_of(budget_, {"mean-budget", "cvar-limit"}));
    add(keywords_of(steps_, {"algorithm"}));
    all_.back().more_names = {"auto"};
    add(keywords_of(loss_));
    add(keywords_of(steps_, {"ridge"}));
    add(keywords_of(data_, {"raw-features"}));
    add(keywords_of(steps_, {"epochs", "batch", "learning-rate", "exploration", "temperature"}));
  }

  void add_trees() {
    add(keywords_of(steps_, {"alpha"}));
    add(keywords_of(budget_, {"mean-budget"}));
    add(keywords_of(steps_, {"algorithm"}));
    add(keywords_of(loss_));
    add(keywords_of(steps_.trees,
                    {"rounds", "depth", "leaves", "tree-rate", "subsample", "min-leaf-weight",
                     "leaf-ridge", "bins", "tree-patience"}));
  }

  void add(std::vector<Keyword> keywords) {
    all_.insert(all_.end(), keywords.begin(), keywords.end());
  }

  [[nodiscard]] FitAlgorithm algorithm(const py::dict& given) const {
    if (!given.contains("algorithm") || py::cast<std::string>(given["algorithm"]) == "auto") {
      return FitAlgorithm::automatic;
    }
    switch (steps_.algorithm) {
      case Algorithm::adacvar:
        return FitAlgorithm::adacvar;
      case Algorithm::trunc:
        return FitAlgorithm::trunc;
      case Algorithm::soft:
        return FitAlgorithm::soft;
      case Algorithm::mean:
        return FitAlgorithm::mean;
      case Algorithm::exact:
        break;
    }
    return FitAlgorithm::exact;
  }

  TrainOptions steps_;
  BudgetOptions budget_;
  LossOptions loss_;
  DataOptions data_;
  TuneOptions tune_;
  std::vector<Keyword> all_;
};

/// Rows to learn from: features, and targets that are numbers or names of classes.
class Rows {
 public:
  Rows(const py::object& features, const py::object& targets, const Levels& levels,
       const py::object& weights, std::vector<std::string> names)
      : matrix_(features, levels), weights_(weights, "sample_weight"), names_(std::move(names)) {
    if (py::isinstance<py::list>(targets)) {
      classes_ = py::cast<std::vector<std::string>>(targets);
    } else {
      targets_.emplace(targets, "y");
    }
  }

  /// Sets weights, names and target. `is_class`: numbers are classes too.
  template <class Options>
  void complete(Options& options, bool is_class) const {
    options.weights = weights_.span();
    options.names = names_;
    options.target = is_class ? FitOptions::Target::classes : FitOptions::Target::number;
    if (!targets_) options.target = FitOptions::Target::automatic;
  }

  /// Returns use(matrix, targets) with numbers or names.
  template <class Use>
  auto with_targets(const Use& use) const {
    return targets_ ? use(matrix_.view(), targets_->span())
                    : use(matrix_.view(), std::span<const std::string>(classes_));
  }
  [[nodiscard]] const MatrixView& view() const noexcept { return matrix_.view(); }
  [[nodiscard]] std::span<const double> numbers() const { return targets_.value().span(); }

 private:
  Matrix matrix_;
  OptionalNumbers weights_;
  std::vector<std::string> names_;
  std::optional<Numbers> targets_;
  std::vector<std::string> classes_;
};

py::tuple risk_tuple(const TailRisk& risk) {
  return py::make_tuple(risk.mean, risk.var, risk.cvar);
}

py::object risk_or_none(const std::optional<TailRisk>& risk) {
  return risk ? py::object(risk_tuple(*risk)) : py::object(py::none());
}

/// The maker that the module _trees gives; None: null.
const TreeMaker* tree_maker(const py::object& maker) {
  if (maker.is_none()) return nullptr;
  return py::cast<py::capsule>(maker).get_pointer<const TreeMaker>();
}

/// `maker`: trees with this share of the rows for validation; None: a linear model.
py::dict fit_rows(const py::object& features, const py::object& targets, bool is_class,
                  const Levels& levels, const py::object& weights,
                  const std::vector<std::string>& names, const py::dict& given,
                  const py::object& maker, double validation) {
  FitKeywords keywords(maker.is_none() ? ModelClass::linear : ModelClass::trees);
  FitOptions options = keywords.options(given);
  options.trees = tree_maker(maker);
  options.validation = validation;
  const Rows rows(features, targets, levels, weights, names);
  rows.complete(options, is_class);
  FitReport report = interruptible([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    return rows.with_targets(
        [&](const MatrixView& matrix, auto known) { return fit_report(matrix, known, options); });
  });
  py::dict result;
  result["model"] = std::move(report.model);
  result["iterations"] = report.iterations;
  result["validation_risk"] = risk_or_none(report.valid);
  result["tail_share"] = report.tail_share;
  result["notes"] = report.notes;
  result["headlines"] = report.headlines;
  return result;
}

/// The keywords of `best`.
struct BestKeywords {
  BestOptions options;
  std::vector<Keyword> all;

  BestKeywords() {
    all = keywords_of(options, {"alpha", "mean-budget", "folds", "time", "seed", "threads"});
    const std::vector<Keyword> loss = keywords_of(options.loss);
    all.insert(all.begin() + 2, loss.begin(), loss.end());
  }
  BestKeywords(const BestKeywords&) = delete;
  BestKeywords& operator=(const BestKeywords&) = delete;
};

py::dict base_dict(const BestBase& base) {
  py::dict result;
  result["name"] = base.name;
  result["weight"] = base.weight;
  result["held_out_risk"] = risk_tuple(base.held_out.risk);
  return result;
}

py::dict best_of_rows(const py::object& features, const py::object& targets, bool is_class,
                      const Levels& levels, const py::object& weights,
                      const std::vector<std::string>& names, const py::dict& given,
                      const py::object& maker) {
  BestKeywords keywords;
  set_keywords(keywords.all, given);
  const Rows rows(features, targets, levels, weights, names);
  BestMatrix known;
  rows.complete(known, is_class);
  const TreeMaker* const trees = tree_maker(maker);
  const std::optional<BestReport> found = interruptible([&](const std::atomic<bool>* stop) {
    const BestHooks hooks{.stop = stop, .trees = trees};
    return rows.with_targets([&](const MatrixView& matrix, auto targets_known) {
      return best(matrix, targets_known, known, keywords.options, hooks);
    });
  });
  const BestReport& report = found.value();
  py::list bases;
  for (const BestBase& base : report.bases) bases.append(base_dict(base));
  py::list frontier;
  for (const BestPoint& point : report.frontier) {
    frontier.append(py::make_tuple(point.mean_budget, risk_tuple(point.held_out)));
  }
  py::dict result;
  result["model"] = report.model;
  result["bases"] = bases;
  result["stack_risk"] = risk_tuple(report.stack.held_out.risk);
  result["held_out_risk"] = risk_tuple(report.held_out.risk);
  result["is_corrected"] = report.is_corrected;
  result["frontier"] = frontier;
  result["notes"] = report.notes;
  result["headlines"] = report.headlines;
  return result;
}

py::dict frontier_of(const py::object& features, const py::object& targets, bool is_class,
                     const Levels& levels, const py::object& weights,
                     const std::vector<std::string>& names, const py::dict& given,
                     const py::dict& given_curve) {
  FitKeywords keywords;
  FitOptions options = keywords.options(given);
  FrontierOptions curve;
  set_keywords(keywords_of(curve), given_curve);
  const Rows rows(features, targets, levels, weights, names);
  rows.complete(options, is_class);
  FrontierReport report = interruptible([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    return rows.with_targets([&](const MatrixView& matrix, auto known) {
      return trace_frontier(matrix, known, options, curve);
    });
  });
  py::list points;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const RunResult& point = report.points[i];
    points.append(py::make_tuple(report.gamma(i), risk_tuple(point.train->risk), point.model));
  }
  py::list marks;
  for (const FrontierMark& mark : report.marks) marks.append(py::make_tuple(mark.name, mark.point));
  py::dict result;
  result["points"] = points;
  result["marks"] = marks;
  result["chosen"] = report.chosen ? py::object(py::int_(report.marks[*report.chosen].point))
                                   : py::object(py::none());
  result["is_exact"] = report.is_exact;
  result["notes"] = report.notes;
  result["headlines"] = report.headlines;
  return result;
}

py::tuple certify_rows(const py::object& features, const py::object& targets, bool is_class,
                       const py::object& coefficients, const py::object& intercepts,
                       const py::object& weights, const py::dict& given) {
  FitKeywords keywords;
  FitOptions options = keywords.options(given);
  const Rows rows(features, targets, {}, weights, {});
  rows.complete(options, is_class);
  const Numbers slopes(coefficients, "coef_");
  const Numbers constants(intercepts, "intercept_");
  const LinearCertificate found = interruptible([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    return rows.with_targets([&](const MatrixView& matrix, auto known) {
      return certify_linear(matrix, known, {slopes.span(), constants.span()}, options);
    });
  });
  return py::make_tuple(risk_tuple(found.risk), found.certificate);
}

/// The keywords of `correct`.
struct CorrectKeywords {
  CorrectOptions options;
  std::vector<Keyword> all;

  CorrectKeywords() {
    all = keywords_of(options);
    for (const Keyword& keyword : keywords_of(options.loss)) all.push_back(keyword);
    for (const Keyword& keyword :
         keywords_of(options.prediction, {"prediction-scale", "features"})) {
      all.push_back(keyword);
    }
  }
  CorrectKeywords(const CorrectKeywords&) = delete;
  CorrectKeywords& operator=(const CorrectKeywords&) = delete;
};

py::dict correct_rows(const py::object& features, const py::object& predictions,
                      const py::object& targets, const Levels& levels, const py::object& weights,
                      const py::dict& given) {
  CorrectKeywords keywords;
  set_keywords(keywords.all, given);
  const Rows rows(features, targets, levels, py::none(), {});
  const Numbers predicted(predictions, "predictions");
  const OptionalNumbers shares(weights, "sample_weight");
  keywords.options.weights = shares.span();
  Correction found = interruptible([&](const std::atomic<bool>* stop) {
    keywords.options.stop = stop;
    return correct(rows.view(), predicted.span(), rows.numbers(), keywords.options);
  });
  py::dict result;
  result["model"] = std::move(found.model);
  result["is_corrected"] = found.is_corrected;
  result["given_risk"] = risk_tuple(found.parts[0].given.risk);
  result["corrected_risk"] = risk_tuple(found.parts[0].corrected.risk);
  result["notes"] = found.notes;
  result["headlines"] = found.headlines;
  if (found.trial) {
    result["cv_given_risk"] = risk_tuple(found.trial->given);
    result["cv_corrected_risk"] = risk_tuple(found.trial->corrected);
  }
  return result;
}

/// Returns work(view) without Python's lock.
template <class Work>
auto of_matrix(const py::object& features, const Levels& levels, const Work& work) {
  const Matrix matrix(features, levels);
  const py::gil_scoped_release release;
  return work(matrix.view());
}

py::list coefficients_list(const Model& model) {
  const Coefficients found = model.coefficients();
  py::list columns;
  for (const ColumnCoefficients& column : found.columns) {
    py::list terms;
    for (const Coefficient& term : column.terms) {
      constexpr std::array kinds = {"number", "level", "missing", "other"};
      terms.append(
          py::make_tuple(kinds.at(static_cast<std::size_t>(term.kind)), term.level, term.values));
    }
    columns.append(py::make_tuple(column.column, terms));
  }
  py::list result;
  result.append(found.intercepts);
  result.append(columns);
  return result;
}

py::list importance_list(const Model& model) {
  py::list result;
  for (const ColumnImportance& each : model.importance()) {
    result.append(py::make_tuple(each.column, each.share));
  }
  return result;
}

std::string kind_name(const Model& model) {
  constexpr std::array names = {"linear", "network", "trees", "stack"};
  return names.at(static_cast<std::size_t>(model.kind()));
}

std::string certificate_text(const Certificate& certificate) {
  const auto number = [](double value) { return std::string(py::repr(py::float_(value))); };
  return "Certificate(lower=" + number(certificate.lower) + ", upper=" + number(certificate.upper) +
         ", relative_gap=" + number(certificate.relative_gap()) + ")";
}

void add_certificate(py::module_& module) {
  py::class_<Certificate>(module, "Certificate", py::module_local(), R"(Certificate()

Bounds on the least risk that a linear model has on the training rows: it is at least `lower`
and, by the model at hand, at most `upper`.
)")
      .def_readonly("lower", &Certificate::lower, "float\n\nNo model has less.")
      .def_readonly("upper", &Certificate::upper, "float\n\nRisk of the model at hand.")
      .def_readonly(
          "radius", &Certificate::radius,
          "float\n\nLargest norm of the models that `lower` covers, on standardised data.")
      .def_property_readonly("relative_gap", &Certificate::relative_gap,
                             "float\n\nupper / lower - 1; inf where lower is 0.")
      .def_property_readonly("is_perfect_fit", &Certificate::is_perfect_fit,
                             "bool\n\nThe risk is 0 up to rounding.")
      .def("__repr__", &certificate_text)
      .def("__eq__",
           [](const Certificate& one, const Certificate& other) {
             return one.lower == other.lower && one.upper == other.upper &&
                    one.radius == other.radius && one.rounding == other.rounding;
           })
      .def(py::pickle(
          [](const Certificate& c) {
            return py::make_tuple(c.lower, c.upper, c.rounding, c.radius);
          },
          [](const py::tuple& state) {
            return Certificate{py::cast<double>(state[0]), py::cast<double>(state[1]),
                               py::cast<double>(state[2]), py::cast<double>(state[3])};
          }));
}

void add_model(py::module_& module) {
  py::class_<Model>(module, "Model", py::module_local(),
                    "Model()\n\nA fitted model of the engine.\n")
      .def("predict",
           [](const Model& model, const py::object& x, const Levels& levels) {
             return to_array(
                 of_matrix(x, levels, [&](const MatrixView& view) { return model.predict(view); }));
           })
      .def("predict_classes",
           [](const Model& model, const py::object& x, const Levels& levels) {
             const auto found = of_matrix(
                 x, levels, [&](const MatrixView& view) { return model.predict_classes(view); });
             return to_array(std::vector<std::int64_t>(found.begin(), found.end()));
           })
      .def("predict_probabilities",
           [](const Model& model, const py::object& x, const Levels& levels) {
             return to_array(of_matrix(x, levels, [&](const MatrixView& view) {
               return model.predict_probabilities(view);
             }));
           })
      .def("scores",
           [](const Model& model, const py::object& x, const Levels& levels) {
             return to_array(
                 of_matrix(x, levels, [&](const MatrixView& view) { return model.scores(view); }));
           })
      .def("coefficients", &coefficients_list)
      .def("importance", &importance_list)
      .def_property_readonly("kind", &kind_name)
      .def_property_readonly("categorical_columns", &Model::categorical_columns)
      .def_property_readonly("tree_settings",
                             [](const Model& model) {
                               TreeOptions trees = model.options().trees;
                               py::dict all;
                               for (const Keyword& keyword : keywords_of(trees)) {
                                 all[py::str(keyword.name())] = keyword.value();
                               }
                               return all;
                             })
      .def("save", [](const Model& model, const std::string& path) { model.save(path); })
      .def("to_text", &Model::to_text)
      .def_static("from_text", &Model::from_text, py::arg("text"), py::arg("source") = "model")
      .def_static("load", [](const std::string& path) { return Model::load(path); })
      .def_property_readonly("classes", &Model::classes)
      .def_property_readonly("columns", &Model::columns)
      .def_property_readonly("certificate", &Model::certificate)
      .def_property_readonly(
          "stop_reason",
          [](const Model& model) { return std::string(kStopReasonNames.of(model.stop_reason())); })
      .def_property_readonly("training_risk",
                             [](const Model& model) { return risk_tuple(model.training_risk()); })
      .def_property_readonly("settings",
                             [](const Model& model) {
                               py::dict all;
                               all["alpha"] = model.options().alpha;
                               all["gamma"] = model.options().gamma;
                               all["algorithm"] =
                                   std::string(kAlgorithmNames.of(model.options().algorithm));
                               all["ridge"] = model.options().ridge;
                               all["seed"] = model.options().seed;
                               all["loss"] = std::string(kLossNames.of(model.loss().kind()));
                               all["delta"] = model.loss().delta();
                               all["tau"] = model.loss().tau();
                               return all;
                             })
      .def(py::pickle([](const Model& model) { return py::make_tuple(model.to_text()); },
                      [](const py::tuple& state) {
                        return Model::from_text(py::cast<std::string>(state[0]));
                      }));
}

py::list list_options(const std::string& of) {
  if (of == "fit") return describe(FitKeywords().all());
  if (of == "trees") return describe(FitKeywords(ModelClass::trees).all());
  if (of == "best") return describe(BestKeywords().all);
  if (of == "correct") return describe(CorrectKeywords().all);
  AdaptiveSamplerOptions sampler;
  if (of == "sampler") return describe(keywords_of(sampler));
  FrontierOptions frontier;
  if (of == "frontier") return describe(keywords_of(frontier));
  throw OptionError("'" + of + "' is not one of: sampler, fit, trees, best, frontier, correct");
}

}  // namespace

void add_models(py::module_& module) {
  add_certificate(module);
  add_model(module);
  module.def("_fit", &fit_rows, py::arg(), py::arg(), py::arg(), py::arg(), py::arg(), py::arg(),
             py::arg(), py::arg("trees") = py::none(), py::arg("validation") = 0.0);
  module.def("_best", &best_of_rows);
  module.def("_frontier", &frontier_of);
  module.def("_certify", &certify_rows);
  module.def("_correct", &correct_rows);
  module.def("options", &list_options, py::arg("of"),
             R"(options(of: str) -> list[dict[str, Any]]

The keywords of 'sampler', 'fit', 'trees', 'best', 'frontier' or 'correct', a dictionary each:
name, default, type, range, choices, help, and the condition under which it has an effect. The
program and the documentation have the same list.

>>> import adacvar
>>> alpha = adacvar.options("fit")[0]
>>> alpha["name"], alpha["default"], alpha["range"]
('alpha', 0.1, '(0, 1]')
)");
}

}  // namespace adacvar::python
