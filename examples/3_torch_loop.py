"""A training loop of torch's own, with a network of torch's own: the adaptive sampler takes the
place of the shuffled order, and the loop tells it the losses."""

import torch
from torch.utils.data import DataLoader, TensorDataset

from adacvar import cvar
from adacvar.torch import AdaptiveBatchSampler

torch.manual_seed(0)
# One row in ten goes against the others.
x = 2 * torch.rand(2000, 1) - 1
y = torch.sin(3 * x) * torch.where(torch.rand(2000, 1) < 0.9, 1.0, -1.0)
rows = TensorDataset(torch.arange(2000), x, y)


def train(loader, observe):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(30):
        for indices, inputs, targets in loader:
            losses = (model(inputs) - targets).square().squeeze(1)
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            observe(indices, losses)
    with torch.no_grad():
        losses = (model(x) - y).square().squeeze(1).double().numpy()
    return losses.mean(), cvar(losses, 0.1)


sampler = AdaptiveBatchSampler(2000, batch_size=64, alpha=0.1, eta_scale=3)
shuffled = train(DataLoader(rows, batch_size=64, shuffle=True), lambda indices, losses: None)
adaptive = train(DataLoader(rows, batch_sampler=sampler), sampler.observe)
print("squared loss     mean   CVaR of the worst tenth")
print(f"  shuffled     {shuffled[0]:6.3f}   {shuffled[1]:6.3f}")
print(f"  adaptive     {adaptive[0]:6.3f}   {adaptive[1]:6.3f}")
assert adaptive[1] < shuffled[1]
