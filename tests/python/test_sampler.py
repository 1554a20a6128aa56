"""AdaptiveSampler: the distribution, states, keywords, bad input."""

import copy
import pickle

import numpy as np
import pytest

import adacvar
from adacvar import AdaptiveSampler


def play(sampler, losses, batches, batch=16):
    drawn = []
    for _ in range(batches):
        indices = sampler.draw(batch)
        sampler.observe(indices, losses[indices])
        drawn.append(indices)
    return np.concatenate(drawn)


def test_it_finds_the_tail():
    losses = np.where(np.arange(1000) % 20 == 3, 1.0, 0.1)
    sampler = AdaptiveSampler(1000, alpha=0.05, seed=1, eta=0.01)
    assert sampler.tail_size == 50 and len(sampler) == 1000
    play(sampler, losses, 2000)
    q = sampler.probabilities()
    assert q.sum() == pytest.approx(1)
    assert q[losses == 1].sum() > 0.95  # uniform: 0.05
    assert q.max() <= 1 / 50
    np.testing.assert_array_equal(sampler.probabilities([3, 4]), q[[3, 4]])


def test_one_step_by_hand():
    # At the start q = 1/4; estimator gain: x_2 grows by eta L / q = 0.1 * 0.5 / 0.25.
    sampler = AdaptiveSampler(4, alpha=0.25, eta=0.1, estimator="gain", gamma=0, marginals="exact")
    sampler.observe([2], [0.5])
    weights = np.exp([0, 0, 0.2, 0])
    np.testing.assert_allclose(sampler.probabilities(), weights / weights.sum(), rtol=1e-12)


