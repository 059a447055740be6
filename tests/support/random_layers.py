"""How to draw layers: convolutions, products, pools, normalisations, recurrences: operator -> what adds one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from random_graphs import Graph

Row = Callable[["Graph", str], None]
FLOAT = ("float32",)


def matmul(g: Graph, kind: str) -> None:
    """Ranks 1 to 4 on either side; one side constant, or none."""
    a = g.pick(FLOAT, 1, 4)
    shape = g.array(a).shape
    inner, lead = shape[-1], [g.choice(1, dim) for dim in shape[:-2]]
    columns = [] if g.integer(0, 3) == 0 else [g.integer(1, 9)]
    right = (*(lead[g.integer(0, len(lead)) :] if columns else []), inner, *columns)
    b = g.fresh("float32", right)
    if g.integer(0, 3) == 0:  # the constant or the input on the left
        left = (*lead[g.integer(0, len(lead)) :], g.integer(1, 6), shape[-2] if len(shape) > 1 else inner)
        g.add(kind, [g.fresh("float32", left), a], exact=False)
    else:
        g.add(kind, [a, b], exact=False)


def gemm(g: Graph, kind: str) -> None:
    """Both transposes, scales, a bias of any shape that broadcasts."""
    a = g.pick(FLOAT, 2, 2)
    flags = {name: g.choice(0, 1) for name in ("transA", "transB")}
    rows, inner = g.array(a).shape[:: -1 if flags["transA"] else 1]
    columns = g.integer(1, 9)
    b = g.fresh("float32", (columns, inner) if flags["transB"] else (inner, columns))
    biases = [(), (columns,), (1, columns), (rows, 1), (rows, columns), (1, 1)]
    c = [g.fresh("float32", g.choice(*biases))] if g.choice(True, False) else []
    g.add(kind, [a, b, *c], exact=False, alpha=g.choice(1.0, 0.5), beta=g.choice(1.0, 2.0), **flags)


def _window(g: Graph, rank: int, kernel: list[int]) -> dict[str, object]:
    """Strides, dilations and pads."""
    window: dict[str, object] = {"kernel_shape": kernel}
    if g.choice(True, False):
        window["strides"] = [g.integer(1, 3) for _ in kernel]
    if g.integer(0, 2) == 0:
        window["dilations"] = [g.integer(1, 2) for _ in kernel]
    way = g.integer(0, 3)
    if way == 0:
        window["auto_pad"] = g.choice("SAME_UPPER", "SAME_LOWER", "VALID")
    elif way == 1:
        window["pads"] = [g.integer(0, size // 2) for size in 2 * kernel]
    return window


def _image(g: Graph, channels: int = 0) -> str:
    """[N, C, 1 to 3 dimensions]; an earlier tensor, or a new one."""
    if not channels and g.integer(0, 2):
        x = g.pick(FLOAT, 3, 5)
        if g.array(x).size:
            return x
    rank = g.integer(1, 3)
    spatial = [g.integer(2, (7, 5, 4)[rank - 1]) for _ in range(rank)]
    return g.fresh("float32", (g.choice(1, 1, 2), channels or g.integer(1, 6), *spatial), constant=False)


def convolution(g: Graph, kind: str) -> None:
    """In 1 to 3 dimensions, grouped or not."""
    group = g.choice(1, 1, 2, 3)
    x = _image(g, 0 if group == 1 else group * g.integer(1, 2))
    channels, *spatial = g.array(x).shape[1:]
    kernel = [g.integer(1, min(3, size)) for size in spatial]
    filters = g.integer(1, 9) if group == 1 else group * g.integer(1, 3)
    shape = (filters, channels // group, *kernel) if kind == "Conv" else (channels, filters // group, *kernel)
    bias = [g.fresh("float32", (filters,), constant=True)] if g.choice(True, False) else []
    extra: dict[str, object] = {}
    if kind == "ConvTranspose" and g.integer(0, 3) == 0:
        extra = {"strides": [2] * len(kernel), "output_padding": [1] * len(kernel), "kernel_shape": kernel}
    window = extra or _window(g, len(kernel), kernel)
    g.add(kind, [x, g.fresh("float32", shape, constant=True), *bias], exact=False, group=group, **window)


def pool(g: Graph, kind: str) -> None:
    """Maximum or mean over windows; of exact numbers, where the maximum is, too."""
    x = _image(g)
    kernel = [g.integer(1, min(3, size)) for size in g.array(x).shape[2:]]
    flags = {"ceil_mode": g.choice(0, 1)}
    if kind == "AveragePool":
        flags["count_include_pad"] = g.choice(0, 1)
    window = _window(g, len(kernel), kernel)
    if "auto_pad" in window:
        flags.pop("ceil_mode")
        window.pop("dilations", None)
    outputs = g.choice(1, 2) if kind == "MaxPool" and g.values[x].exact else 1
    if outputs == 2:
        flags["storage_order"] = g.choice(0, 1)
    g.add(kind, [x], outputs, exact=kind == "MaxPool", **flags, **window)


def whole_image(g: Graph, kind: str) -> None:
    """Maximum or mean of each channel."""
    g.add(kind, [_image(g)], exact=kind == "GlobalMaxPool")


def along(g: Graph, kind: str) -> None:
    """Softmax and its kin, along one axis."""
    a = g.pick(FLOAT, 1)
    g.add(kind, [a], exact=False, axis=g.axis(a))


def hard(g: Graph, kind: str) -> None:
    """1 where the largest number is, of exact ones."""
    a = g.pick(FLOAT, 1, exact=True)
    g.add(kind, [a], axis=g.axis(a))


def batch_norm(g: Graph, kind: str) -> None:
    """Constant statistics."""
    x = g.pick(FLOAT, 2)
    size = g.array(x).shape[1]
    rest = [g.fresh("float32", (size,), constant=True) for _ in range(3)]
    g.add(kind, [x, *rest, g.constant(g.random.uniform(0.5, 2, size).astype(np.float32))], exact=False)


def instance_norm(g: Graph, kind: str) -> None:
    """Of each sample and channel, or of groups of channels."""
    x = _image(g)
    size = g.array(x).shape[1]
    groups = {"num_groups": g.choice(*(n for n in range(1, size + 1) if size % n == 0))} if kind[0] == "G" else {}
    rest = [g.fresh("float32", (size,), constant=True) for _ in range(2)]
    g.add(kind, [x, *rest], exact=False, epsilon=0.01, **groups)


def layer_norm(g: Graph, kind: str) -> None:
    """Over the last axes, with or without shift."""
    x = g.pick(FLOAT, 1)
    axis = g.axis(x)
    shape = g.array(x).shape[axis:]
    rest = [g.fresh("float32", shape) for _ in range(1 if kind[0] == "R" or g.choice(True, False) else 2)]
    g.add(kind, [x, *rest], exact=False, axis=axis, epsilon=0.01)


def lrn(g: Graph, kind: str) -> None:
    """Across channels."""
    g.add(kind, [g.pick(FLOAT, 4, 4)], exact=False, size=g.choice(1, 3, 5), alpha=0.1, beta=0.75, bias=1.0)


def einsum(g: Graph, kind: str) -> None:
    """Contractions of two tensors, and of one with itself."""
    equation = str(g.choice("ab,bc->ac", "abc,dc->abd", "acd,dbc->ab", "ab->ba", "abc->b", "ab,ab->a", "abc,abd->acd"))
    sizes: dict[str, int] = {}
    terms = equation.partition("->")[0].split(",")
    for letter in "".join(terms):
        sizes.setdefault(letter, g.integer(1, 5))
    shapes = [[sizes[letter] for letter in term] for term in terms]
    operands = [g.fresh("float32", shapes[0], constant=False), *(g.fresh("float32", shape) for shape in shapes[1:])]
    g.add(kind, operands, exact=False, equation=equation)


GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def recurrent(g: Graph, kind: str) -> None:
    """A few steps, in any direction; with states to begin with, or not."""
    steps, batch, width, hidden = (g.integer(1, size) for size in (5, 2, 4, 4))
    direction = str(g.choice("forward", "reverse", "bidirectional"))
    ways, rows = 1 + (direction == "bidirectional"), GATES[kind] * hidden
    x = g.fresh("float32", (steps, batch, width), constant=False)
    weights = [g.fresh("float32", (ways, rows, size), constant=True) for size in (width, hidden)]
    bias = g.fresh("float32", (ways, 2 * rows), constant=True) if g.choice(True, False) else ""
    states = [""] + [g.fresh("float32", (ways, batch, hidden)) for _ in range(1 + (kind == "LSTM"))]
    extra = {"linear_before_reset": g.choice(0, 1)} if kind == "GRU" else {}
    operands = [x, *weights, bias, *(states if g.choice(True, False) else [])]
    outputs = 2 + (kind == "LSTM")
    g.add(kind, operands, outputs, exact=False, hidden_size=hidden, direction=direction, **extra)


def quantize(g: Graph, kind: str) -> None:
    """By a scale that makes no ties of float32 numbers."""
    x = g.pick(FLOAT, 0, 4, exact=True)
    dtype = str(g.choice("int8", "uint8"))
    zero = g.constant(g.integer(0, 5), dtype)
    g.add(kind, [x, g.constant(0.0371, "float32"), zero])


def dequantize(g: Graph, kind: str) -> None:
    """Bytes to float32."""
    x = g.pick(("int8", "uint8"))
    zero = g.constant(g.integer(0, 5), str(g.array(x).dtype))
    g.add(kind, [x, g.constant(0.0371, "float32"), zero])


def integer_product(g: Graph, kind: str) -> None:
    """Bytes times constant bytes, exactly, with zero points or not."""
    dtype = str(g.choice("int8", "uint8"))
    a = g.pick((dtype,), 2, 4)
    b = g.fresh(str(g.choice("int8", "uint8")), (g.array(a).shape[-1], g.integer(1, 5)), constant=True)
    zeros = [g.constant(g.integer(0, 5), str(g.array(name).dtype)) for name in (a, b)] if g.choice(True, False) else []
    g.add(kind, [a, b, *zeros])


def resize(g: Graph, kind: str) -> None:
    """By scales of the last two dimensions, in the common modes."""
    x = g.fresh("float32", (1, g.integer(1, 3), g.integer(2, 5), g.integer(2, 5)), constant=False)
    mode = str(g.choice("nearest", "linear", "cubic"))
    way = str(g.choice("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))
    # Where the size is rounded, ONNX's reference aligns the corners of what it was before, onnxruntime of what it is.
    factors = (1, 2) if way == "align_corners" else (1, 2, 0.5, 1.5, 0.6)
    scales = g.constant([1, 1, g.choice(*factors), g.choice(*factors)], "float32")
    g.add(kind, [x, "", scales], exact=False, mode=mode, coordinate_transformation_mode=way)


LAYERS: Mapping[str, Row] = {
    "MatMul": matmul,
    "Gemm": gemm,
    **dict.fromkeys(("Conv", "ConvTranspose"), convolution),
    **dict.fromkeys(("MaxPool", "AveragePool"), pool),
    **dict.fromkeys(("GlobalMaxPool", "GlobalAveragePool"), whole_image),
    **dict.fromkeys(("Softmax", "LogSoftmax"), along),
    "Hardmax": hard,
    "BatchNormalization": batch_norm,
    **dict.fromkeys(("InstanceNormalization", "GroupNormalization"), instance_norm),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), layer_norm),
    "LRN": lrn,
    "Einsum": einsum,
    **dict.fromkeys(("LSTM", "GRU", "RNN"), recurrent),
    "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize,
    "MatMulInteger": integer_product,
    "Resize": resize,
}
