# SPDX-License-Identifier: Apache-2.0
"""Billiards by SciPy's L-BFGS-B: python3 billiards_scipy.py [SCENE]."""
import sys

import dcsim
from scipy.optimize import Bounds, minimize

scene = dcsim.open(sys.argv[1] if len(sys.argv) > 1 else "scenes/billiards.json")
problem = scene.problem()
x = problem.initial
print(f"{scene.name}: loss {problem.value(x):.6g} at the start")
result = minimize(lambda y: problem.value_and_grad(y, otherwise=1e3), x, jac=True, method="L-BFGS-B",
                  bounds=Bounds(*problem.bounds), options={"maxiter": 100})
print(f"{scene.name}: loss {result.fun:.6g} after {result.nfev} evaluations")
for name, number in zip(problem.names, result.x):
    print(f"  {name} = {number:.6g}")