def test_draws_are_int64_and_the_seed_decides():
    assert AdaptiveSampler(100, seed=7).draw(5).dtype == np.int64
    one, other = (AdaptiveSampler(100, seed=7).draw(50) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert (AdaptiveSampler(100, seed=8).draw(50) != one).any()


def test_draws_follow_the_probabilities():
    sampler = AdaptiveSampler(10, alpha=0.2, eta=0.05, seed=3)
    play(sampler, np.linspace(0, 1, 10), 100)
    q = sampler.probabilities()
    counts = np.bincount(sampler.draw(100_000), minlength=10)
    cells = q * 1e5 >= 10
    statistic = ((counts - q * 1e5)[cells] ** 2 / (q * 1e5)[cells]).sum()
    assert statistic < 33.7  # chi-square, 9 degrees of freedom at most: 1e-4, fixed seed


def copies(sampler):
    loaded = AdaptiveSampler(len(sampler), alpha=0.9)
    loaded.load_state_dict(sampler.state_dict())
    return [
        loaded,
        pickle.loads(pickle.dumps(sampler)),
        copy.copy(sampler),
        copy.deepcopy(sampler),
    ]


def test_copies_draw_the_same_and_are_apart():
    losses = np.linspace(0, 1, 50)
    sampler = AdaptiveSampler(50, alpha=0.1, seed=2)
    play(sampler, losses, 20)
    others = copies(sampler)
    expected = play(sampler, losses, 20)
    for other in others:
        np.testing.assert_array_equal(play(other, losses, 20), expected)
        np.testing.assert_array_equal(other.probabilities(), sampler.probabilities())
        assert other.options["alpha"] == 0.1


def test_late_losses_with_their_probabilities():
    sampler, twin = (AdaptiveSampler(20, alpha=0.2, seed=5) for _ in range(2))
    first = sampler.draw(4)
    kept = sampler.probabilities(first)
    sampler.observe(sampler.draw(4), [0, 1, 2, 3])
    before = sampler.probabilities()
    sampler.observe(first, [0, 1, 2, 3], kept)
    assert (sampler.probabilities() != before).any()
    first = twin.draw(4)
    twin.observe(first, [0, 1, 2, 3], twin.probabilities(first))
    direct = AdaptiveSampler(20, alpha=0.2, seed=5)
    direct.observe(direct.draw(4), [0, 1, 2, 3])
    np.testing.assert_array_equal(twin.probabilities(), direct.probabilities())


def test_row_weights_discount_and_gamma():
    sampler = AdaptiveSampler(4, alpha=0.5, weights=[1, 1, 1, 3])
    np.testing.assert_allclose(sampler.probabilities(), [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    sampler = AdaptiveSampler(10, alpha=0.1, eta=0.1)
    play(sampler, np.arange(10.0), 50)
    sampler.discount(0)
    np.testing.assert_allclose(sampler.probabilities(), 0.1)
    play(sampler, np.arange(10.0), 50)
    sampler.set_gamma(1)
    sampler.draw(1)
    np.testing.assert_allclose(sampler.probabilities(), 0.1)


def test_keywords_come_from_the_list_of_options():
    listed = adacvar.options("sampler")
    sampler = AdaptiveSampler(10)
    assert {entry["name"] for entry in listed} == set(sampler.options)
    for entry in listed:
        assert sampler.options[entry["name"]] == entry["default"]
        assert f"{entry['name']}: {entry['help']}" in AdaptiveSampler.__doc__
    assert AdaptiveSampler(10, estimator="gain", eta=None, horizon=5).options["horizon"] == 5


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda s: AdaptiveSampler(0), ValueError, "size = 0"),
        (lambda s: AdaptiveSampler(-1), ValueError, "n = -1"),
        (lambda s: AdaptiveSampler(1.5), TypeError, "n must be an integer"),
        (lambda s: AdaptiveSampler(10, alpha=2), ValueError, "alpha = 2 is outside (0, 1]"),
        (lambda s: AdaptiveSampler(10, alpha=True), TypeError, "alpha must be a number"),
        (lambda s: AdaptiveSampler(10, apha=0.1), TypeError, "did you mean 'alpha'"),
        (lambda s: AdaptiveSampler(10, eta="fast"), TypeError, "eta must be a number"),
        (lambda s: AdaptiveSampler(10, horizon=-1), ValueError, "horizon = -1"),
        (lambda s: AdaptiveSampler(10, estimator="x"), ValueError, "gain, loss, centred"),
        (lambda s: AdaptiveSampler(10, estimator=1), TypeError, "estimator must be a name"),
        (lambda s: AdaptiveSampler(10, loss_scale=2), ValueError, "loss_scale has no effect"),
        (lambda s: AdaptiveSampler(10, eta=1, horizon=9), ValueError, "horizon has no effect"),
        (lambda s: AdaptiveSampler(10, weights=[1.0]), ValueError, "weights has 1 values"),
        (lambda s: AdaptiveSampler(10, weights=[]), ValueError, "weights has 0 values"),
        (lambda s: AdaptiveSampler(2, weights=[1.0, -1]), ValueError, "weight"),
        (lambda s: s.draw(0), ValueError, "batch = 0"),
        (lambda s: s.draw(-3), ValueError, "batch = -3"),
        (lambda s: s.draw("a"), TypeError, "batch must be an integer"),
        (lambda s: s.observe([10], [1.0]), IndexError, "indices[0] = 10 is outside [0, 9]"),
        (lambda s: s.observe([-1], [1.0]), IndexError, "indices[0] = -1"),
        (lambda s: s.observe([0.5], [1.0]), TypeError, "array of integers"),
        (lambda s: s.observe([0, 1], [1.0]), ValueError, "indices has 2 values, losses has 1"),
        (lambda s: s.observe([0], [-1.0]), ValueError, "losses[0] = -1"),
        (lambda s: s.observe([0], [np.nan]), ValueError, "losses[0]"),
        (lambda s: s.observe([0], [1.0], [0.5, 0.5]), ValueError, "probabilit"),
        (lambda s: s.probabilities([99]), IndexError, "99"),
        (lambda s: s.discount(2), ValueError, "2"),
        (lambda s: s.load_state_dict({}), ValueError, "'sampler'"),
        (lambda s: s.load_state_dict(AdaptiveSampler(11).state_dict()), ValueError, "11 examples"),
        (
            lambda s: s.load_state_dict({**s.state_dict(), "sampler": s.state_dict()["sampler"][:-9]}),
            ValueError,
            "",
        ),
    ],
)
def test_bad_input_changes_nothing(call, error, words):
    sampler = AdaptiveSampler(10, alpha=0.3)
    before = sampler.state_dict()
    with pytest.raises(error) as caught:
        call(sampler)
    assert words in str(caught.value)
    assert sampler.state_dict() == before
