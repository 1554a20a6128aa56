"""Not run: mypy --strict reads it with the stubs."""

import numpy as np
from numpy.typing import NDArray

import adacvar
from adacvar import AdaptiveSampler, CVaRClassifier, CVaRRegressor, TailCorrector

losses: NDArray[np.float64] = np.ones(10)
tail: float = adacvar.cvar(losses, 0.1) + adacvar.var([1, 2], alpha=0.5)
sampler = AdaptiveSampler(10, alpha=0.1, seed=1, eta=0.5)
batch: NDArray[np.int64] = sampler.draw(4)
sampler.observe(batch, losses[batch])
model = CVaRRegressor(alpha=0.1, mean_budget=0.05, algorithm="exact").fit([[1.0]], [1.0])
gap: float = model.certificate_.relative_gap if model.certificate_ else 0.0
chances: NDArray[np.float64] = CVaRClassifier().fit([[1.0]], ["a"]).predict_proba([[1.0]])
corrected: bool = TailCorrector(model, mean_budget=0.02).fit([[1.0]], [1.0]).is_corrected_
curve = adacvar.cvar_frontier([[1.0]], [1.0], alpha=0.1)
place: int = curve.marks["knee"]
bound: float = adacvar.certify(model, [[1.0]], [1.0]).certificate.lower
