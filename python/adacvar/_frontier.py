"""The curve of mean against CVaR."""

import numpy as np
from sklearn.base import clone

from . import _adacvar, _features
from ._base import has_classes
from ._estimators import CVaRClassifier, CVaRRegressor
from ._keywords import keywords

_CURVE = keywords("frontier")
_FIXED = ("gamma", "mean_budget", "cvar_limit", "frontier")


class Frontier:
    """Models from the least mean (gamma 1) to the least CVaR (gamma 0) on the training rows.

    gamma, mean, var, cvar: arrays, a point of the curve each. marks: positions of named points, such
    as 'mean', '+5 %', 'knee' and 'CVaR'. chosen: position of the point that `at` asks for.
    """

    def __init__(self, traced, estimator):
        points = traced["points"]
        self.gamma = np.array([gamma for gamma, _, _ in points])
        self.mean, self.var, self.cvar = np.array([risk for _, risk, _ in points]).T
        self.marks = dict(traced["marks"])
        self.chosen = traced["chosen"]
        self.is_exact = traced["is_exact"]
        self.notes = [*traced["headlines"], *traced["notes"]]
        self._models = [model for _, _, model in points]
        self._template = estimator.__class__(**estimator.get_params(deep=False))
        for name in ("n_features_in_", "feature_names_in_", "classes_", "_categorical"):
            if hasattr(estimator, name):
                setattr(self._template, name, getattr(estimator, name))

    def __len__(self):
        return len(self.gamma)

    def __repr__(self):
        marks = ", ".join(self.marks)
        return f"Frontier({len(self)} points; marks: {marks})"

    def _place(self, point):
        if isinstance(point, str):
            if point not in self.marks:
                raise KeyError(f"'{point}' is not one of: {', '.join(self.marks)}")
            return self.marks[point]
        return self.chosen if point is None else range(len(self))[point]

    def estimator(self, point=None):
        """A fitted estimator: of a position or a mark; without any, of the chosen point."""
        place = self._place(point)
        fitted = clone(self._template)
        for name, value in vars(self._template).items():
            if name.endswith("_") or name == "_categorical":
                setattr(fitted, name, value)
        fitted.set_params(gamma=float(self.gamma[place]), mean_budget=None, cvar_limit=None)
        fitted._set_model(self._models[place])
        fitted.n_iter_ = 1
        return fitted

    def plot(self, ax=None):
        """Draws change of the CVaR against change of the mean, in per cent, with the marks."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.gca()
        x = 100 * (self.mean / self.mean[0] - 1)
        y = 100 * (self.cvar / self.cvar[0] - 1)
        ax.plot(x, y, marker=".", linewidth=1)
        for name, place in self.marks.items():
            ax.plot(x[place], y[place], marker="o", color="C1")
            ax.annotate(name, (x[place], y[place]), textcoords="offset points", xytext=(4, 4))
        ax.set_xlabel("change of the mean loss, %")
        ax.set_ylabel("change of the CVaR, %")
        return ax


def cvar_frontier(X, y, *, classify=None, sample_weight=None, points=0, at="mean=+5%", **options):
    """The curve of mean against CVaR on these rows, as a Frontier.

    classify: whether y are classes; None: if they are names, booleans or two numbers. points, at: number of points (0: 30) and the point to choose,
    'knee', 'gamma=0.8' or 'mean=+5%'. Other keywords are those of CVaRRegressor.

    >>> import adacvar
    >>> from sklearn.datasets import make_regression
    >>> X, y = make_regression(200, 3, noise=5, random_state=0)
    >>> curve = adacvar.cvar_frontier(X, y, alpha=0.1)
    >>> curve.cvar[0] > curve.cvar[-1] and curve.mean[0] < curve.mean[-1]
    True
    >>> curve.estimator("+5 %").predict(X[:2]).shape
    (2,)
    """
    for name in _FIXED:
        if name in options:
            raise TypeError(f"'{name}' is not a keyword of cvar_frontier: the curve has all of them")
    if classify is None:
        classify = has_classes(y)
    estimator = (CVaRClassifier if classify else CVaRRegressor)(**options)
    X, target, levels, weights = estimator._prepare(X, y, sample_weight)
    given = estimator._options()
    for name in ("gamma", "mean_budget", "cvar_limit"):
        given.pop(name)
    arguments = (_features.to_engine(X), target, classify, levels, weights, estimator._names())
    traced = _adacvar._frontier(*arguments, given, {"points": points, "at": at})
    return Frontier(traced, estimator)
