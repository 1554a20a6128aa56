"""Not run: mypy --strict reads it with the stubs."""

import torch

from adacvar.torch import AdaptiveBatchSampler, CVaRLoss, SoftCVaRLoss

batches = AdaptiveBatchSampler(100, batch_size=10, alpha=0.1, seed=1)
for one in batches:
    batches.observe(one, torch.ones(10))
count: int = len(batches) + batches.in_flight
risk: CVaRLoss = CVaRLoss(alpha=0.1)
width: float = SoftCVaRLoss(0.1, temperature=0.5).temperature
