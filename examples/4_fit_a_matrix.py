"""A linear model of least CVaR for rows in memory, beside one of least mean; both judged on new rows."""

import numpy as np

from adacvar import CVaRRegressor, cvar

rng = np.random.default_rng(1)


def make_rows(count):
    """The noise grows with the second feature: most rows are easy, some are not."""
    X = rng.random((count, 2), dtype=np.float32)
    return X, 2 * X[:, 0] + 30 * X[:, 1] ** 8 * rng.standard_exponential(count)


X, y = make_rows(2000)
X_test, y_test = make_rows(2000)
tail = CVaRRegressor(alpha=0.1).fit(X, y)
mean = CVaRRegressor(alpha=0.1, algorithm="mean").fit(X, y)

print("losses of new rows, squared")
for name, model in (("mean", mean), ("tail", tail)):
    losses = (model.predict(X_test) - y_test) ** 2
    print(f"{name:5s}  mean {losses.mean():6.2f}  CVaR {cvar(losses, 0.1):7.2f}")
print(f"training CVaR certified within {100 * tail.certificate_.relative_gap:.5f} %")
assert tail.training_risk_[2] <= mean.training_risk_[2]
