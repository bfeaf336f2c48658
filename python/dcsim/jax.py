# SPDX-License-Identifier: Apache-2.0
"""The loss of a problem as a function that JAX differentiates, transforms by jit and maps over rows.

    import jax, dcsim, dcsim.jax
    jax.config.update("jax_enable_x64", True)           # otherwise losses and gradients are rounded to 24 bits
    loss = dcsim.jax.loss(dcsim.open("scenes/billiards.json").problem())
    value, gradient = jax.value_and_grad(loss)(x)
    losses = jax.vmap(loss)(rows)                       # on all cores

Needs JAX 0.4.34 or newer, which dcsim neither brings nor installs; nothing else of the package imports this file.
"""
from __future__ import annotations

from typing import Any, Callable

try:
    import jax
except ImportError as _error:
    raise ImportError("dcsim.jax needs JAX 0.4.34 or newer, which dcsim does not bring: pip install jax") from _error
import numpy as np

from . import Problem


def loss(problem: Problem, otherwise: float | None = None) -> Callable[[Any], Any]:
    """The function of x [dimension] to the loss, a scalar of x's type.  Its gradient is the library's adjoint; there are no
    second derivatives and no forward mode: asking for them is an error of JAX.  otherwise: the loss where bodies overlap at
    the start or a step fails; JAX does not define what an exception of a callback does."""

    def rows_of(x: Any) -> Any:
        return np.asarray(x, dtype=np.float64).reshape(-1, problem.dimension)

    def find_value(x: Any) -> Any:
        return problem.value_batch(rows_of(x), otherwise).reshape(x.shape[:-1]).astype(x.dtype)

    def find_value_and_gradient(x: Any) -> Any:
        values, gradients = problem.value_and_grad_batch(rows_of(x), otherwise)
        return values.reshape(x.shape[:-1]).astype(x.dtype), gradients.reshape(x.shape).astype(x.dtype)

    def check(x: Any) -> None:
        if x.shape != (problem.dimension,):
            raise ValueError(f"x must have the shape [{problem.dimension}] (has {list(x.shape)})")

    @jax.custom_vjp  # type: ignore[misc]
    def evaluate(x: Any) -> Any:
        check(x)
        return jax.pure_callback(find_value, jax.ShapeDtypeStruct((), x.dtype), x, vmap_method="broadcast_all")

    def forward(x: Any) -> Any:
        check(x)
        shapes = jax.ShapeDtypeStruct((), x.dtype), jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(find_value_and_gradient, shapes, x, vmap_method="broadcast_all")

    def backward(gradient: Any, by_loss: Any) -> Any:
        return (by_loss * gradient,)

    evaluate.defvjp(forward, backward)
    return evaluate  # type: ignore[no-any-return]
