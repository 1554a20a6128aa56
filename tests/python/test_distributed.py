"""adacvar.torch with torch.distributed: the sequence does not depend on the number of processes."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.distributed.is_available():
    pytest.skip("torch without torch.distributed", allow_module_level=True)

PRELUDE = """
import sys, numpy as np, torch, torch.distributed as dist
from adacvar.torch import AdaptiveBatchSampler
rank, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if count > 1 or "--group" in sys.argv:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=count)
LOSSES = np.where(np.arange(200) % 10 == 3, 1.0, np.linspace(0.0, 0.2, 200))
def run(sampler, stop=10**9):
    mine = []
    for batch in sampler:
        sampler.observe(batch, LOSSES[batch])
        mine.append(batch)
        if len(mine) == stop:
            break
    return mine
def made(**options):
    return AdaptiveBatchSampler(200, 17, alpha=0.1, seed=5, eta=0.01, epoch_draws=204, **options)
"""


def start(code, count, folder, *more):
    return [
        subprocess.Popen(
            [sys.executable, "-c", PRELUDE + code, str(rank), str(count), str(folder), *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        for rank in range(count)
    ]


def finish(processes, timeout=200):
    results = []
    for process in processes:
        output, errors = process.communicate(timeout=timeout)
        results.append((process.returncode, output, errors))
    return results


SEQUENCE = """
sampler = made()
batches = run(sampler) + run(sampler)
torch.save((batches, sampler.probabilities()), f"{folder}/{rank}.pt")
"""


def sequences(code, count, folder, *more):
    folder.mkdir()
    for status, _, errors in finish(start(code, count, folder, *more)):
        assert status == 0, errors
    parts = [torch.load(folder / f"{rank}.pt") for rank in range(count)]
    joined = [sum(shares, []) for shares in zip(*(batches for batches, _ in parts))]
    return joined, [probabilities for _, probabilities in parts]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The sequence and distribution of one process."""
    batches, (distribution,) = sequences(SEQUENCE, 1, tmp_path_factory.mktemp("alone") / "1")
    return batches, distribution


def test_one_two_and_four_processes_give_the_same_sequence(alone, tmp_path):
    expected, distribution = alone
    assert len(expected) == 24 and all(len(batch) == 17 for batch in expected)
    for count in (2, 4):
        found, distributions = sequences(SEQUENCE, count, tmp_path / str(count))
        assert found == expected
        for other in distributions:
            np.testing.assert_array_equal(other, distribution)


def test_a_state_of_two_processes_loads_with_four(alone, tmp_path):
    save = """
sampler = made()
batches = run(sampler, stop=5)
if rank == 0:
    torch.save(sampler.state_dict(), f"{folder}/../state.pt")
torch.save((batches, None), f"{folder}/{rank}.pt")
"""
    load = """
sampler = made()
sampler.load_state_dict(torch.load(f"{folder}/../state.pt"))
batches = run(sampler) + run(sampler)
torch.save((batches, None), f"{folder}/{rank}.pt")
"""
    first, _ = sequences(save, 2, tmp_path / "2")
    rest, _ = sequences(load, 4, tmp_path / "4")
    assert first + rest == alone[0]


def test_a_lost_rank_is_named(tmp_path):
    code = """
import os, time
sampler = made(timeout=5)
for number, batch in enumerate(sampler):
    if number == 2 and rank == 1:
        (os._exit(7) if sys.argv[4] == "dies" else time.sleep(600))
        os._exit(7)
    sampler.observe(batch, LOSSES[batch])
"""
    for how in ("dies", "hangs"):
        folder = tmp_path / how
        folder.mkdir()
        processes = start(code, 2, folder, how)
        _, errors = processes[0].communicate(timeout=120)  # the other one sleeps longer
        assert processes[0].returncode == 1
        assert "no losses of batch 2 from rank 1 within 5 s" in errors, errors
        processes[1].kill()
        processes[1].communicate()


def test_ranks_that_differ_are_told(tmp_path):
    code = """
sampler = AdaptiveBatchSampler(200, 16, seed=rank, timeout=10)
try:
    run(sampler)
except RuntimeError as error:
    print(error)
"""
    for status, output, errors in finish(start(code, 2, tmp_path)):
        assert status == 0 and "all ranks need the same options and seed" in output, errors


def test_batches_must_be_shared(tmp_path):
    code = """
for options in ({"batch_size": 1}, {"batch_size": 3, "epoch_draws": 7}):
    try:
        AdaptiveBatchSampler(200, **options)
    except ValueError as error:
        print(error)
print(len(AdaptiveBatchSampler(200, 3, epoch_draws=7, drop_last=True)))
"""
    for status, output, errors in finish(start(code, 2, tmp_path)):
        assert status == 0 and output.count("a batch of 1 cannot be shared by 2 processes") == 2, errors
        assert output.endswith("2\n")


def test_one_process_of_a_group_is_like_none(alone, tmp_path):
    assert sequences(SEQUENCE, 1, tmp_path / "1", "--group")[0] == alone[0]
