"""Question: is a training step of LeNet-5 as fast as PyTorch's own eager loop in Python?

Runs deep_bench and the same network, batches and optimizer in Python in turn, so that whatever else
the machine does falls on both:
  /usr/bin/python3 bench/deep_eager.py build/release/bench/deep_bench [--threads 1] [--rounds 9]
"""

import argparse
import json
import os
import statistics
import subprocess
import time

import torch
from torch import nn

BATCH = 64
STEPS = 200


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def eager_us(images, labels):
    """Microseconds per step of an epoch: rows in shuffled order, SGD with momentum."""
    network = lenet5()
    network.train()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.5)
    # CPU time for one thread, which other programs do not change; else wall time.
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    begin = clock()
    order = torch.randperm(len(images))
    total = 0.0
    for start in range(0, len(images), BATCH):
        rows = order[start:start + BATCH]
        loss = nn.functional.cross_entropy(network(images[rows]), labels[rows])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return 1e6 * (clock() - begin) / STEPS


def ours_us(program, threads):
    """Microseconds per step by Mean and by Ada-CVaR."""
    run = subprocess.run(
        [program, f"--benchmark_filter=BM_LenetEpochs/{threads}/", "--benchmark_format=json",
         "--benchmark_min_time=0.2"],
        check=True, capture_output=True, text=True, env=os.environ)
    result = json.loads(run.stdout)["benchmarks"][0]
    return result["mean_us"], result["ada_us"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    images = torch.rand(BATCH * STEPS, 1, 28, 28)
    labels = torch.randint(10, (BATCH * STEPS,))
    eager_us(images, labels)
    eager, mean, ada = [], [], []
    for _ in range(options.rounds):
        eager.append(eager_us(images, labels))
        ours = ours_us(options.program, options.threads)
        mean.append(ours[0])
        ada.append(ours[1])
        eager[-1] = (eager[-1] + eager_us(images, labels)) / 2
    print(f"torch {torch.__version__}, {options.threads} threads, {options.rounds} rounds, "
          "median us per step:")
    for name, values in (("eager", eager), ("mean", mean), ("adacvar", ada)):
        print(f"  {name:8} {statistics.median(values):8.0f}")
    for name, over, under in (("mean / eager", mean, eager), ("adacvar / mean", ada, mean)):
        ratios = sorted(a / b for a, b in zip(over, under))
        print(f"{name}: median {statistics.median(ratios):.3f}, "
              f"from {ratios[0]:.3f} to {ratios[-1]:.3f}")


if __name__ == "__main__":
    main()
