# SPDX-License-Identifier: Apache-2.0
"""The loss of a problem as a function that PyTorch differentiates."""
import torch


class Loss(torch.autograd.Function):
    """Loss.apply(x, problem): the loss at the tensor x [dimension]; gradients come from the library's adjoint."""

    @staticmethod
    def forward(ctx, x, problem):
        loss, gradient = problem.value_and_grad(x.detach().cpu().double().numpy())
        ctx.save_for_backward(torch.as_tensor(gradient, dtype=x.dtype, device=x.device))
        return x.new_tensor(loss)

    @staticmethod
    def backward(ctx, by_loss):
        return by_loss * ctx.saved_tensors[0], None
