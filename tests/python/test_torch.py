"""adacvar.torch: loaders, states, losses."""

import collections
import copy
import doctest
import io
import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import BatchSampler, DataLoader, Dataset  # noqa: E402

import adacvar.torch as at  # noqa: E402
from adacvar import AdaptiveSampler, cvar  # noqa: E402
from adacvar.torch import AdaptiveBatchSampler  # noqa: E402

LOSSES = np.where(np.arange(200) % 10 == 3, 1.0, np.linspace(0.0, 0.2, 200))


class Rows(Dataset):
    """Returns its index and a value."""

    def __len__(self):
        return 200

    def __getitem__(self, i):
        return i, float(LOSSES[i])


def loader_of(sampler, workers=0, **options):
    if workers:
        options.setdefault("prefetch_factor", 2)
    return DataLoader(Rows(), batch_sampler=sampler, num_workers=workers, **options)


def run(sampler, epochs, workers=0, stop=None, **options):
    """Batches of the loop; stops after `stop` of them."""
    seen = []
    loader = loader_of(sampler, workers, **options)
    for _ in range(epochs):
        for indices, losses in loader:
            sampler.observe(indices, losses)
            seen.append(indices.tolist())
            if stop is not None and len(seen) == stop:
                return seen
    return seen


@pytest.mark.parametrize("module", [at])
def test_docstrings_run(module):
    failures, tests = doctest.testmod(module)
    assert failures == 0 and tests > 8


def test_without_workers_it_is_the_sampler_itself():
    sampler = AdaptiveBatchSampler(200, 16, alpha=0.1, seed=4, eta=0.01)
    twin = AdaptiveSampler(200, alpha=0.1, seed=4, eta=0.01)
    batches = run(sampler, 2)
    assert [len(batch) for batch in batches] == 2 * (12 * [16] + [8])
    for batch in batches:
        drawn = twin.draw(len(batch))
        assert drawn.tolist() == batch
        twin.observe(drawn, LOSSES[drawn])
    np.testing.assert_array_equal(sampler.probabilities(), twin.probabilities())
    assert isinstance(sampler, BatchSampler) and sampler.epoch == 2
    assert sampler.probabilities()[LOSSES == 1].sum() > 0.3  # uniform: 0.1


def test_lengths():
    for draws, last, expected in ((200, False, 13), (200, True, 12), (16, False, 1), (20, True, 1)):
        sampler = AdaptiveBatchSampler(200, 16, epoch_draws=draws, drop_last=last)
        assert len(sampler) == len(list(sampler)) == expected == len(loader_of(sampler))


@pytest.mark.filterwarnings("ignore:.*pin_memory", "ignore:This DataLoader will create")
@pytest.mark.parametrize(
    "workers, options",
    [(1, {}), (2, {"persistent_workers": True}), (4, {"prefetch_factor": 3}), (2, {"pin_memory": True})],
)
def test_workers_prefetch_and_every_batch_is_observed(workers, options):
    sampler = AdaptiveBatchSampler(200, 16, alpha=0.1, seed=4, eta=0.01)
    batches = run(sampler, 3, workers, **options)
    assert len(batches) == 39 == sampler.observed
    assert sampler.in_flight == sampler.late == sampler.dropped == 0
    # Batches are drawn ahead: the twin draws and observes in the order of the loader's calls.
    twin = AdaptiveSampler(200, alpha=0.1, seed=4, eta=0.01)
    ahead = workers * options.get("prefetch_factor", 2)
    for epoch in range(3):
        queue = []
        sizes = iter(12 * [16] + [8])

        def draw():
            size = next(sizes, None)
            if size:
                drawn = twin.draw(size)
                queue.append((drawn, twin.probabilities(drawn)))

        for _ in range(ahead):
            draw()
        for batch in batches[13 * epoch : 13 * epoch + 13]:
            draw()
            drawn, probabilities = queue.pop(0)
            assert drawn.tolist() == batch
            twin.observe(drawn, LOSSES[drawn], probabilities)
    np.testing.assert_array_equal(sampler.probabilities(), twin.probabilities())


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", [1, 5, 12, 13, 14])
def test_a_run_resumes_to_the_same_sequence(workers, stop):
    options = {"alpha": 0.1, "seed": 4, "eta": 0.01}
    whole = AdaptiveBatchSampler(200, 16, **options)
    expected = run(whole, 3, workers)
    first = AdaptiveBatchSampler(200, 16, **options)
    seen = run(first, 3, workers, stop=stop)
    file = io.BytesIO()
    torch.save(first.state_dict(), file)
    file.seek(0)
    second = AdaptiveBatchSampler(200, 16, seed=99)
    second.load_state_dict(torch.load(file))
    epochs_left = 3 - stop // 13
    seen += run(second, epochs_left, workers)
    assert seen == expected
    np.testing.assert_array_equal(second.probabilities(), whole.probabilities())
    assert second.observed == whole.observed


