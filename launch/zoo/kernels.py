"""Small kernels that compilers for compute-in-memory are measured with: products, contractions, convolutions.

The kernels of OCC (Siemieniuk et al. 2021, table 2) with one factor constant, which is what a crossbar holds, in
float32. Where it multiplies two results, so do these; batched and grouped products, which it cannot map, stand beside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper, shape_inference

from emu.errors import InputError
from emu.wording import nearest

OPSET, IR_VERSION = 17, 8
SIDE = 256  # of the matrices
HIDDEN, STEPS = 64, 16  # of the lstm
RESIDUAL, SKIP, DILATION = 32, 64, 4  # of the wavenet layer


class KernelBuilder:
    """Inputs, constants and nodes of a kernel; its last node makes its output."""

    def __init__(self, name: str, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._graph = helper.make_graph([], name, [], [])

    def input(self, name: str, *shape: int) -> str:
        """A further input."""
        self._graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, name: str, shape: Sequence[int], fan_in: int) -> str:
        """Weights that keep products with them of order one."""
        array = self._random.standard_normal(shape, np.float32) / np.float32(math.sqrt(fan_in))
        self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def integers(self, name: str, *values: int) -> str:
        """A constant list."""
        self._graph.initializer.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, kind: str, name: str, inputs: Sequence[str], outputs: int = 1, **attributes: Any) -> str:
        """Append a node; returns its output, or the first of several, which are called NAME_out0, NAME_out1, ..."""
        made = [f"{name}_out"] if outputs == 1 else [f"{name}_out{index}" for index in range(outputs)]
        self._graph.node.append(helper.make_node(kind, inputs, made, name, **attributes))
        return made[0]

    def finish(self, *outputs: str) -> ModelProto:
        """The model; ONNX infers the shapes of its outputs."""
        self._graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(self._graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="emu zoo")
        inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        del inferred.graph.value_info[:]
        return inferred


Kernel = Callable[[KernelBuilder], ModelProto]


def _products(count: int) -> Kernel:
    """A matrix times `count` constant ones, one after the other."""

    def build(net: KernelBuilder) -> ModelProto:
        x = net.input("a", SIDE, SIDE)
        for index in range(count):
            x = net.node("MatMul", f"mm{index}", [x, net.constant(f"w{index}", (SIDE, SIDE), SIDE)])
        return net.finish(x)

    return build


def _of_results(net: KernelBuilder) -> ModelProto:
    """A B, both computed."""
    return net.finish(net.node("MatMul", "mm0", [net.input("a", SIDE, SIDE), net.input("b", SIDE, SIDE)]))


def _3mm(net: KernelBuilder) -> ModelProto:
    """(A W0) (B W1): two products with constants, one of their results."""
    sides = [
        net.node("MatMul", f"mm{index}", [net.input(name, SIDE, SIDE), net.constant(f"w{index}", (SIDE, SIDE), SIDE)])
        for index, name in enumerate("ab")
    ]
    return net.finish(net.node("MatMul", "mm2", sides))


def _tmm(net: KernelBuilder) -> ModelProto:
    """A times a constant, transposed."""
    inputs = [net.input("a", SIDE, SIDE), net.constant("w", (SIDE, SIDE), SIDE)]
    return net.finish(net.node("Gemm", "tmm", inputs, transB=1))


def _mv(net: KernelBuilder) -> ModelProto:
    """A vector times a constant matrix."""
    return net.finish(net.node("MatMul", "mv", [net.input("a", 1, SIDE), net.constant("w", (SIDE, SIDE), SIDE)]))


def _mlp3(net: KernelBuilder) -> ModelProto:
    """Three linear layers of 256 vectors, Relus between them."""
    x = net.input("a", SIDE, SIDE)
    for index in range(3):
        weights = [net.constant(f"w{index}", (SIDE, SIDE), SIDE // 2), net.constant(f"b{index}", (SIDE,), 100)]
        x = net.node("Gemm", f"fc{index}", [x, *weights])
        x = net.node("Relu", f"relu{index}", [x]) if index < 2 else x
    return net.finish(x)


def _contraction(equation: str, size: int) -> Kernel:
    """An Einsum of an input and a constant, all indices of that size."""
    left, right = equation.partition("->")[0].split(",")
    summed = set(left) & set(right)

    def build(net: KernelBuilder) -> ModelProto:
        x = net.input("a", *(size,) * len(left))
        weight = net.constant("w", (size,) * len(right), size ** len(summed))
        return net.finish(net.node("Einsum", "contraction", [x, weight], equation=equation))

    return build


def _kronecker3(net: KernelBuilder) -> ModelProto:
    """[8,32,32,32] times one matrix along each of three dimensions: the Kronecker product of them, never formed."""
    x = net.input("a", 8, 32, 32, 32)
    for index, equation in enumerate(("mabc,dc->mabd", "mabc,db->madc", "mabc,da->mdbc")):
        x = net.node("Einsum", f"factor{index}", [x, net.constant(f"w{index}", (32, 32), 32)], equation=equation)
    return net.finish(x)


def _convolution(rank: int, size: int, channels: int = 3, filters: int = 3, group: int = 1) -> Kernel:
    """A convolution with a kernel of 3 along each of `rank` dimensions."""

    def build(net: KernelBuilder) -> ModelProto:
        depth = channels // group
        inputs = [net.input("x", 1, channels, *(size,) * rank)]
        inputs.append(net.constant("w", (filters, depth, *(3,) * rank), depth * 3**rank))
        return net.finish(net.node("Conv", "conv", inputs, group=group, kernel_shape=[3] * rank, pads=[1] * 2 * rank))

    return build


def _lstm(net: KernelBuilder) -> ModelProto:
    """One LSTM of 64 over 16 steps."""
    x, rows = net.input("x", STEPS, 1, HIDDEN), 4 * HIDDEN
    inputs = [x, *(net.constant(name, (1, rows, HIDDEN), HIDDEN) for name in "WR")]
    return net.finish(net.node("LSTM", "lstm", [*inputs, net.constant("B", (1, 2 * rows), 100)], hidden_size=HIDDEN))


def _wavenet(net: KernelBuilder) -> ModelProto:
    """One layer: value and gate from one dilated convolution, residual and skip from one pointwise convolution."""
    x = net.input("x", 1, RESIDUAL, SIDE)
    padded = net.node("Pad", "pad", [x, net.integers("pads", 0, 0, DILATION, 0, 0, 0)])
    weight = net.constant("dilated_w", (2 * RESIDUAL, RESIDUAL, 2), 2 * RESIDUAL)
    both = net.node("Conv", "dilated", [padded, weight], kernel_shape=[2], dilations=[DILATION])
    net.node("Split", "halves", [both, net.integers("halves_sizes", RESIDUAL, RESIDUAL)], 2, axis=1)
    sides = [net.node("Tanh", "tanh", ["halves_out0"]), net.node("Sigmoid", "sigmoid", ["halves_out1"])]
    gated = net.node("Mul", "gated", sides)
    weight = net.constant("out_w", (RESIDUAL + SKIP, RESIDUAL, 1), RESIDUAL // 4)
    net.node("Conv", "pointwise", [gated, weight], kernel_shape=[1])
    net.node("Split", "parts", ["pointwise_out", net.integers("parts_sizes", RESIDUAL, SKIP)], 2, axis=1)
    return net.finish(net.node("Add", "residual", ["parts_out0", x]), "parts_out1")


def _batched(net: KernelBuilder) -> ModelProto:
    """Eight matrices, each times a constant one of its own."""
    return net.finish(net.node("MatMul", "bmm", [net.input("a", 8, 64, 64), net.constant("w", (8, 64, 64), 64)]))


BUILDERS: Mapping[str, Kernel] = {
    "mm": _products(1),
    "mm-of-results": _of_results,
    "2mm": _products(2),
    "3mm": _3mm,
    "tmm": _tmm,
    "mv": _mv,
    "mlp3": _mlp3,
    "ab-acd-dbc": _contraction("acd,dbc->ab", 64),
    "abc-acd-db": _contraction("acd,db->abc", 64),
    "abcd-aebf-dfce": _contraction("aebf,dfce->abcd", 16),
    "kronecker3": _kronecker3,
    "conv1d": _convolution(1, 256),
    "conv2d": _convolution(2, 256),
    "conv3d": _convolution(3, 32),
    "lstm": _lstm,
    "wavenet": _wavenet,
    "batched-matmul": _batched,
    "grouped-conv": _convolution(2, 32, 16, 32, 4),
}


def build_kernel(name: str, seed: int = 0) -> ModelProto:
    """The kernel `name` with constants drawn from `seed`; raises InputError for a name that is not in the table."""
    if name not in BUILDERS:
        raise InputError(
            f"there is no kernel '{name}': choose one of {', '.join(BUILDERS)}{nearest(name, tuple(BUILDERS))}"
        )
    return BUILDERS[name](KernelBuilder(name, seed))
