"""Products of 8-bit integers in a form that onnxruntime computes exactly on every processor: of uint8 alone.

Its kernels for uint8 x int8 add pairs of products in 16 bits where a processor has no instruction that adds four in 32
(VPMADDUBSW instead of VPDPBUSD), and these sums saturate; it documents so, and that uint8 x uint8 does not (page
"Quantize ONNX models", section on types and processors). Kernels for int8 x int8 differ from processor to processor,
too. So int8 operands become uint8, 128 larger, and their zero points with them: (a + 128) - (z + 128) = a - z. A result
that is int8 like its operands is computed 128 larger and put back: where it saturates moves with it.
"""

# Imports nothing of this project: it is also loaded by path, in the process that computes golden values.
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .graphs import nodes, put

UINT8, INT8, INT32 = 2, 3, 6  # element types of ONNX
OFFSET = 128
STANDARD, MICROSOFT = ("", "ai.onnx"), "com.microsoft"


@dataclass(frozen=True, slots=True)
class MultipliedInputs:
    """Which inputs of an operator are multiplied, each with its zero point, and which is the zero point of the result.

    `result` is None if the result is never of 8 bits.
    """

    operands: tuple[tuple[int, int], ...]
    result: int | None = None


PRODUCTS: dict[str, MultipliedInputs] = {
    "ConvInteger": MultipliedInputs(((0, 2), (1, 3))),
    "MatMulInteger": MultipliedInputs(((0, 2), (1, 3))),
    "QLinearConv": MultipliedInputs(((0, 2), (3, 5)), 7),
    "QLinearMatMul": MultipliedInputs(((0, 2), (3, 5)), 7),
    # Of the domain com.microsoft.
    "DynamicQuantizeLSTM": MultipliedInputs(((1, 9), (2, 11))),
    "DynamicQuantizeMatMul": MultipliedInputs(((1, 3),)),
    "MatMulIntegerToFloat": MultipliedInputs(((0, 4), (1, 5))),
    "QAttention": MultipliedInputs(((0, 6), (1, 7))),
    "QGemm": MultipliedInputs(((0, 2), (3, 5)), 8),
}


class UnknownType(ValueError):
    """Nothing tells the element type of an operand."""


def product_of(node: Any) -> MultipliedInputs | None:
    """What `node` multiplies, if it is a product of 8-bit integers."""
    return PRODUCTS.get(node.op_type) if node.domain in (*STANDARD, MICROSOFT) else None


def unsigned_products(model: Any) -> tuple[Any, bool]:
    """The model (changed in place, or a copy) with products of uint8 alone, and whether any was another.

    All tensors of the graph keep their names, types and values. Raises UnknownType.
    """
    if not any(product_of(node) for node in nodes(model)):
        return model, False
    if model.functions:  # an operand's type may be the caller's
        import onnx.inliner

        model = onnx.inliner.inline_local_functions(model)
    changed = _rewrite(model.graph, _kinds(model), {}, set(_names(model)))
    return model, changed


def _kinds(model: Any) -> dict[str, int]:
    """The element types of tensors of the graph and its sub-graphs, as far as ONNX infers them."""
    import onnx

    return _types(onnx.shape_inference.infer_shapes(model).graph)


def _types(graph: Any) -> dict[str, int]:
    """Element types by name; a name has one meaning in a graph and all graphs in it, as ONNX wants it."""
    values = (*graph.input, *graph.value_info, *graph.output)
    found = {value.name: value.type.tensor_type.elem_type for value in values if value.type.HasField("tensor_type")}
    found |= {tensor.name: tensor.data_type for tensor in graph.initializer}
    for inner in _inner(graph):
        found = _types(inner) | found
    return found


def _inner(graph: Any) -> Iterable[Any]:
    """The graphs in the attributes of a graph's nodes."""
    for node in graph.node:
        for attribute in node.attribute:
            yield from ([attribute.g] if attribute.HasField("g") else [])
            yield from attribute.graphs


def _names(model: Any) -> Iterable[str]:
    return (name for node in nodes(model) for name in (*node.input, *node.output))


def _rewrite(graph: Any, kinds: Mapping[str, int], outer: Mapping[str, str], taken: set[str]) -> bool:
    """Let all products of a graph, and of the graphs in it, take uint8; `outer` are tensors that are shifted around."""
    work = _Rewriting(kinds, dict(outer), taken)
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else list(attribute.graphs):
                work.changed |= _rewrite(inner, kinds, work.shifted, taken)
        work.add(node)
    if work.changed:
        put(graph.node, work.made)
    return work.changed


@dataclass(slots=True)
class _Rewriting:
    """A graph in the making: its nodes, and what int8 tensors are called as uint8."""

    kinds: Mapping[str, int]
    shifted: dict[str, str]
    taken: set[str]
    made: list[Any] = field(default_factory=list)
    changed: bool = False

    def add(self, node: Any) -> None:
        """Add a node; a product with what it needs before and behind it."""
        product = product_of(node)
        if product is None:
            self.made.append(node)
            return
        signed = [pair for pair in product.operands if self._signed(node, *pair)]
        for value, zero in signed:
            node.input.extend([""] * (zero + 1 - len(node.input)))
            node.input[value] = self._as_uint8(node.input[value])
            node.input[zero] = self._as_uint8(node.input[zero])
        name, zero = node.output[0], product.result
        back = zero is not None and zero < len(node.input) and self._kind(node.input[zero], name) == INT8
        if back:
            node.input[zero] = self._as_uint8(node.input[zero])
            node.output[0] = self._name(f"{name}/uint8")
        self.made.append(node)
        if back:
            self._shift(node.output[0], name, -OFFSET, INT8)
        self.changed |= back or bool(signed)

    def _signed(self, node: Any, value: int, zero: int) -> bool:
        """Whether an operand is int8: the zero point has its type, too."""
        names = [node.input[place] for place in (value, zero) if place < len(node.input)]
        kind = self._kind(*names)
        if kind is None:
            raise UnknownType(
                f"the element type of {names[0]!r}, an operand of {node.op_type} node {node.name!r}, cannot be"
                " inferred, and onnxruntime is not exact on every processor where it is int8"
            )
        return kind == INT8

    def _kind(self, *names: str) -> int | None:
        """The element type that `names` share, if that of one is known."""
        return next((self.kinds[name] for name in names if self.kinds.get(name)), None)

    def _as_uint8(self, name: str) -> str:
        """The tensor that holds an int8 one plus 128, or 128 in place of a zero point that is left out."""
        from onnx import helper

        if name not in self.shifted:
            made = self._name(f"{name}/uint8")
            if name:
                self._shift(name, made, OFFSET, UINT8)
            else:
                self.made.append(
                    helper.make_node("Constant", [], [made], value=helper.make_tensor("", UINT8, [], [OFFSET]))
                )
            self.shifted[name] = made
        return self.shifted[name]

    def _shift(self, source: str, target: str, by: int, kind: int) -> None:
        """Add `by` to a tensor, in int32, which every operator set can add."""
        from onnx import helper

        wide, offset, total = (self._name(f"{target}/{part}") for part in ("wide", "offset", "sum"))
        constant = helper.make_tensor("", INT32, [], [by])
        self.made += [
            helper.make_node("Cast", [source], [wide], to=INT32),
            helper.make_node("Constant", [], [offset], value=constant),
            helper.make_node("Add", [wide, offset], [total]),
            helper.make_node("Cast", [total], [target], to=kind),
        ]

    def _name(self, wish: str) -> str:
        """A name that no tensor has."""
        while wish in self.taken:
            wish += "_"
        self.taken.add(wish)
        return wish
