"""Regret of the sampler made visible: how far its distribution stays behind the best fixed one in
hindsight (SR_T) [CLJK20, Lemma 1] or, where losses drift, behind the best one of each draw."""

import math

import numpy as np

from adacvar import AdaptiveSampler, cvar

SIZE, ALPHA, RUNS = 100, 0.1, 2


def regret(estimator, draws, drift, memory):
    """Mean over the runs of sum_t (max_q q'L_t - q_t'L_t); the maximum is the CVaR of the losses.

    Losses lie in [0, 1] round a circle whose hardest place turns by `drift` in every epoch of N
    draws. After an epoch the log-weights are multiplied by `memory`.
    """
    horizon = draws if memory == 1 else int(min(draws, SIZE / (1 - memory)))
    total = 0.0
    for seed in range(RUNS):
        sampler = AdaptiveSampler(SIZE, ALPHA, seed=seed, estimator=estimator, horizon=horizon, gamma=0)
        for t in range(draws):
            if t > 0 and t % SIZE == 0:
                sampler.discount(memory)
            losses = 0.5 + 0.5 * np.cos(2 * math.pi * (np.arange(SIZE) - drift * t) / SIZE)
            total += (cvar(losses, ALPHA) - sampler.probabilities() @ losses) / RUNS
            drawn = sampler.draw(1)
            sampler.observe(drawn, losses[drawn])
    return total


print(f"N = {SIZE}, alpha = {ALPHA}, automatic eta, mean of {RUNS} runs\n")
print("fixed losses: SR_T / sqrt(T N log N)   drifting: regret per draw by memory")
print("               gain     loss  centred        1      0.9      0.8      0.5")
for draws in (500, 2_000):
    bound = math.sqrt(draws * SIZE * math.log(SIZE))
    fixed = [regret(name, draws, 0.0, 1.0) / bound for name in ("gain", "loss", "centred")]
    drifting = [regret("centred", draws, 0.02, memory) / draws for memory in (1.0, 0.9, 0.8, 0.5)]
    print(f"T = {draws:6d}" + "".join(f"{x:9.2f}" for x in fixed) + "".join(f"{x:9.3f}" for x in drifting))
