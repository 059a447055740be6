"""What operations of level `onnx` that multiply do with a device: each becomes products of matrices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import integer, onnx
from compiler.dialects.nest import GenericOp
from compiler.dialects.recurrent import RecurrentOp
from compiler.dialects.types import dtype_of
from compiler.interpreter import nests, recurrent
from compiler.interpreter.nests import Views
from compiler.interpreter.offloaded.matrices import DeviceMatrices
from compiler.interpreter.products import biased, conv_transposed, factor
from compiler.interpreter.windows import extents, padded, taps
from compiler.interpreter.world import Meaning, World


def offloaded_meanings(matrices: DeviceMatrices) -> Mapping[type[Operation], Meaning]:
    """In place of those that compute here; they raise what the device raises."""
    on = _Offloaded(matrices)
    return {
        onnx.ConvOp: on.conv,
        integer.ConvOp: on.conv,
        onnx.ConvTransposeOp: on.conv_transpose,
        onnx.GemmOp: on.gemm,
        onnx.MatMulOp: on.matmul,
        integer.MatMulOp: on.matmul,
        RecurrentOp: on.recurrent,
        GenericOp: on.generic,
    }


def _constant(value: SSAValue, *part: Hashable) -> tuple[Hashable, ...] | None:
    """The key of a part of a constant, the same for all operations that take it; None of what is computed."""
    return (value.owner.key.data, *part) if isinstance(value.owner, onnx.ConstantOp) else None


class _Offloaded:
    """Products of operations; a matrix that is constant is known by its operation and a number."""

    def __init__(self, matrices: DeviceMatrices) -> None:
        self._matrices = matrices

    def conv(self, op: Any, args: Sequence[Array], world: World) -> list[Array]:
        """Windows as rows of a matrix, times the filters; groups stand on the diagonal of one as far as they fit."""
        x, w, *bias = args
        fill = op.fill.value.data if isinstance(op, integer.ConvOp) else 0
        x = padded(x, 2, attr.values(op.pads), fill)
        made, group, kernel = dtype_of(op.result).numpy, op.group.value.data, w.shape[2:]
        strides, dilations = attr.values(op.strides), attr.values(op.dilations)
        reach = extents(kernel, dilations)
        sizes = [(size - far) // step + 1 for size, far, step in zip(x.shape[2:], reach, strides, strict=True)]
        windows = np.stack(list(taps(x, 2, kernel, strides, dilations, sizes)), axis=2)  # [N, C, position, ...]
        count, depth, each = len(x), w[0].size, len(w) // group
        columns = windows.reshape(count, group, depth, -1).transpose(1, 0, 3, 2).reshape(group, -1, depth)
        filters = w.reshape(group, each, depth)
        together = self._groups(filters)
        parts = list[Array]()
        for first in range(0, group, together):
            blocks = filters[first : first + together]
            matrix = np.zeros((len(blocks) * depth, len(blocks) * each), w.dtype)
            for place, block in enumerate(blocks):
                matrix[place * depth : (place + 1) * depth, place * each : (place + 1) * each] = block.T
            rows = columns[first : first + together].transpose(1, 0, 2).reshape(-1, len(matrix))
            key = _constant(op.operands[1], "filters", group, together, first)
            parts.append(self._product(rows, matrix, made, key))
        total = np.concatenate(parts, axis=1).reshape(count, -1, len(w)).transpose(0, 2, 1)
        return [biased(total.reshape(count, len(w), *sizes), bias)]

    def _groups(self, filters: Array) -> int:
        """How many groups of filters [group, filters, depth] one crossbar holds on its diagonal, 1 at least."""
        high, wide = self._matrices.tile(filters.dtype)
        return max(1, min(high // filters.shape[2], wide // filters.shape[1]))

    def conv_transpose(self, op: onnx.ConvTransposeOp, args: Sequence[Array], world: World) -> list[Array]:
        """All positions of the kernel at once, which are then put where they belong."""
        x, w, *bias = args
        group = op.group.value.data
        filters = w.reshape(group, len(w) // group, -1)
        pixels = x.reshape(len(x), group, len(w) // group, -1).transpose(1, 0, 3, 2)  # [group, N, pixel, channel]
        rows = pixels.reshape(group, -1, filters.shape[1])
        parts = [
            self._product(rows[at], filters[at], x.dtype, _constant(op.operands[1], "spread", at))
            for at in range(group)
        ]
        spread = np.stack(parts).reshape(group, len(x), -1, w.shape[1], int(np.prod(w.shape[2:])))
        return [conv_transposed(op, x.shape, w.shape, spread.transpose(4, 1, 0, 3, 2), bias)]

    def gemm(self, op: onnx.GemmOp, args: Sequence[Array], world: World) -> list[Array]:
        """One product."""
        x, w, *bias = args
        x = x.T if op.transA is not None and op.transA.value.data else x
        turned = bool(op.transB is not None and op.transB.value.data)
        w = w.T if turned else w
        total = self._both(op, x, w, x.dtype, turned) * x.dtype.type(factor(op.alpha))
        return [total + bias[0] * x.dtype.type(factor(op.beta)) if bias else total]

    def matmul(self, op: Operation, args: Sequence[Array], world: World) -> list[Array]:
        """One product, or one for each matrix of a batch."""
        x, w, *bias = args
        made = dtype_of(op.results[0]).numpy
        left, right = (x[None] if x.ndim == 1 else x), (w[:, None] if w.ndim == 1 else w)
        if right.ndim == 2:
            total = self._both(op, left.reshape(-1, left.shape[-1]), right, made)
            total = total.reshape(*left.shape[:-1], right.shape[1])
        else:
            total = self._batch(op, left, right, made)
        total = total[..., 0, :] if x.ndim == 1 else total
        total = total[..., 0] if w.ndim == 1 else total
        return [total + bias[0].reshape(-1) if bias else total]

    def _both(self, op: Operation, x: Array, w: Array, made: np.dtype[Any], turned: bool = False) -> Array:
        """A product of two matrices: the one that is constant stands in the crossbars."""
        first, second = (_constant(op.operands[place], place, turned) for place in (0, 1))
        if first is not None and second is None:
            return np.ascontiguousarray(self._product(w.T, np.ascontiguousarray(x.T), made, first).T)
        return self._product(x, w, made, second)

    def _batch(self, op: Operation, x: Array, w: Array, made: np.dtype[Any]) -> Array:
        ahead = np.broadcast_shapes(x.shape[:-2], w.shape[:-2])
        places = np.broadcast_to(np.arange(int(np.prod(w.shape[:-2]))).reshape(w.shape[:-2]), ahead)
        left = np.broadcast_to(x, (*ahead, *x.shape[-2:]))
        matrices = w.reshape(-1, *w.shape[-2:])
        total = np.zeros((*ahead, x.shape[-2], w.shape[-1]), made)
        for at in np.ndindex(*ahead):
            key = _constant(op.operands[1], "batch", int(places[at]))
            total[at] = self._product(left[at], matrices[places[at]], made, key)
        return total

    def recurrent(self, op: RecurrentOp, args: Sequence[Array], world: World) -> list[Array]:
        """Products with the states, by weights that stand in crossbars."""
        weights_of = {name.data: value for name, value in zip(op.roles, op.operands, strict=True)}["r"]

        def multiply(way: int, state: Array, weights: Array, low: int, high: int) -> Array:
            matrix = np.ascontiguousarray(weights[low:high].T)
            return self._product(state, matrix, state.dtype, _constant(weights_of, way, low, high))

        return recurrent.layers(op, args, multiply)

    def generic(self, op: GenericOp, args: Sequence[Array], world: World) -> list[Array]:
        """A nest that sums products is a batch of them."""

        def contract(views: Views, parallel: Sequence[bool], dtype: np.dtype[Any]) -> Array:
            return self._contracted(op, views, parallel, dtype)

        return nests.generic(op, args, world, contract)

    def _contracted(self, op: GenericOp, views: Views, parallel: Sequence[bool], dtype: np.dtype[Any]) -> Array:
        moving = [{dim for dim, step in enumerate(view.strides) if step and view.shape[dim] > 1} for view in views]
        kept = {dim for dim, each in enumerate(parallel) if each}
        one, other = moving
        groups = {
            "b": sorted(one & other & kept),
            "m": sorted((one - other) & kept),
            "n": sorted((other - one) & kept),
            "k": sorted((one & other) - kept),
        }
        summed = {dim for dim, size in enumerate(views[0].shape) if size > 1} - kept
        whole = summed == set(groups["k"]) and bool(summed) and bool(groups["m"] or groups["n"])
        if not whole or not self._matrices.takes(views[0].dtype, views[1].dtype):
            return nests.contracted(views, parallel, dtype)
        sizes = views[0].shape
        count = {name: int(np.prod([sizes[dim] for dim in dims], dtype=int)) for name, dims in groups.items()}

        def matrix(view: Array, names: str) -> Array:
            dims = [dim for name in names for dim in groups[name]]
            whole = view[tuple(slice(None) if dim in dims else 0 for dim in range(view.ndim))]
            present = sorted(dims)
            moved = whole.transpose([present.index(dim) for dim in dims])
            return np.ascontiguousarray(moved).reshape([count[name] for name in names])

        left, right = matrix(views[0], "bmk"), matrix(views[1], "bkn")
        total = np.stack(
            [
                self._product(a, b, dtype, _constant(op.operands[1], op, place))
                for place, (a, b) in enumerate(zip(left, right, strict=True))
            ]
        )
        dims = [dim for name in "bmn" for dim in groups[name]]
        total = total.reshape([sizes[dim] for dim in dims])
        total = total.transpose([dims.index(dim) for dim in sorted(dims)])
        return total.reshape([sizes[dim] if dim in one | other else 1 for dim in sorted(kept)])

    def _product(self, x: Array, w: Array, made: np.dtype[Any], key: Hashable) -> Array:
        """On the device, or here if its crossbars take no such elements, or there are none."""
        if 0 in (*x.shape, *w.shape):
            return np.zeros((len(x), w.shape[1]), made)
        return self._matrices.product(x, w, made, key)
