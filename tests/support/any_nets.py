"""Random networks of tensors of any type, rank and size: what moves data, and what is computed element by element."""

from math import prod

import numpy as np
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

TYPES = {  # -> what onnxruntime moves, and what computes besides
    TensorProto.FLOAT: "computes",
    TensorProto.INT8: "moves",
    TensorProto.UINT8: "moves",
    TensorProto.INT32: "moves",
    TensorProto.INT64: "moves",
    TensorProto.FLOAT16: "moves",
    TensorProto.BOOL: "moves",
}
MOST = 400  # elements of a tensor


class AnyNet:
    """Nodes and tensors so far; `shapes` knows those that a next node may take."""

    def __init__(self, draw: st.DrawFn, dtype: int, shape: tuple[int, ...]) -> None:
        self.draw, self.dtype = draw, dtype
        self.nodes, self.weights, self.inputs = [], [], {"x": shape}
        self.shapes = {"x": shape}

    def add(self, kind: str, operands: list[str], *shapes: tuple[int, ...], **attributes: object) -> None:
        made = [f"t{len(self.nodes)}_{index}" for index in range(len(shapes))]
        self.nodes.append(helper.make_node(kind, operands, made, **attributes))
        self.shapes.update(zip(made, shapes, strict=True))

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def any(self) -> tuple[str, tuple[int, ...]]:
        return self.draw(st.sampled_from(sorted(self.shapes.items())))

    def model(self) -> object:
        used = {name for node in self.nodes for name in node.input}
        ends = [name for name in self.shapes if name not in used] or ["x"]
        if ends == ["x"]:
            self.add("Identity", ["x"], self.shapes["x"])
            ends = list(self.shapes)[-1:]
        tensors = [
            [helper.make_tensor_value_info(name, self.dtype, shape) for name, shape in part]
            for part in (self.inputs.items(), [(name, self.shapes[name]) for name in ends])
        ]
        graph = helper.make_graph(self.nodes, "any", *tensors, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def transpose(net: AnyNet) -> None:
    name, shape = net.any()
    if not shape:
        return
    perm = net.draw(st.permutations(range(len(shape))))
    net.add("Transpose", [name], tuple(shape[axis] for axis in perm), perm=perm)


def reshape(net: AnyNet) -> None:
    name, shape = net.any()
    left, dims = prod(shape), list[int]()
    while left > 1:
        dims.append(net.draw(st.sampled_from([size for size in range(2, left + 1) if left % size == 0])))
        left //= dims[-1]
    dims = [*dims, *net.draw(st.lists(st.just(1), max_size=2))] if prod(shape) else list(shape[::-1])
    net.add("Reshape", [name, net.constant(np.array(dims, np.int64))], tuple(dims), allowzero=1)


def concat(net: AnyNet) -> None:
    name, shape = net.any()
    if not shape:
        return
    axis = net.draw(st.integers(0, len(shape) - 1))
    other = (*shape[:axis], net.draw(st.integers(0, 3)), *shape[axis + 1 :])
    extra = f"x{len(net.inputs)}"
    net.inputs[extra] = net.shapes[extra] = other
    made = (*shape[:axis], 2 * shape[axis] + other[axis], *shape[axis + 1 :])
    if prod(made) <= MOST:
        net.add("Concat", [name, extra, name], made, axis=axis)


def split(net: AnyNet) -> None:
    name, shape = net.any()
    if not shape:
        return
    axis = net.draw(st.integers(0, len(shape) - 1))
    at = sorted(net.draw(st.lists(st.integers(0, shape[axis]), min_size=1, max_size=2)))
    sizes = np.diff([0, *at, shape[axis]])
    parts = [(*shape[:axis], int(size), *shape[axis + 1 :]) for size in sizes]
    net.add("Split", [name, net.constant(sizes.astype(np.int64))], *parts, axis=axis)


def relu(net: AnyNet) -> None:
    name, shape = net.any()
    net.add(net.draw(st.sampled_from(["Relu", "Sigmoid"])), [name], shape)


def softmax(net: AnyNet) -> None:
    name, shape = net.any()
    if shape and prod(shape):
        net.add("Softmax", [name], shape, axis=net.draw(st.integers(0, len(shape) - 1)))


def arithmetic(net: AnyNet) -> None:
    """Two tensors of which either may be broadcast, or a tensor and a constant."""
    name, shape = net.any()
    other = tuple(net.draw(st.sampled_from((1, size))) for size in shape[net.draw(st.integers(0, len(shape))) :])
    if net.draw(st.booleans()):
        right = net.constant(np.random.default_rng(len(net.nodes)).standard_normal(other).astype(np.float32))
    else:
        right = f"x{len(net.inputs)}"
        net.inputs[right] = net.shapes[right] = other
    operands = [name, right] if net.draw(st.booleans()) else [right, name]
    net.add(net.draw(st.sampled_from(["Add", "Sub", "Mul"])), operands, shape)


MOVES = (transpose, reshape, concat, split)
COMPUTES = (relu, softmax, arithmetic)


@st.composite
def any_nets(draw: st.DrawFn) -> object:
    """A network of one to four nodes."""
    dtype = draw(st.sampled_from(sorted(TYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 4) | st.integers(2, 4), max_size=5)))
    net = AnyNet(draw, dtype, shape)
    steps = MOVES + COMPUTES if TYPES[dtype] == "computes" else MOVES
    for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=4)):
        step(net)
    return net.model()
