"""What the crossbars of a node must hold and compute: its weights and its inputs as the ONNX file has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from launch.bisect.network import OnnxNetwork


class TensorLayout(Protocol):
    """How tensors stand in the memories of cores."""

    def places(self, name: str) -> np.ndarray | None:
        """The elements of a tensor, in logical order, in the order of memory, tile after tile; None if unknown."""
        ...

    def cuts(self, name: str) -> list[tuple[int, int]]:
        """The ranges of channels of the tiles of a tensor, ascending; none if it is not cut."""
        ...


@dataclass(frozen=True, eq=False)
class ConstantProduct:
    """A product with constants: `features` [positions, K] times `matrix` [K, outputs], in the order of the chip.

    `elements` [K, outputs] are the numbers, counted in C order, of the matrix in the tensor `weights`. `constant`
    [outputs] is what integers get on top (zero points and bias); None where floats follow anyhow.
    """

    node: str
    weights: str
    features: np.ndarray
    matrix: np.ndarray
    elements: np.ndarray
    constant: np.ndarray | None = None

    def reordered(self, rows: np.ndarray) -> ConstantProduct:
        """The same with these rows of the matrix, and their features, in this order."""
        return replace(self, features=self.features[:, rows], matrix=self.matrix[rows], elements=self.elements[rows])


def make_product(
    network: OnnxNetwork, tensor: str, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    """The product that makes `tensor`, from golden inputs of one sample; None if the node is none that is known here.

    `layout` tells how the tensors stand in memory.
    """
    node = network.makers.get(tensor)
    reader = READERS.get(node.op_type) if node is not None else None
    try:
        return reader(network, node, golden, layout) if reader is not None else None
    except (KeyError, ValueError, IndexError):  # a form of the operator that is not known here
        return None


Reader = Callable[[OnnxNetwork, Any, Mapping[str, np.ndarray], TensorLayout], ConstantProduct | None]


def _attributes(node: Any) -> dict[str, Any]:
    from onnx import helper

    return {each.name: helper.get_attribute_value(each) for each in node.attribute}


def _windows(x: np.ndarray, weights: np.ndarray, attributes: Mapping[str, Any], padding: float) -> np.ndarray:
    """Features [positions, kernel * channels] of a convolution of x [1, C, *space]."""
    space = x.shape[2:]
    kernel = weights.shape[2:]
    strides = attributes.get("strides", [1] * len(space))
    dilations = attributes.get("dilations", [1] * len(space))
    pads = list(attributes.get("pads", [0] * (2 * len(space))))
    automatic = attributes.get("auto_pad", b"NOTSET")
    if automatic in (b"SAME_UPPER", b"SAME_LOWER"):
        for k, (size, width, stride, gap) in enumerate(zip(space, kernel, strides, dilations, strict=True)):
            total = max(0, (-(-size // stride) - 1) * stride + (width - 1) * gap + 1 - size)
            small, large = total // 2, total - total // 2
            pads[k], pads[k + len(space)] = (small, large) if automatic == b"SAME_UPPER" else (large, small)
    widths = [(0, 0), (0, 0), *zip(pads[: len(space)], pads[len(space) :], strict=True)]
    padded = np.pad(x, widths, constant_values=padding)
    axes = tuple(range(2, x.ndim))
    reach = [(width - 1) * gap + 1 for width, gap in zip(kernel, dilations, strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(padded, reach, axes)  # [1, C, *places, *reach]
    pick = (
        slice(None),
        slice(None),
        *(slice(None, None, s) for s in strides),
        *(slice(None, None, d) for d in dilations),
    )
    views = views[pick][0]
    count = len(space)
    turned = np.moveaxis(views, 0, -1)  # [*places, *kernel, C]
    return turned.reshape(int(np.prod(turned.shape[:count])), -1)


def _kernel(weights: np.ndarray) -> np.ndarray:
    """Weights [outputs, C, *kernel] as a matrix [kernel * C, outputs]."""
    turned = np.moveaxis(weights, (0, 1), (-1, -2))
    return turned.reshape(-1, weights.shape[0])


def _turned(weights: np.ndarray) -> np.ndarray:
    """Weights [outputs, K] as a matrix."""
    return weights.T


def _as_it_is(weights: np.ndarray) -> np.ndarray:
    """Weights [K, outputs], which are a matrix."""
    return weights


Turn = Callable[[np.ndarray], np.ndarray]


def _product(
    node: str, weights: str, features: np.ndarray, values: np.ndarray, turn: Turn, constant: np.ndarray | None = None
) -> ConstantProduct:
    """The product with the matrix that `turn` makes of the `values` of the tensor `weights`."""
    numbers = np.arange(values.size).reshape(values.shape)
    return ConstantProduct(node, weights, features, turn(values), turn(numbers), constant)


def _conv(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w = golden[node.input[0]], network.constant(node.input[1])
    attributes = _attributes(node)
    if w is None or attributes.get("group", 1) != 1 or x.shape[0] != 1:
        return None
    product = _product(node.name, node.input[1], _windows(x, w, attributes, 0), w, _kernel)
    return _by_tiles(product, x.shape[1], layout.cuts(node.input[0]))


def _matmul(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w = golden[node.input[0]], network.constant(node.input[1])
    return None if w is None or w.ndim != 2 else _rows(node, 1, x, w, _as_it_is, layout)


def _gemm(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, attributes = golden[node.input[0]], network.constant(node.input[1]), _attributes(node)
    if w is None or attributes.get("transA", 0):
        return None
    return _rows(node, 1, x, w, _turned if attributes.get("transB", 0) else _as_it_is, layout)


def _rows(
    node: Any,
    weights: int,
    x: np.ndarray,
    w: np.ndarray,
    turn: Turn,
    layout: TensorLayout,
    constant: np.ndarray | None = None,
) -> ConstantProduct:
    """A product of rows with the input number `weights`; if a row is all of a tensor in another order, in that one."""
    product = _product(node.name, node.input[weights], x.reshape(-1, turn(w).shape[0]), w, turn, constant)
    places = layout.places(node.input[0])
    if places is not None and len(product.features) == 1 and len(places) == len(product.matrix):
        return product.reordered(places)
    return product


def _integers(w: np.ndarray, x_zero: Any, bias: np.ndarray | None) -> np.ndarray:
    """What the sums of integers get on top, [outputs], of a matrix [K, outputs]."""
    constant = -np.int64(x_zero) * w.astype(np.int64).sum(axis=0)
    return constant if bias is None else constant + bias.astype(np.int64)


def _linear_parts(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], inputs: tuple[int, int, int, int, int]
) -> tuple[np.ndarray, np.ndarray, Any, np.ndarray | None]:
    """x, w, the zero point of x and the bias of an operator on integers; raises ValueError unless that of w is 0."""
    x_at, x_zero_at, w_at, w_zero_at, bias_at = inputs

    def given(place: int) -> np.ndarray | None:
        name = node.input[place] if 0 <= place < len(node.input) else ""
        return network.constant(name) if name else None

    w, zero = given(w_at), given(w_zero_at)
    if w is None or (zero is not None and np.any(zero)):
        raise ValueError
    x_zero = given(x_zero_at)
    return golden[node.input[x_at]], w, 0 if x_zero is None else x_zero.reshape(-1)[0], given(bias_at)


def _qlinear_conv(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, zero, bias = _linear_parts(network, node, golden, (0, 2, 3, 5, 8))
    return _integer_conv(node, 3, x, w, zero, bias, layout)


def _conv_integer(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, zero, _ = _linear_parts(network, node, golden, (0, 2, 1, 3, -1))
    return _integer_conv(node, 1, x, w, zero, None, layout)


def _integer_conv(
    node: Any, weights: int, x: np.ndarray, w: np.ndarray, zero: Any, bias: np.ndarray | None, layout: TensorLayout
) -> ConstantProduct | None:
    attributes = _attributes(node)
    if attributes.get("group", 1) != 1 or x.shape[0] != 1:
        return None
    constant = _integers(_kernel(w), zero, bias)
    product = _product(node.name, node.input[weights], _windows(x, w, attributes, zero), w, _kernel, constant)
    return _by_tiles(product, x.shape[1], layout.cuts(node.input[0]))


def _by_tiles(product: ConstantProduct, channels: int, cuts: Sequence[tuple[int, int]]) -> ConstantProduct:
    """A convolution whose rows follow each other tile by tile of the input's channels."""
    if len(cuts) < 2:
        return product
    places = np.arange(len(product.matrix)).reshape(-1, channels)
    return product.reordered(np.concatenate([places[:, low:high].reshape(-1) for low, high in cuts]))


def _qlinear_matmul(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, zero, _ = _linear_parts(network, node, golden, (0, 2, 3, 5, -1))
    return _rows(node, 3, x, w, _as_it_is, layout, _integers(w, zero, None))


def _matmul_integer(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, zero, _ = _linear_parts(network, node, golden, (0, 2, 1, 3, -1))
    return _rows(node, 1, x, w, _as_it_is, layout, _integers(w, zero, None))


def _qgemm(
    network: OnnxNetwork, node: Any, golden: Mapping[str, np.ndarray], layout: TensorLayout
) -> ConstantProduct | None:
    x, w, zero, bias = _linear_parts(network, node, golden, (0, 2, 3, 5, 6))
    turn = _turned if _attributes(node).get("transB", 0) else _as_it_is
    return _rows(node, 3, x, w, turn, layout, _integers(turn(w), zero, bias))


READERS: dict[str, Reader] = {
    "Conv": _conv,
    "MatMul": _matmul,
    "Gemm": _gemm,
    "QLinearConv": _qlinear_conv,
    "ConvInteger": _conv_integer,
    "QLinearMatMul": _qlinear_matmul,
    "MatMulInteger": _matmul_integer,
    "QGemm": _qgemm,
}
