"""The adaptive sampler finds the worst losses of a heavy-tailed sample by drawing examples and
looking at the losses of those it drew, nothing else."""

import numpy as np

from adacvar import AdaptiveSampler, cvar, var

SIZE, ALPHA, EPOCHS = 100_000, 0.05, 20

# Pareto losses with tail index 3: most are small, a few are huge.
losses = np.random.default_rng(1).pareto(3, SIZE)
border = var(losses, ALPHA)
print(f"{SIZE} Pareto losses, alpha = {ALPHA}")
print(f"  mean {losses.mean():.4f}   VaR {border:.4f}   CVaR {cvar(losses, ALPHA):.4f}\n")

sampler = AdaptiveSampler(SIZE, alpha=ALPHA, eta=0.5 / SIZE, seed=1)
print("epoch   draws in the tail                               mean loss drawn")
for epoch in range(EPOCHS + 1):
    seen = []
    for _ in range(-(-SIZE // 64)):
        batch = sampler.draw(64)
        sampler.observe(batch, losses[batch])
        seen.append(losses[batch])
    seen = np.concatenate(seen)
    share = (seen > border).mean()
    if epoch % 2 == 0:
        print(f"{epoch:5d}   {100 * share:5.1f} % {'#' * int(40 * share):40s} {seen.mean():9.4f}")
print(f"\nUniform draws would fall into the tail {100 * ALPHA:.1f} % of the time, with a mean of {losses.mean():.4f}.")