class StatefulLoader:
    """Stands in for torchdata's StatefulDataLoader: its calls of the sampler, in their order (0.11).

    Without workers its state has that of the sampler at the moment. With workers `ahead` batches are
    asked for before the first one is yielded, and one more before each that follows; after every
    `every`-th the sampler's state is taken, and belongs to the loader's from when that batch is
    yielded. A loaded state goes to the sampler between two calls of iter; then as many batches are
    asked for, and those yielded since the snapshot are left out.
    """

    def __init__(self, sampler, workers=0, every=1, prefetch_factor=2):
        self.sampler, self.ahead, self.every = sampler, workers * prefetch_factor, every
        self.iterator = self.next_state = None

    def make_iterator(self):
        state, self.next_state = self.next_state, None
        return (IteratorAhead if self.ahead else PlainIterator)(self, state)

    def __iter__(self):
        self.iterator = self.make_iterator()
        if self.iterator.finished:
            self.iterator = self.make_iterator()
        return self.iterator

    def state_dict(self):
        return self.iterator.state_dict()

    def load_state_dict(self, state):
        self.iterator, self.next_state = None, state


class PlainIterator:
    def __init__(self, loader, state):
        self.sampler = loader.sampler
        self.indices = iter(self.sampler)
        self.finished = False
        if state is not None:
            self.sampler.load_state_dict(state["sampler"])
            self.indices = iter(self.sampler)
            self.finished = state["finished"]

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return torch.tensor(next(self.indices))
        except StopIteration:
            self.finished = True
            raise

    def state_dict(self):
        return {"sampler": self.sampler.state_dict(), "finished": self.finished}


class IteratorAhead:
    def __init__(self, loader, state):
        self.sampler, self.every, self.finished = loader.sampler, loader.every, False
        self.indices = iter(self.sampler)
        self.indices = iter(self.sampler)  # its reset makes another
        self.asked = self.yielded = 0
        self.waiting, self.snapshots = collections.deque(), collections.deque()
        self.snapshot = (0, self.sampler.state_dict())
        if state is not None:
            self.snapshot = state["snapshot"]
            self.sampler.load_state_dict(self.snapshot[1])
            self.indices = iter(self.sampler)
            self.asked = self.yielded = self.snapshot[0]
        for _ in range(loader.ahead):
            self.ask()
        if state is not None:
            for _ in range(state["since"]):
                next(self)
            self.finished = state["finished"]

    def ask(self):
        batch = next(self.indices, None)
        if batch is None:
            return
        self.asked += 1
        self.waiting.append(batch)
        if self.asked % self.every == 0:
            self.snapshots.append((self.asked, self.sampler.state_dict()))

    def __iter__(self):
        return self

    def __next__(self):
        if not self.waiting:
            self.finished = True
            raise StopIteration
        batch = self.waiting.popleft()
        self.ask()
        self.yielded += 1
        if self.yielded % self.every == 0:
            self.snapshot = self.snapshots.popleft()
        return torch.tensor(batch)

    def state_dict(self):
        since = self.yielded - self.snapshot[0]
        return {"snapshot": self.snapshot, "since": since, "finished": self.finished}


def play(loader):
    """Batches of a loop over epochs without end, each observed before the loop goes on."""
    while True:
        for indices in loader:
            losses = torch.from_numpy(LOSSES[indices])
            loader.sampler.observe(indices, losses)
            losses.zero_()  # its memory is the caller's
            yield indices.tolist()


def saved(state):
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("keep", [saved, copy.deepcopy, lambda state: state])
@pytest.mark.parametrize("every", [1, 3, 20])
@pytest.mark.parametrize("workers", [0, 1, 2])
def test_stateful_loaders_resume_to_the_same_sequence(workers, every, keep):
    def make(seed=1):
        return StatefulLoader(AdaptiveBatchSampler(200, 16, seed=seed, eta=0.01), workers, every)

    whole = make()
    expected = list(itertools.islice(play(whole), 45))  # of 13 each epoch
    for stop in (1, 2, 5, 11, 12, 13, 14, 26, 30):
        loader = make()
        loop = play(loader)
        seen = list(itertools.islice(loop, stop))
        state = keep(loader.state_dict())
        if keep is not saved:  # a state in memory stays what it was when the run goes on
            assert seen + list(itertools.islice(loop, 45 - stop)) == expected
        other = make(seed=2)
        other.load_state_dict(state)
        resumed = play(other)
        seen += list(itertools.islice(resumed, 3))
        # Once more: from a state of the run that was resumed.
        third = make(seed=3)
        third.load_state_dict(saved(other.state_dict()))
        seen += list(itertools.islice(play(third), 42 - stop))
        assert seen == expected, (stop, [a == b for a, b in zip(seen, expected)])
        np.testing.assert_array_equal(third.sampler.probabilities(), whole.sampler.probabilities())
        assert third.sampler.observed == whole.sampler.observed and third.sampler.dropped == 0


