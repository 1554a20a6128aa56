"""PyTorch: batches by the adaptive sampler for DataLoader, and the CVaR as a loss."""

import collections
import datetime
import time
import zlib

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import BatchSampler

from ._adacvar import AdaptiveSampler, tail_weights
from ._steps import Later, Step, linked, steps_after

__all__ = ["AdaptiveBatchSampler", "CVaRLoss", "SoftCVaRLoss", "TruncCVaRLoss"]

_Batch = collections.namedtuple("_Batch", "number epoch indices probabilities")


def _to_numpy(values, dtype):
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        if values.is_floating_point():
            values = values.double()  # NumPy has no bfloat16
        values = values.numpy()
    values = np.asarray(values)
    if dtype is np.int64 and values.dtype.kind not in "iu" and values.size:
        raise TypeError(f"indices must be integers, not of type {values.dtype}")
    return np.ascontiguousarray(values, dtype=dtype)


def _to_tensor(data):
    return torch.from_numpy(np.frombuffer(data, dtype=np.uint8).copy())


class _Ranks:
    """The processes that share a sampler: each handles a share of every batch."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.count = dist.get_world_size()
        self.rank = dist.get_rank()
        # A group of its own: losses are on the CPU, whatever the model's group is made of.
        self.group = dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=timeout))

    def share(self, size):
        return slice(self.rank * size // self.count, (self.rank + 1) * size // self.count)

    def gather(self, batch, losses):
        """The losses of all ranks, in the order of the batch."""
        size = len(batch.indices)
        header = [batch.number, zlib.crc32(batch.indices.tobytes())]
        width = len(header) + -(-size // self.count)
        message = torch.full((width,), -1.0, dtype=torch.float64)
        message[:2] = torch.tensor(header, dtype=torch.float64)
        message[2 : 2 + len(losses)] = torch.from_numpy(losses)
        received = {rank: torch.empty_like(message) for rank in range(self.count)}
        received[self.rank] = message
        self._exchange(message, received, batch.number)
        shares = []
        for rank in range(self.count):
            number, checksum, *values = received[rank].tolist()
            if number != header[0] or checksum != header[1]:
                raise RuntimeError(
                    f"rank {rank} observes batch {int(number)} of another draw, rank {self.rank} batch "
                    f"{batch.number}: all ranks need the same options and seed, and must observe the "
                    "same batches in the same order"
                )
            begin, end = rank * size // self.count, (rank + 1) * size // self.count
            shares.append(values[: end - begin])
        return np.concatenate(shares)

    def _exchange(self, message, received, number):
        # Between pairs, so that the one that is missing is known by its number.
        others = [rank for rank in range(self.count) if rank != self.rank]
        deadline = time.monotonic() + self.timeout
        lost, works = [], []
        for rank in others:
            try:
                works.append((rank, dist.isend(message, rank, group=self.group)))
                works.append((rank, dist.irecv(received[rank], rank, group=self.group)))
            except RuntimeError:
                lost.append(rank)
        for rank, work in works:
            if rank in lost:
                continue
            left = max(deadline - time.monotonic(), 0.001)
            try:
                work.wait(datetime.timedelta(seconds=left))
            except RuntimeError:
                lost.append(rank)
        if lost:
            names = ", ".join(map(str, sorted(lost)))
            raise RuntimeError(
                f"no losses of batch {number} from rank {names} within {self.timeout:g} s: it has ended "
                "or does not call observe"
            )


class AdaptiveBatchSampler(BatchSampler):
    """Batches for DataLoader, drawn by an AdaptiveSampler that learns from their losses.

    Pass it as batch_sampler, let the dataset return its index, and tell the losses:

    >>> import torch
    >>> from adacvar.torch import AdaptiveBatchSampler
    >>> data = torch.utils.data.TensorDataset(torch.arange(100), torch.linspace(0, 1, 100))
    >>> sampler = AdaptiveBatchSampler(100, batch_size=10, alpha=0.1)
    >>> loader = torch.utils.data.DataLoader(data, batch_sampler=sampler)
    >>> for indices, losses in loader:
    ...     sampler.observe(indices, losses)
    >>> sampler.observed, sampler.in_flight
    (10, 0)

    The probabilities of a batch are kept from its draw until its losses come, so that workers may
    prefetch. state_dict has the batches in flight too: a run that stopped in mid-epoch resumes with
    the batches that were not observed, and goes on to the same sequence. With torch.distributed
    every process yields its share of each batch and tells its losses; the distribution is the same
    in all of them, and does not depend on their number.

    Parameters:
        n: number of examples
        batch_size: examples per batch; of all processes together
        alpha: tail share
        seed: seed of the draws
        epoch_draws: draws of an epoch; None: n
        drop_last: leaves out a smaller batch at the end of an epoch
        weights: row weights above 0; None: all 1
        distributed: shares batches among the processes of torch.distributed; None: if it is
            initialised
        timeout: seconds after which a process that does not send its losses is an error
        **options: those of AdaptiveSampler

    Attributes: epoch; observed, late (after a batch that was drawn later), dropped (not observed by
    the end of the epoch after their own) and in_flight count batches.
    """

    def __init__(
        self,
        n,
        batch_size,
        alpha=0.1,
        *,
        seed=0,
        epoch_draws=None,
        drop_last=False,
        weights=None,
        distributed=None,
        timeout=300.0,
        **options,
    ):
        self._engine = AdaptiveSampler(n, alpha, seed=seed, weights=weights, **options)
        super().__init__(range(n), batch_size, drop_last)
        self.epoch_draws = n if epoch_draws is None else int(epoch_draws)
        if self.epoch_draws < 1 or len(self) == 0:
            raise ValueError(
                f"epoch_draws = {self.epoch_draws}: an epoch needs at least one batch of {batch_size}"
            )
        if distributed is None:
            distributed = dist.is_available() and dist.is_initialized()
        self._ranks = _Ranks(timeout) if distributed else None
        self._check_shares()
        self.epoch = 0
        self.observed = self.late = self.dropped = 0
        self._position = self._limit()  # draws of this epoch; the first one has not begun
        self._number = 0  # of the next batch
        self._newest_observed = -1
        self._batches = collections.OrderedDict()  # in flight, by number
        self._numbers = collections.defaultdict(collections.deque)  # by the indices of this process
        self._resumed = []  # numbers of batches to yield again
        self._resumes = None  # what the next iterator does: None, "here" or "rest of the epoch"
        self._iteration = 0
        self._begin_record(Step(None))

    def _check_shares(self):
        if self._ranks is None:
            return
        rest = self.epoch_draws % self.batch_size
        smallest = self.batch_size if self.drop_last or rest == 0 else rest
        if smallest < self._ranks.count:
            raise ValueError(
                f"a batch of {smallest} cannot be shared by {self._ranks.count} processes; "
                "use larger batches, or drop_last"
            )

    def _limit(self):
        return len(self) * self.batch_size if self.drop_last else self.epoch_draws

    def __len__(self):
        if self.drop_last:
            return self.epoch_draws // self.batch_size
        return -(-self.epoch_draws // self.batch_size)

    @property
    def in_flight(self):
        """Number of batches that were drawn and not observed."""
        return len(self._batches)

    def probabilities(self, indices=None):
        """Current probabilities of these examples, or of all."""
        return self._engine.probabilities(indices)

    def set_epoch(self, epoch):
        """Does nothing: the sampler counts epochs itself. For loops that call it."""

    def _own(self, indices):
        return indices if self._ranks is None else indices[self._ranks.share(len(indices))]

    def __iter__(self):
        self._iteration += 1
        if self._resumes is None and self._position >= self._limit():
            self._repeat_observations()  # of the epoch that is over
        return self._run(self._iteration)

    def _run(self, iteration):
        is_over = self._position >= self._limit()
        if not self._resumed and (self._resumes is None or (self._resumes == "here" and is_over)):
            self._step("epoch")
        self._resumes = None
        while iteration == self._iteration:  # a newer iterator takes over
            if self._resumed:
                batch = self._batches.get(self._resumed.pop(0))
                if batch is None:  # observed meanwhile
                    continue
            elif self._position < self._limit():
                batch = self._step("draw")
            else:
                return
            yield self._own(batch.indices).tolist()

    def _step(self, what):
        """Begins an epoch or draws a batch; as after the state that was loaded, with the losses before."""
        self._repeat_observations()
        step = self._last.next
        if step is not None and step.what == what:
            return self._repeat(step)
        return self._do(what)

    def _repeat_observations(self):
        """Those that come next after the state that was loaded."""
        for step in steps_after(self._last):
            if not step.is_observation:
                return
            self._repeat(step)

    def _do(self, what):
        """Takes a step; those that were to be done again are forgotten."""
        result = self._apply(what)
        step = Step(what)
        # Loaders take a state between epochs too: those of the epoch before need no more steps.
        is_followed = what != "epoch" or self._last.what is None
        self._last.next = step if is_followed else None
        self._reach(step)
        return result

    def _repeat(self, step):
        result = self._apply(step.what)
        self._reach(step)
        return result

    def _begin_record(self, step):
        self._last = step  # that was done; those after it are to be done again
        self._base = None  # an older state of this epoch, and the last step before it
        self._since_base = 0

    def _reach(self, step):
        self._last = step
        self._since_base += 1
        if step.what == "epoch" or self._since_base > max(16, len(self._engine) // 1000):
            self._base = None

    def _apply(self, what):
        if what == "epoch":
            return self._begin_epoch()
        if what == "draw":
            return self._draw()
        return self._learn(*what)

    def _begin_epoch(self):
        self.epoch += 1
        self._position = 0
        for number, batch in list(self._batches.items()):
            if batch.epoch < self.epoch - 1:
                self._take(number)
                self.dropped += 1

    def _draw(self):
        size = min(self.batch_size, self._limit() - self._position)
        indices = self._engine.draw(size)
        batch = _Batch(self._number, self.epoch, indices, self._engine.probabilities(indices))
        self._position += size
        self._number += 1
        self._keep(batch)
        return batch

    def _learn(self, number, losses):
        batch = self._batches.get(number)
        if batch is None:
            raise ValueError(f"the state is damaged: batch {number} is not in flight")
        self._engine.observe(batch.indices, losses, batch.probabilities)
        self._take(number)
        self.observed += 1
        self.late += number < self._newest_observed
        self._newest_observed = max(self._newest_observed, number)

    def _keep(self, batch):
        self._batches[batch.number] = batch
        self._numbers[self._own(batch.indices).tobytes()].append(batch.number)

    def _take(self, number):
        batch = self._batches.pop(number)
        key = self._own(batch.indices).tobytes()
        self._numbers[key].remove(number)
        if not self._numbers[key]:
            del self._numbers[key]
        return batch

    def observe(self, indices, losses):
        """Updates the distribution by the losses of a batch, in the order of its indices.

        indices: as the loader gave them. losses: one >= 0 per example, of any type and device. With
        torch.distributed all processes call it, each with its share.
        """
        indices = _to_numpy(indices, np.int64)
        losses = _to_numpy(losses, np.float64)
        if indices.ndim != 1 or losses.shape != indices.shape:
            raise ValueError(
                f"indices of shape {indices.shape} and losses of shape {losses.shape}: one loss per "
                "index is needed"
            )
        if not (losses >= 0).all() or np.isinf(losses).any():
            bad = int(np.argmin((losses >= 0) & ~np.isinf(losses)))
            raise ValueError(f"losses[{bad}] = {losses[bad]} is outside [0, inf)")
        waiting = self._numbers.get(indices.tobytes())
        if not waiting:
            raise ValueError(
                "these indices are not those of a batch in flight: observe a batch once, as the "
                "loader gave it"
            )
        number = waiting[0] if self._last.next is None else self._catch_up(waiting)
        if self._ranks is not None and self._ranks.count > 1:
            losses = self._ranks.gather(self._batches[number], losses)
        self._do((number, losses.copy()))  # the caller may use its array again

    def _catch_up(self, waiting):
        """Does again what came before these losses; returns the number of their batch."""
        known = {step.what[0] for step in steps_after(self._last) if step.is_observation}
        number = next((each for each in waiting if each not in known), waiting[0])
        for step in steps_after(self._last):
            if step.is_observation and step.what[0] == number:
                break
            batch = self._repeat(step)
            if step.what == "draw":
                self._resumed.append(batch.number)
        return number

    def state_dict(self):
        """The complete state: distribution, generator, place in the epoch, batches in flight.

        A loader that asks for batches ahead takes the state early: what is done until it is saved is
        saved with it. Such states share the memory of an older one, and count the steps since.
        """
        is_after_draw = self._last.what == "draw"
        is_between_epochs = self._is_between_epochs()
        if is_between_epochs and not is_after_draw:
            self._last = Step(None, self._last.next)
        if self._base is None or not is_after_draw:
            self._base = (self._complete_state(), self._last)
            self._since_base = 0
        state, step = self._base
        later = Later(step) if is_after_draw or is_between_epochs else collections.OrderedDict()
        return {**state, "steps": self._since_base, "after_draw": is_after_draw, "later": later}

    def _complete_state(self):
        engine = self._engine.state_dict()
        return {
            "version": 2,
            "n": len(self._engine),
            "batch_size": self.batch_size,
            "epoch_draws": self.epoch_draws,
            "drop_last": self.drop_last,
            "sampler": _to_tensor(engine["sampler"]),
            "generator": _to_tensor(engine["generator"]),
            "epoch": self.epoch,
            "position": self._position,
            "number": self._number,
            "newest_observed": self._newest_observed,
            "counts": [self.observed, self.late, self.dropped],
            "in_flight": [
                {
                    "number": batch.number,
                    "epoch": batch.epoch,
                    "indices": torch.from_numpy(batch.indices.copy()),
                    "probabilities": torch.from_numpy(batch.probabilities.copy()),
                }
                for batch in self._batches.values()
            ],
        }

    def _is_between_epochs(self):
        return self._position >= self._limit() and not self._unseen()

    def _unseen(self):
        """Batches in flight that a loop may not have seen: one that it left out is older than others."""
        return [number for number in self._batches if number > self._newest_observed]

    def load_state_dict(self, state):
        """Restores a state, of any number of processes: the next iterator resumes there.

        A loader saves the state that it was given again until it takes another: like its own, that
        state holds what is done later.
        """
        self._check_state(state)
        engine = {name: state[name].numpy().tobytes() for name in ("sampler", "generator")}
        self._engine.load_state_dict(engine)
        self.epoch, self._position, self._number = state["epoch"], state["position"], state["number"]
        self._newest_observed = state["newest_observed"]
        self.observed, self.late, self.dropped = state["counts"]
        self._batches.clear()
        self._numbers.clear()
        for each in state["in_flight"]:
            arrays = each["indices"].numpy().copy(), each["probabilities"].numpy().copy()
            self._keep(_Batch(each["number"], each["epoch"], *arrays))
        first = linked(state.get("later", {}).values())
        self._begin_record(first)
        for _, step in zip(range(state.get("steps", 0)), steps_after(self._last)):
            self._repeat(step)
        # A loader with workers has taken the state before it yielded batches in flight.
        is_early = self._last.next is not None
        self._resumed = [] if is_early else self._unseen()
        self._resumes = "rest of the epoch" if is_early and state["after_draw"] else "here"
        self._iteration += 1
        if is_early or self._is_between_epochs():
            state["later"] = Later(first)

    def _check_state(self, state):
        if not isinstance(state, dict) or "in_flight" not in state:
            raise ValueError("this is not a state of AdaptiveBatchSampler")
        needed = {"version", "n", "sampler", "generator", "epoch", "position", "number", "counts"}
        missing = sorted(needed - state.keys())
        if missing:
            raise ValueError(f"the state of AdaptiveBatchSampler lacks {missing[0]!r}")
        if state["version"] not in (1, 2):
            raise ValueError(f"the state is of version {state['version']}; this adacvar reads 1 and 2")
        for name in ("n", "batch_size", "epoch_draws", "drop_last"):
            own = len(self._engine) if name == "n" else getattr(self, name)
            if state[name] != own:
                raise ValueError(f"the state has {name} = {state[name]}, this sampler {own}")


class CVaRLoss(nn.Module):
    """CVaR of a batch of losses: the mean of its worst `alpha` share.

    For batches that are large enough to have a tail; the adaptive sampler needs none of it: there
    the mean of the losses drawn is what is minimised.

    >>> import torch
    >>> from adacvar.torch import CVaRLoss
    >>> CVaRLoss(alpha=0.5)(torch.tensor([1.0, 2.0, 3.0, 10.0]))
    tensor(6.5000)
    """

    def __init__(self, alpha):
        super().__init__()
        tail_weights([0.0], alpha)  # refuses an alpha that is not allowed
        self.alpha = alpha

    def forward(self, losses):
        flat = losses.reshape(-1)
        q = tail_weights(flat.detach().cpu().double().numpy(), self.alpha)
        return torch.dot(torch.as_tensor(q, dtype=flat.dtype, device=flat.device), flat)

    def extra_repr(self):
        return f"alpha={self.alpha}"


class TruncCVaRLoss(nn.Module):
    """Truncated loss with a learned level: level + mean(max(losses - level, 0)) / alpha.

    Its minimum over the level is the CVaR of all rows, from batches of any size. `level` is a
    parameter: give it to the optimizer with those of the model.

    >>> import torch
    >>> from adacvar.torch import TruncCVaRLoss
    >>> TruncCVaRLoss(alpha=0.5, level=2.0)(torch.tensor([1.0, 2.0, 3.0, 10.0])).item()
    6.5
    """

    def __init__(self, alpha, level=0.0):
        super().__init__()
        tail_weights([0.0], alpha)
        self.alpha = alpha
        self.level = nn.Parameter(torch.tensor(float(level)))

    def forward(self, losses):
        return self.level + self._excess(losses - self.level).mean() / self.alpha

    def _excess(self, above):
        return torch.relu(above)

    def extra_repr(self):
        return f"alpha={self.alpha}"


class SoftCVaRLoss(TruncCVaRLoss):
    """TruncCVaRLoss with a smooth border of width `temperature`, in units of the losses.

    >>> import torch
    >>> from adacvar.torch import SoftCVaRLoss
    >>> loss = SoftCVaRLoss(alpha=0.5, temperature=1e-3, level=2.0)
    >>> round(loss(torch.tensor([1.0, 2.0, 3.0, 10.0])).item(), 3)
    6.5
    """

    def __init__(self, alpha, temperature, level=0.0):
        super().__init__(alpha, level)
        if not temperature > 0:
            raise ValueError(f"temperature = {temperature} is outside (0, inf)")
        self.temperature = temperature

    def _excess(self, above):
        return self.temperature * nn.functional.softplus(above / self.temperature)

    def extra_repr(self):
        return f"alpha={self.alpha}, temperature={self.temperature}"
