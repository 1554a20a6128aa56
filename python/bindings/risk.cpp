#include "arrays.hpp"
#include "module.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/cvar_bound.hpp>
#include <adacvar/sampler/kdpp.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace adacvar::python {

namespace {

double share_of(const py::handle& given) {
  const double alpha =
      py::isinstance<py::str>(given) ? std::nan("") : PyFloat_AsDouble(given.ptr());
  if (PyErr_Occurred() != nullptr || py::isinstance<py::str>(given)) {
    PyErr_Clear();
    throw py::type_error("alpha must be a number, not " + std::string(py::repr(given)));
  }
  return alpha;
}

TailRisk risk_of(const py::object& losses, const py::object& alpha, const py::object& weights) {
  const Numbers numbers(losses, "losses");
  const OptionalNumbers shares(weights, "weights");
  const double share = share_of(alpha);
  const bool is_weighted = !weights.is_none();
  const py::gil_scoped_release release;
  return is_weighted ? tail_risk(numbers.span(), shares.span(), share)
                     : tail_risk(numbers.span(), share);
}

py::array_t<double> tail_weights(const py::object& losses, const py::object& alpha,
                                 const py::object& weights) {
  const Numbers numbers(losses, "losses");
  const OptionalNumbers shares(weights, "weights");
  const double share = share_of(alpha);
  std::vector<double> found;
  {
    const py::gil_scoped_release release;
    found = weights.is_none() ? worst_case_weights(numbers.span(), share)
                              : worst_case_weights(numbers.span(), shares.span(), share);
  }
  return to_array(std::move(found));
}

py::array_t<double> kdpp_marginals(const py::object& log_weights, const py::object& k,
                                   const std::string& method) {
  const Numbers numbers(log_weights, "log_weights");
  const auto count = static_cast<std::size_t>(count_of(k, "k"));
  if (method != "exact" && method != "matched") {
    throw OptionError("method = '" + method + "' is not one of: exact, matched");
  }
  std::vector<double> found;
  {
    const py::gil_scoped_release release;
    found = method == "exact" ? exact_marginals(numbers.span(), count)
                              : matched_marginals(numbers.span(), count);
  }
  return to_array(std::move(found));
}

py::object cvar_bound(const py::object& losses, const py::object& alpha, double confidence,
                      double loss_max, const std::string& side) {
  const Numbers numbers(losses, "losses");
  if (side != "upper" && side != "lower") {
    throw OptionError("side = '" + side + "' is not one of: upper, lower");
  }
  const bool is_one = !py::isinstance<py::sequence>(alpha) && !py::isinstance<py::array>(alpha);
  const std::vector<double> one = is_one ? std::vector{share_of(alpha)} : std::vector<double>{};
  const OptionalNumbers many(is_one ? py::object(py::none()) : alpha, "alpha");
  const std::span<const double> alphas = is_one ? std::span<const double>(one) : many.span();
  std::vector<double> bounds;
  {
    const py::gil_scoped_release release;
    const CvarBoundOptions options{.confidence = confidence, .loss_max = loss_max};
    bounds = side == "upper" ? cvar_upper_bounds(numbers.span(), alphas, options)
                             : cvar_lower_bounds(numbers.span(), alphas, options);
  }
  if (is_one) return py::float_(bounds[0]);
  return to_array(std::move(bounds));
}

py::array_t<double> losses_of(const py::object& predictions, const py::object& targets,
                              const std::string& loss, double delta, double tau) {
  const Numbers given(predictions, "predictions");
  const Numbers actual(targets, "targets");
  if (given.span().size() != actual.span().size()) {
    throw OptionError("predictions has " + std::to_string(given.span().size()) +
                      " values, targets has " + std::to_string(actual.span().size()));
  }
  const auto found = std::ranges::find(kLossNames.names, loss);
  if (found == kLossNames.names.end() ||
      !Loss(static_cast<LossKind>(found - kLossNames.names.begin())).fits(Task::regression)) {
    throw OptionError("loss = '" + loss + "' is not one of: squared, absolute, huber, pinball");
  }
  const Loss kind(static_cast<LossKind>(found - kLossNames.names.begin()), delta, tau);
  std::vector<double> losses(given.span().size());
  std::vector<double> derivatives(losses.size());
  kind.evaluate(given.span(), actual.span(), losses, derivatives);
  return to_array(std::move(losses));
}

}  // namespace