def test_a_finished_epoch_of_a_stateful_loader_is_not_run_again():
    for workers in (0, 2):
        loader, other = (StatefulLoader(AdaptiveBatchSampler(200, 16, seed=1), workers) for _ in range(2))
        for indices in loader:
            loader.sampler.observe(indices, LOSSES[indices])
        assert loader.iterator.finished
        other.load_state_dict(saved(loader.state_dict()))
        assert [batch.tolist() for batch in other] == [batch.tolist() for batch in loader]
        assert other.sampler.epoch == loader.sampler.epoch == 2


def test_states_taken_for_every_batch_share_their_memory():
    make = lambda: AdaptiveBatchSampler(100_000, 16, epoch_draws=16 * 300)
    sampler, other = make(), make()
    states, batches = [], []
    for batch in sampler:
        batches.append(batch)
        states.append(sampler.state_dict())
        sampler.observe(batch, np.ones(16))
    assert len({id(state["sampler"]) for state in states}) < 10
    other.load_state_dict(saved(states[250]))
    assert list(other) == batches[251:]


def test_a_state_that_is_kept_does_not_grow_for_ever():
    sampler = AdaptiveBatchSampler(200, 16, seed=1)
    for batch in sampler:
        early = sampler.state_dict()
        sampler.observe(batch, LOSSES[batch])
    between = sampler.state_dict()
    for _ in range(20):
        for batch in sampler:
            sampler.observe(batch, LOSSES[batch])
    assert len(early["later"]) <= 2 * 14 and len(between["later"]) <= 2 * 14


def test_a_state_of_the_first_version_loads():
    options = {"alpha": 0.1, "seed": 4, "eta": 0.01}
    first = AdaptiveBatchSampler(200, 16, **options)
    seen = run(first, 1, stop=5)
    state = first.state_dict()
    state["version"] = 1
    for name in ("steps", "after_draw", "later"):
        del state[name]
    second = AdaptiveBatchSampler(200, 16)
    second.load_state_dict(state)
    assert seen + run(second, 2) == run(AdaptiveBatchSampler(200, 16, **options), 2)


def test_late_and_dropped_batches_are_counted():
    sampler = AdaptiveBatchSampler(200, 50, alpha=0.1, seed=4)
    first, second, third, fourth = (np.array(batch) for batch in sampler)
    sampler.observe(second, LOSSES[second])
    sampler.observe(first, LOSSES[first])  # late
    assert (sampler.observed, sampler.late, sampler.in_flight) == (2, 1, 2)
    list(sampler)  # the epoch after: its losses may still come
    sampler.observe(third, LOSSES[third])
    assert (sampler.late, sampler.dropped, sampler.in_flight) == (1, 0, 5)
    list(sampler)
    assert sampler.dropped == 1 and sampler.in_flight == 8
    with pytest.raises(ValueError, match="not those of a batch in flight"):
        sampler.observe(fourth, LOSSES[fourth])
    # A batch that the loop left out is not yielded again.
    sampler = AdaptiveBatchSampler(200, 50, alpha=0.1, seed=4)
    batches = iter(sampler)
    skipped, taken = next(batches), next(batches)
    sampler.observe(taken, LOSSES[taken])
    other = AdaptiveBatchSampler(200, 50, alpha=0.1)
    other.load_state_dict(sampler.state_dict())
    assert len(list(other)) == 2 and other.in_flight == 3
    other.observe(skipped, LOSSES[skipped])
    assert other.late == 1


def test_equal_batches_are_told_apart_by_their_order():
    sampler = AdaptiveBatchSampler(1, 1, epoch_draws=3)
    assert list(sampler) == [[0], [0], [0]]
    for _ in range(3):
        sampler.observe([0], [1.0])
    assert sampler.in_flight == 0 and sampler.late == 0


