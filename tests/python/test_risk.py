"""Functions of losses: numbers by hand, views, bad input."""

import threading
import time

import numpy as np
import pytest

import adacvar

LOSSES = np.array([1.0, 2.0, 3.0, 10.0])


def test_values_by_hand():
    assert adacvar.cvar(LOSSES, 0.5) == 6.5
    assert adacvar.cvar(LOSSES, 1) == 4
    assert adacvar.cvar(LOSSES, 0.1) == 10
    assert adacvar.cvar(LOSSES, 0.3) == pytest.approx((10 + 0.2 * 3) / 1.2, rel=1e-15)
    assert adacvar.var(LOSSES, 0.25) == 3
    assert adacvar.var(LOSSES, 0.3) == 3
    np.testing.assert_array_equal(adacvar.tail_weights(LOSSES, 0.5), [0, 0, 0.5, 0.5])
    # Weight 2 counts as two rows: 10, 10, 3 of five.
    assert adacvar.cvar(LOSSES, 0.6, weights=[1, 1, 1, 2]) == pytest.approx(23 / 3)
    assert adacvar.tail_weights(LOSSES, 0.6, [1, 1, 1, 2]) @ LOSSES == pytest.approx(23 / 3)


def test_a_slow_twin_agrees():
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 100):
        losses = rng.standard_exponential(n)
        for alpha in (0.03, 0.5, 0.77, 1.0):
            ordered = np.sort(losses)[::-1]
            shares = np.clip(alpha * n - np.arange(n), 0, 1)
            assert adacvar.cvar(losses, alpha) == pytest.approx(shares @ ordered / (alpha * n))
            q = adacvar.tail_weights(losses, alpha)
            assert q.sum() == pytest.approx(1) and q @ losses == pytest.approx(adacvar.cvar(losses, alpha))


def test_anything_numeric_is_accepted():
    for losses in (
        [1, 2, 3, 10],
        (1, 2, 3, 10),
        LOSSES.astype(np.float32),
        LOSSES.astype(np.uint8),
        LOSSES.astype(">f8"),
        np.repeat(LOSSES, 2)[::2],
        LOSSES[::-1],
        __import__("pandas").Series(LOSSES),
    ):
        assert adacvar.cvar(losses, 0.5) == 6.5


def test_an_array_of_doubles_is_not_copied():
    losses = np.zeros(20_000_000)
    started = memory()
    adacvar.cvar(losses, 0.5)
    assert memory() - started < 80e6  # a copy has 160 MB


def memory():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_the_lock_is_released():
    losses = np.random.default_rng(0).standard_exponential(10_000_000)
    started = threading.Event()

    def work():
        started.set()
        for _ in range(3):
            adacvar.cvar(losses, 0.1)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    turns = 0
    while thread.is_alive():  # only where the other thread lets go
        time.sleep(0.001)
        turns += 1
    assert turns > 10


def test_kdpp_marginals_by_hand():
    # Pairs of weights 1, 2, 3: products 2, 3, 6 of 11.
    found = adacvar.kdpp_marginals(np.log([1, 2, 3]), 2)
    np.testing.assert_allclose(found, [5 / 11, 8 / 11, 9 / 11], rtol=1e-12)
    matched = adacvar.kdpp_marginals(np.log([1, 2, 3]), 2, method="matched")
    assert matched.sum() == pytest.approx(2)


def test_cvar_bound():
    losses = np.random.default_rng(0).random(2000)
    bound = adacvar.cvar_bound(losses, 0.1, 0.95, 1.0)
    assert adacvar.cvar(losses, 0.1) < bound < 1
    bounds = adacvar.cvar_bound(losses, [0.05, 0.1], 0.95, 1.0)
    assert bounds.shape == (2,) and bounds[1] <= bounds[0]
    assert adacvar.cvar_bound(losses, 0.1, 0.95, 1.0, side="lower") < adacvar.cvar(losses, 0.1)
    # Few losses say nothing: the bound is the largest loss possible.
    assert adacvar.cvar_bound([0.5, 0.5], 0.1, 0.95, 2.0) == 2.0


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: adacvar.cvar(LOSSES, 0), ValueError, "alpha = 0 is outside (0, 1]"),
        (lambda: adacvar.cvar(LOSSES, 1.5), ValueError, "alpha = 1.5"),
        (lambda: adacvar.cvar(LOSSES, "a"), TypeError, "alpha must be a number"),
        (lambda: adacvar.cvar(LOSSES, None), TypeError, "alpha must be a number"),
        (lambda: adacvar.cvar([], 0.5), ValueError, "empty"),
        (lambda: adacvar.cvar([1, np.nan], 0.5), ValueError, "losses[1]"),
        (lambda: adacvar.cvar(["a"], 0.5), TypeError, "losses must be an array of numbers"),
        (lambda: adacvar.cvar(object(), 0.5), TypeError, "losses must be an array of numbers"),
        (lambda: adacvar.cvar([1j], 0.5), TypeError, "complex128"),
        (lambda: adacvar.cvar([[1.0]], 0.5), ValueError, "2 dimensions"),
        (lambda: adacvar.cvar(LOSSES, 0.5, [1, 1]), ValueError, "weights"),
        (lambda: adacvar.cvar(LOSSES, 0.5, [1, 1, 1, -1]), ValueError, "weight"),
        (lambda: adacvar.kdpp_marginals([0.0], 2), ValueError, "k = 2"),
        (lambda: adacvar.kdpp_marginals([0.0], 1.5), TypeError, "k must be an integer"),
        (lambda: adacvar.kdpp_marginals([0.0], 1, "x"), ValueError, "exact, matched"),
        (lambda: adacvar.cvar_bound([2.0], 0.1, 0.95, 1.0), ValueError, "outside [0, 1]"),
        (lambda: adacvar.cvar_bound([0.0], 0.1, 1, 1.0), ValueError, "confidence"),
        (lambda: adacvar.cvar_bound([0.0], 0.1, 0.9, 1.0, "x"), ValueError, "upper, lower"),
        (lambda: adacvar.options("x"), ValueError, "sampler, fit, trees, best"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
