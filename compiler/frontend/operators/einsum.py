"""Imports Einsum: products with a constant become matrix products, which crossbars do; all others are contractions."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import MatMulOp, ReshapeOp, TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.contraction import contract
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from emu.isa.dtypes import NUMBERS, DType

_ELLIPSIS = "..."


@dataclass(frozen=True, slots=True)
class _Equation:
    """The labels of the dimensions of each operand and of the result; those of an ellipsis are digits."""

    terms: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]


def einsum(node: Node, scope: Scope) -> SSAValue:
    """Sums of products over the labels of `equation`, from left to right."""
    names = list(node.inputs)
    equation = _parsed(node, [len(scope.shape(name)) for name in names])
    values: list[SSAValue] = [scope.value(node, place) for place in range(len(names))]
    types = {dtype_of(value) for value in values}
    if len(types) > 1 or not types <= NUMBERS:
        node.refuse("multiplies operands of several element types, or of bool: convert the model")
    labels = list(equation.terms)
    constants: list[Array | None] = [scope.constants.get(name) for name in names]
    while len(values) > 2:
        needed = {label for term in (*labels[2:], equation.result) for label in term}
        between = tuple(dict.fromkeys(label for term in labels[:2] for label in term if label in needed))
        made = _pair(node, scope, values[:2], labels[:2], constants[:2], between, f"product{len(values)}")
        values, labels, constants = [made, *values[2:]], [between, *labels[2:]], [None, *constants[2:]]
    if len(values) == 1:
        return contract(node, scope, values, labels, equation.result)
    return _pair(node, scope, values, labels, constants, equation.result, "")


def _parsed(node: Node, ranks: Sequence[int]) -> _Equation:
    """The equation of a node whose operands have these ranks; without `->` the result has what occurs once."""
    text = node.text("equation", "").replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks) or not set(text) <= set(string.ascii_letters + ".,->"):
        node.refuse(f"has the equation '{text}' for {len(ranks)} operands: write one term of letters for each")
    most = max(
        (rank - len(term) + len(_ELLIPSIS) for term, rank in zip(terms, ranks, strict=True) if _ELLIPSIS in term),
        default=0,
    )
    digits = [str(place) for place in range(max(0, most))]
    split = [_labels(node, term, rank, digits) for term, rank in zip(terms, ranks, strict=True)]
    if arrow:
        result = _labels(node, right, None, digits)
    else:
        letters = [label for term in split for label in term if not label.isdigit()]
        result = (*digits, *sorted(label for label in set(letters) if letters.count(label) == 1))
    if len(set(result)) != len(result) or not set(result) <= {label for term in split for label in term}:
        node.refuse(f"has the equation '{text}', whose result has a label twice, or one that no operand has")
    return _Equation(tuple(split), result)


def _labels(node: Node, term: str, rank: int | None, digits: Sequence[str]) -> tuple[str, ...]:
    """The labels of a term for an operand of `rank` (None: the result); an ellipsis stands for the last digits."""
    before, dots, after = term.partition(_ELLIPSIS)
    letters = len(before) + len(after)
    hidden = (len(digits) if rank is None else rank - letters) if dots else 0
    if "." in before + after or hidden < 0 or (rank is not None and letters + hidden != rank):
        node.refuse(f"has the term '{term}' for an operand of {rank} dimensions")
    return (*before, *digits[len(digits) - hidden :], *after)


def _pair(
    node: Node,
    scope: Scope,
    values: Sequence[SSAValue],
    labels: Sequence[tuple[str, ...]],
    constants: Sequence[Array | None],
    result: tuple[str, ...],
    part: str,
) -> SSAValue:
    """The product of two operands: on crossbars if one of them is constant."""
    fixed = [place for place in (0, 1) if constants[place] is not None]
    simple = all(len(set(term)) == len(term) for term in labels)
    same = all(a == b for a, b in _shared(values, labels))
    if len(fixed) == 1 and simple and same and dtype_of(values[0]) == DType.f32:
        (place,) = fixed
        array = constants[place]
        assert array is not None
        return _matrix_product(
            node, scope, (values[1 - place], labels[1 - place]), (array, labels[place]), result, part
        )
    return contract(node, scope, values, labels, result, part)


def _shared(values: Sequence[SSAValue], labels: Sequence[tuple[str, ...]]) -> list[tuple[int, int]]:
    """The sizes of dimensions that both operands have."""
    left, right = (dict(zip(names, shape_of(value), strict=True)) for value, names in zip(values, labels, strict=True))
    return [(left[label], right[label]) for label in left.keys() & right.keys()]


def _matrix_product(
    node: Node,
    scope: Scope,
    left: tuple[SSAValue, tuple[str, ...]],
    right: tuple[Array, tuple[str, ...]],
    result: tuple[str, ...],
    part: str,
) -> SSAValue:
    """Operand `left`, transposed to [stack, rows, inner], times the constant `right` as [stack, inner, columns]."""
    (x, x_labels), (array, w_labels) = left, right
    array, w_labels = _summed(array, w_labels, {*x_labels, *result})
    if any(label not in w_labels and label not in result for label in x_labels):
        kept = tuple(label for label in x_labels if label in w_labels or label in result)
        x, x_labels = contract(node, scope, [x], [x_labels], kept, f"{part or 'result'}/sum"), kept
    sizes = {**dict(zip(x_labels, shape_of(x), strict=True)), **dict(zip(w_labels, array.shape, strict=True))}
    stack = [label for label in x_labels if label in w_labels and label in result]
    inner = [label for label in x_labels if label in w_labels and label not in result]
    rows = [label for label in x_labels if label not in w_labels]
    columns = [label for label in w_labels if label not in x_labels]

    def shape(*groups: Sequence[str]) -> tuple[int, ...]:
        return tuple(prod(sizes[label] for label in group) for group in groups)

    stacks = [stack] if stack else []
    w_order = [w_labels.index(label) for label in (*stack, *inner, *columns)]
    turned = array.transpose(w_order)
    matrix = np.ascontiguousarray(turned).reshape(shape(*stacks, inner, columns))
    weights = scope.weights(f"{node.name}/{part or 'matrix'}", matrix, turned)
    named = part or "result"
    x = _turned(node, scope, x, [x_labels.index(label) for label in (*stack, *rows, *inner)], f"{named}/turned")
    flat = scope.emit(ReshapeOp, node, [x], shape(*stacks, rows, inner), part=f"{named}/rows")
    product = scope.emit(MatMulOp, node, [flat, weights], shape(*stacks, rows, columns), part=f"{named}/product")
    order = [*stack, *rows, *columns]
    full = scope.emit(ReshapeOp, node, [product], [sizes[label] for label in order], part=f"{named}/split")
    perm = [order.index(label) for label in result]
    return scope.emit(TransposeOp, node, [full], [sizes[label] for label in result], {"perm": perm}, part)


def _summed(array: Array, labels: tuple[str, ...], needed: set[str]) -> tuple[Array, tuple[str, ...]]:
    """A constant without the dimensions that nothing else has: summed."""
    alone = tuple(place for place, label in enumerate(labels) if label not in needed)
    kept = tuple(label for label in labels if label in needed)
    return (array.sum(axis=alone, dtype=array.dtype) if alone else array), kept


def _turned(node: Node, scope: Scope, x: SSAValue, perm: Sequence[int], part: str) -> SSAValue:
    if list(perm) == sorted(perm):
        return x
    shape = shape_of(x)
    return scope.emit(TransposeOp, node, [x], [shape[axis] for axis in perm], {"perm": perm}, part)


OPERATORS = {"Einsum": einsum}
