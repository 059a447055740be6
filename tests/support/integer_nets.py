"""Random small networks of integers, whose golden values onnxruntime computes exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from exact_sessions import exact_session
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper


@dataclass
class IntegerNet:
    """Nodes and arrays of a network in the making; `shape` is that of its last value, `name` its name."""

    rng: np.random.Generator
    shape: tuple[int, ...]
    name: str = "x"
    nodes: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.first = self.shape

    def array(self, array: np.ndarray) -> str:
        name = f"a{len(self.arrays)}"
        self.arrays.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, shape: tuple[int, ...] | None = None, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"{kind}_{name}", **attributes))
        self.name, self.shape = name, shape or self.shape
        return name

    def weights(self, *shape: int) -> str:
        return self.array(self.rng.integers(-128, 128, shape).astype(np.int8))

    def small(self, scale: int) -> None:
        """Sums as int8 again: divided, clipped, cast."""
        self.node("Div", self.name, self.array(np.array(scale, np.int32)))
        bounds = [self.array(np.array(bound, np.int32)) for bound in (-128, 127)]
        self.node("Clip", self.name, *bounds)
        self.node("Cast", self.name, to=TensorProto.INT8)

    def model(self, dtype: int = TensorProto.INT32) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "integers",
            [helper.make_tensor_value_info("x", TensorProto.INT8, self.first)],
            [helper.make_tensor_value_info(self.name, dtype, self.shape)],
            self.arrays,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def golden(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What onnxruntime says."""
    session = exact_session(model)  # its optimiser cannot fuse a Clip of integers
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def _places(size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int]) -> int:
    return (size + sum(pads) - (kernel - 1) * dilation - 1) // stride + 1


@st.composite
def integer_nets(draw: Any) -> onnx.ModelProto:
    """Convolutions and products of int8 with sums of int32 between, additions, poolings, concatenations."""
    sizes = st.integers(1, 6)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    net = IntegerNet(rng, (1, draw(st.integers(1, 5)), draw(sizes), draw(sizes)))
    layers = draw(st.integers(1, 3))
    for layer in range(layers):
        _convolve(draw, net)
        if draw(st.booleans()):
            net.node("Relu", net.name)
        if layer < layers - 1:
            _shrink(draw, net)
    if draw(st.booleans()):
        _shrink(draw, net)
        net.node("Flatten", net.name, shape=(1, int(np.prod(net.shape))))
        width = draw(st.integers(1, 9))
        net.node("MatMulInteger", net.name, net.weights(net.shape[1], width), shape=(1, width))
    return net.model()


def _convolve(draw: Any, net: IntegerNet) -> None:
    _, channels, *image = net.shape
    filters, zero = draw(st.integers(1, 7)), draw(st.sampled_from([None, 3, -128]))
    kernel, stride, dilation, pads = ([], [], [], [])
    for size in image:
        pad = draw(st.integers(0, 2)), draw(st.integers(0, 2))
        kernel.append(draw(st.integers(1, min(3, size + sum(pad)))))
        dilation.append(2 if 2 * (kernel[-1] - 1) + 1 <= size + sum(pad) and draw(st.booleans()) else 1)
        stride.append(draw(st.integers(1, 2)))
        pads.append(pad)
    axes = zip(image, kernel, stride, dilation, pads, strict=True)
    shape = (1, filters, *(_places(*axis) for axis in axes))
    settings = {"strides": stride, "dilations": dilation, "pads": [pad[side] for side in (0, 1) for pad in pads]}
    source, made = net.name, list[str]()
    for _ in range(draw(st.integers(1, 2))):
        inputs = [source, net.weights(filters, channels, *kernel)]
        inputs += [net.array(np.array(zero, np.int8))] if zero is not None else []
        made.append(net.node("ConvInteger", *inputs, shape=shape, kernel_shape=kernel, **settings))
    if len(made) > 1:
        net.node("Add", *made)


def _shrink(draw: Any, net: IntegerNet) -> None:
    net.small(draw(st.sampled_from([1, 7, 300])))
    if draw(st.booleans()):
        _, channels, height, width = net.shape
        kernel = min(2, height), min(2, width)
        shape = (1, channels, height - kernel[0] + 1, width - kernel[1] + 1)
        net.node("MaxPool", net.name, shape=shape, kernel_shape=kernel)
    if draw(st.booleans()):
        _, channels, *image = net.shape
        net.node("Concat", net.name, net.name, shape=(1, 2 * channels, *image), axis=1)