void add_risk(py::module_& module) {
  module.def(
      "cvar",
      [](const py::object& losses, const py::object& alpha, const py::object& weights) {
        return risk_of(losses, alpha, weights).cvar;
      },
      py::arg("losses"), py::arg("alpha"), py::arg("weights") = py::none(),
      R"(cvar(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> float

Mean of the worst `alpha` share of the losses, in (0, 1].

When `alpha * n` is not an integer, the border loss counts by its fraction. A row of weight w
counts as w rows. An array of float64 is viewed, not copied.

>>> import adacvar
>>> adacvar.cvar([1, 2, 3, 10], alpha=0.5)   # (10 + 3) / 2
6.5
>>> adacvar.cvar([1, 2, 3, 10], alpha=0.3)   # 1.2 rows: (10 + 0.2 * 3) / 1.2
8.833333333333334
>>> adacvar.cvar([1, 2, 3, 10], alpha=0.5, weights=[1, 1, 4, 0])   # 3 rows: 3
3.0
)");
  module.def(
      "var",
      [](const py::object& losses, const py::object& alpha, const py::object& weights) {
        return risk_of(losses, alpha, weights).var;
      },
      py::arg("losses"), py::arg("alpha"), py::arg("weights") = py::none(),
      R"(var(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> float

Value at risk: the smallest loss that at most a share `alpha` of the losses exceeds.

>>> import adacvar
>>> adacvar.var([1, 2, 3, 10], alpha=0.5)
2.0
)");
  module.def(
      "tail_weights", &tail_weights, py::arg("losses"), py::arg("alpha"),
      py::arg("weights") = py::none(),
      R"(tail_weights(losses: ArrayLike, alpha: float, weights: ArrayLike | None = None) -> NDArray[np.float64]

The distribution q over the rows that attains the CVaR: `q @ losses == cvar(losses, alpha)`.

Rows above the VaR have 1 / (alpha n), rows below it 0; rows that tie at the VaR share the rest.

>>> import adacvar
>>> adacvar.tail_weights([1, 2, 3, 10], alpha=0.5)
array([0. , 0. , 0.5, 0.5])
)");
  module.def(
      "kdpp_marginals", &kdpp_marginals, py::arg("log_weights"), py::arg("k"),
      py::arg("method") = "exact",
      R"(kdpp_marginals(log_weights: ArrayLike, k: int, method: str = 'exact') -> NDArray[np.float64]

Probability of each item to be in a set of k, drawn with probability proportional to the product
of its weights (a diagonal k-DPP), from the logarithms of the weights.

method: 'exact', or 'matched', the marginals of independent items with the same odds and k in
expectation, which differ by O(1/n). Both take O(n).

>>> import adacvar, numpy
>>> adacvar.kdpp_marginals(numpy.log([1, 1, 2]), k=1)
array([0.25, 0.25, 0.5 ])
)");
  module.def(
      "cvar_bound", &cvar_bound, py::arg("losses"), py::arg("alpha"), py::arg("confidence"),
      py::arg("loss_max"), py::arg("side") = "upper",
      R"(cvar_bound(losses: ArrayLike, alpha: Any, confidence: float, loss_max: float, side: str = 'upper') -> Any

Upper (or lower) confidence bound on the CVaR of the distribution that the losses are drawn from.

It holds with probability `confidence` for every distribution on [0, loss_max] and every n, if
the losses are independent, of a model that was fixed before, and loss_max is known beforehand.
A list of alphas gives an array of bounds that hold all at once.

>>> import adacvar, numpy
>>> losses = numpy.linspace(0, 1, 1000)
>>> round(adacvar.cvar(losses, 0.1), 3), round(adacvar.cvar_bound(losses, 0.1, 0.95, 1.0), 3)
(0.95, 0.967)
)");
  module.def(
      "_losses", &losses_of, py::arg("predictions"), py::arg("targets"), py::arg("loss"),
      py::arg("delta") = 1.0, py::arg("tau") = 0.5,
      R"(_losses(predictions: ArrayLike, targets: ArrayLike, loss: str, delta: float = 1.0, tau: float = 0.5) -> NDArray[np.float64]

Losses of predicted numbers, one per row.
)");
}

}  // namespace adacvar::python
