# SPDX-License-Identifier: Apache-2.0
"""Identification by SciPy's least squares, without a matrix: python3 identify_scipy.py [SCENE]."""
import sys

import dcsim
import numpy as np
from scipy.optimize import least_squares
from scipy.sparse.linalg import LinearOperator

scene = dcsim.open(sys.argv[1] if len(sys.argv) > 1 else "scenes/identify_push.json")
problem = scene.problem()
x = problem.initial
print(f"{scene.name}: loss {problem.value(x):.6g} at the start")
weight = np.sqrt(2 * problem.rows(x).weight)  # the cost of least_squares is half a sum of squares


def jacobian(y):
    return LinearOperator((weight.size, y.size), matvec=lambda v: weight * problem.push_forward(y, v.ravel()),
                          rmatvec=lambda w: problem.pull_back(y, weight * w.ravel()))


result = least_squares(lambda y: weight * problem.rows(y).residual, x, jac=jacobian, bounds=problem.bounds, xtol=1e-9,
                       max_nfev=30)
print(f"{scene.name}: loss {result.cost:.6g} after {result.nfev} evaluations")
for name, number in zip(problem.names, result.x):
    print(f"  {name} = {number:.6g}")
