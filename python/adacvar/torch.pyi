from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn
from torch.utils.data import BatchSampler

class AdaptiveBatchSampler(BatchSampler):
    epoch: int
    observed: int
    late: int
    dropped: int
    epoch_draws: int
    def __init__(
        self,
        n: int,
        batch_size: int,
        alpha: float = 0.1,
        *,
        seed: int = 0,
        epoch_draws: int | None = None,
        drop_last: bool = False,
        weights: ArrayLike | None = None,
        distributed: bool | None = None,
        timeout: float = 300.0,
        **options: Any,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[list[int]]: ...
    @property
    def in_flight(self) -> int: ...
    def probabilities(self, indices: ArrayLike | None = None) -> NDArray[np.float64]: ...
    def set_epoch(self, epoch: int) -> None: ...
    def observe(self, indices: ArrayLike | torch.Tensor, losses: ArrayLike | torch.Tensor) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...

class CVaRLoss(nn.Module):
    alpha: float
    def __init__(self, alpha: float) -> None: ...
    def forward(self, losses: torch.Tensor) -> torch.Tensor: ...

class TruncCVaRLoss(nn.Module):
    alpha: float
    level: nn.Parameter
    def __init__(self, alpha: float, level: float = 0.0) -> None: ...
    def forward(self, losses: torch.Tensor) -> torch.Tensor: ...

class SoftCVaRLoss(TruncCVaRLoss):
    temperature: float
    def __init__(self, alpha: float, temperature: float, level: float = 0.0) -> None: ...
