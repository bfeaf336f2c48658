# SPDX-License-Identifier: Apache-2.0
"""The loss of a problem as a function that PyTorch differentiates."""
import torch
from torch.autograd.function import once_differentiable


class Loss(torch.autograd.Function):
    """Loss.apply(x, problem): the loss at the tensor x [dimension]; gradients come from the library's adjoint.  There are no
    second derivatives: asking for them is an error."""

    @staticmethod
    def forward(ctx, x, problem):
        loss, gradient = problem.value_and_grad(x.detach().cpu().double().numpy())
        ctx.save_for_backward(torch.as_tensor(gradient, dtype=x.dtype, device=x.device))
        return x.new_tensor(loss)

    @staticmethod
    @once_differentiable
    def backward(ctx, by_loss):
        return by_loss * ctx.saved_tensors[0], None