def test_losses_of_any_kind():
    for losses in (torch.ones(16, requires_grad=True), torch.ones(16).half(), [1] * 16, np.ones(16, np.float32)):
        sampler = AdaptiveBatchSampler(200, 16)
        batch = next(iter(sampler))
        sampler.observe(torch.tensor(batch), losses)
        assert sampler.observed == 1


def test_twenty_million_rows():
    n = 20_000_000  # torch.multinomial ends at 2^24
    sampler = AdaptiveBatchSampler(n, 64, alpha=0.01, seed=1, epoch_draws=64 * 50)
    largest = 0
    for batch in sampler:
        largest = max(largest, *batch)
        sampler.observe(batch, np.linspace(0, 1, 64))
    assert 2**24 < largest < n and sampler.observed == 50
    assert sampler.probabilities([0, n - 1]).shape == (2,)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: AdaptiveBatchSampler(10, 0), ValueError, "batch_size"),
        (lambda: AdaptiveBatchSampler(0, 1), ValueError, "size = 0"),
        (lambda: AdaptiveBatchSampler(10, 4, alpha=0), ValueError, "alpha = 0"),
        (lambda: AdaptiveBatchSampler(10, 4, eta_scal=2), TypeError, "did you mean 'eta_scale'"),
        (lambda: AdaptiveBatchSampler(10, 16, drop_last=True), ValueError, "at least one batch"),
        (lambda: made().observe([0.5], [1.0]), TypeError, "integers"),
        (lambda: made().observe([1, 2], [1.0]), ValueError, "one loss per index"),
        (lambda: made().observe([1], [-1.0]), ValueError, "losses[0] = -1"),
        (lambda: made().observe([1], [np.nan]), ValueError, "losses[0] = nan"),
        (lambda: made().observe([1], [1.0]), ValueError, "in flight"),
        (lambda: made().load_state_dict({}), ValueError, "not a state"),
        (lambda: made().load_state_dict({**made().state_dict(), "version": 9}), ValueError, "version 9"),
        (lambda: made().load_state_dict(AdaptiveBatchSampler(11, 4).state_dict()), ValueError, "n = 11"),
        (lambda: made().load_state_dict(AdaptiveBatchSampler(10, 5).state_dict()), ValueError, "batch_size = 5"),
        (lambda: at.CVaRLoss(0), ValueError, "alpha = 0"),
        (lambda: at.TruncCVaRLoss(2), ValueError, "alpha = 2"),
        (lambda: at.SoftCVaRLoss(0.5, 0), ValueError, "temperature = 0"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def made():
    return AdaptiveBatchSampler(10, 4)


def test_losses_by_hand_and_by_differences():
    losses = torch.tensor([1.0, 2.0, 3.0, 10.0], dtype=torch.float64, requires_grad=True)
    value = at.CVaRLoss(0.5)(losses)
    value.backward()
    assert value.item() == 6.5 and losses.grad.tolist() == [0, 0, 0.5, 0.5]
    assert torch.autograd.gradcheck(at.CVaRLoss(0.3), losses)
    trunc = at.TruncCVaRLoss(0.5, level=2.5).double()
    trunc(losses).backward()
    assert trunc.level.grad.item() == 0  # (3, 10 are above): 1 - 2 / 4 / 0.5
    for module in (trunc, at.SoftCVaRLoss(0.5, temperature=0.5).double()):
        assert torch.autograd.gradcheck(module, losses)


def test_the_learned_level_reaches_the_cvar():
    losses = torch.tensor(np.random.default_rng(0).standard_exponential(2000))
    for module, tolerance in ((at.TruncCVaRLoss(0.1), 1e-3), (at.SoftCVaRLoss(0.1, 0.05), 2e-2)):
        module.double()
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        for _ in range(2000):
            optimizer.zero_grad()
            module(losses).backward()
            optimizer.step()
        assert module(losses).item() == pytest.approx(cvar(losses.numpy(), 0.1), rel=tolerance)
        assert "level" in module.state_dict()


def test_losses_of_any_type_are_taken():
    sampler = AdaptiveBatchSampler(20, batch_size=4, alpha=0.2)
    for batch, kind in zip(sampler, (torch.bfloat16, torch.float16, torch.float32)):
        sampler.observe(torch.tensor(batch), torch.ones(4, dtype=kind, requires_grad=True))
    assert sampler.observed == 3


def test_a_state_without_a_part_is_refused():
    sampler = AdaptiveBatchSampler(20, batch_size=4, alpha=0.2)
    for name in ("version", "sampler", "generator", "number", "counts"):
        state = sampler.state_dict()
        del state[name]
        with pytest.raises(ValueError, match=name):
            sampler.load_state_dict(state)
