# SPDX-License-Identifier: Apache-2.0
"""Billiards by PyTorch: python3 billiards_torch.py [SCENE [ITERATIONS]]."""
import sys

import dcsim
import torch
from dcsim.torch import Loss

scene = dcsim.open(sys.argv[1] if len(sys.argv) > 1 else "scenes/billiards.json")
problem = scene.problem()
x = torch.tensor(problem.initial, requires_grad=True)
optimizer = torch.optim.Adam([x], lr=0.03, betas=(0.3, 0.5))
best, iterations = float("inf"), int(sys.argv[2]) if len(sys.argv) > 2 else 400
for i in range(iterations):
    optimizer.zero_grad()
    loss = Loss.apply(x, problem)
    loss.backward()
    if i == 0:
        print(f"{scene.name}: loss {loss.item():.6g} at the start")
    best = min(best, loss.item())
    if best == 0:
        break
    optimizer.step()
print(f"{scene.name}: loss {best:.6g} after {i + 1} evaluations")
