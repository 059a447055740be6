"""What a node does for one sample: multiplications of its products as ONNX defines them, bytes of what it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from onnx import NodeProto

from compiler.frontend.nodes.node import Node
from emu.image.manifest import Work

Shape = tuple[int, ...]
Macs = Callable[[Node, list[Shape], Shape], int]  # of a node, the shapes of its inputs, and that of its first output
_GATES: Mapping[str, int] = {"LSTM": 4, "GRU": 3, "RNN": 1}


def work_of(proto: NodeProto, shape: Callable[[str], Shape | None], nbytes: Callable[[str], int]) -> Work:
    """The work of a node; `shape` is that of a value (None: unknown), `nbytes` its bytes (0: unknown)."""
    shapes = [shape(name) if name else () for name in proto.input]
    made = shape(proto.output[0]) if proto.output else None
    count = MACS.get(proto.op_type)
    known = [known for known in shapes if known is not None]
    macs = 0
    if count is not None and made is not None and len(known) == len(shapes):
        macs = count(Node.of(proto, proto.name, ""), known, made)
    return Work(1, macs, sum(nbytes(name) for name in proto.output if name))


def _convolution(weights: int) -> Macs:
    """Each output element takes one multiplication per weight of its filter; `weights` is the input that has them."""
    return lambda node, shapes, made: prod(made) * prod(shapes[weights][1:])


def _transposed(node: Node, shapes: list[Shape], made: Shape) -> int:
    return prod(shapes[0]) * prod(shapes[1][1:])


def _matmul(node: Node, shapes: list[Shape], made: Shape) -> int:
    return prod(made) * (shapes[0][-1] if shapes[0] else 1)


def _gemm(node: Node, shapes: list[Shape], made: Shape) -> int:
    return prod(made) * shapes[0][0 if node.integer("transA", 0) else 1]


def _recurrent(node: Node, shapes: list[Shape], made: Shape) -> int:
    steps, lanes, features = shapes[0]
    directions, hidden = shapes[2][0], shapes[2][-1]
    return steps * lanes * directions * _GATES[node.kind] * hidden * (features + hidden)


def _einsum(node: Node, shapes: list[Shape], made: Shape) -> int:
    terms = node.text("equation", "").replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=False):
        if "." in term:
            return 0
        sizes.update(zip(term, shape, strict=False))
    return prod(sizes.values()) if len(terms) > 1 else 0


def _attention(node: Node, shapes: list[Shape], made: Shape) -> int:
    """Queries times keys, and what comes of that times values."""
    query, key = shapes[0], shapes[1]
    return prod(query) * key[-2] + prod(made) * key[-2]


def _linear(node: Node, shapes: list[Shape], made: Shape) -> int:
    """Of ONNX-ML: each sample times all coefficients."""
    return made[0] * len(node.attributes.get("coefficients", ()))


MACS: Mapping[str, Macs] = {
    "Attention": _attention,
    "Conv": _convolution(1),
    "ConvInteger": _convolution(1),
    "ConvTranspose": _transposed,
    "DeformConv": _convolution(1),
    "Einsum": _einsum,
    "GRU": _recurrent,
    "Gemm": _gemm,
    "LSTM": _recurrent,
    "LinearClassifier": _linear,
    "LinearRegressor": _linear,
    "MatMul": _matmul,
    "MatMulInteger": _matmul,
    "QLinearConv": _convolution(3),
    "QLinearMatMul": _matmul,
    "RNN": _recurrent,
}


def together(parts: list[Work]) -> Work:
    """The sum."""
    return Work(sum(w.operators for w in parts), sum(w.macs for w in parts), sum(w.bytes for w in parts))
