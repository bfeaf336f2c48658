# SPDX-License-Identifier: Apache-2.0
"""The loss of a problem as a function that PyTorch differentiates."""
from __future__ import annotations

from typing import Any

try:
    import torch
except ImportError as _error:
    raise ImportError("dcsim.torch needs PyTorch, which dcsim does not bring: pip install torch, or apt-get install python3-torch") from _error
from torch.autograd.function import once_differentiable

from . import Problem


class Loss(torch.autograd.Function):
    """Loss.apply(x, problem): the loss at the tensor x [dimension]; gradients come from the library's adjoint.  There are no
    second derivatives: asking for them is an error."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, problem: Problem) -> torch.Tensor:  # type: ignore[override]
        loss, gradient = problem.value_and_grad(x.detach().cpu().double().numpy())
        ctx.save_for_backward(torch.as_tensor(gradient, dtype=x.dtype, device=x.device))
        return x.new_tensor(loss)

    @staticmethod
    @once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, by_loss: torch.Tensor) -> tuple[torch.Tensor, None]:
        return by_loss * ctx.saved_tensors[0], None
