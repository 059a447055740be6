"""Expressions in NumPy over named tensors, evaluated by walking their syntax: nothing but the tables below can run."""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.isa.dtypes import DType
from emu.wording import nearest

MAX_ELEMENTS = 1 << 28  # of a result
MAX_INTEGER = 1 << 128
MAX_EXPONENT = 128
MAX_TEXT = 10_000

_NUMPY = (
    np.abs, np.all, np.allclose, np.any, np.argmax, np.argmin, np.argsort, np.array_equal, np.ceil, np.clip,
    np.concatenate, np.count_nonzero, np.cumsum, np.diff, np.exp, np.flip, np.floor, np.isclose, np.isfinite,
    np.isinf, np.isnan, np.log, np.log2, np.max, np.maximum, np.mean, np.median, np.min, np.minimum, np.nonzero,
    np.percentile, np.prod, np.ravel, np.reshape, np.round, np.sign, np.sort, np.sqrt, np.squeeze, np.stack,
    np.std, np.sum, np.swapaxes, np.tanh, np.transpose, np.unique, np.unravel_index, np.var, np.where,
)  # fmt: skip
_CASTS = {dtype.name: dtype.numpy for dtype in DType} | {"f64": np.dtype(np.float64)}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{function.__name__: function for function in _NUMPY},
    "abs": np.absolute,
    "norm": np.linalg.norm,
    **{name: lambda value, kind=kind: np.asarray(value).astype(kind) for name, kind in _CASTS.items()},
}
CONSTANTS: Mapping[str, Any] = {"nan": np.nan, "inf": np.inf, "pi": np.pi}
KEYWORDS = ("axis", "keepdims", "rtol", "atol", "equal_nan", "decimals")
ATTRIBUTES = ("shape", "size", "ndim", "dtype", "T")
METHODS = (
    "all",
    "any",
    "argmax",
    "argmin",
    "max",
    "mean",
    "min",
    "ravel",
    "reshape",
    "round",
    "std",
    "sum",
    "transpose",
)
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FAULTS = (ArithmeticError, IndexError, MemoryError, RecursionError, TypeError, ValueError)


def evaluate(text: str, lookups: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of an expression; `lookups` are further functions, such as tensor("conv1").

    Raises InputError for what is no expression, is not in the tables of this module, or cannot be computed.
    """
    tree = parse(text)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _Evaluator(lookups).value(tree)
    except _FAULTS as error:
        raise InputError(f"{text!r} cannot be computed: {_sentence(error)}") from None


def parse(text: str) -> ast.expr:
    """The syntax tree of an expression; raises InputError for what is none."""
    if len(text) > MAX_TEXT:
        raise InputError(f"an expression has at most {MAX_TEXT} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise InputError(f"{text!r} is no expression: {error.msg}") from None
    except _FAULTS as error:
        raise InputError(f"{text!r} cannot be computed: {_sentence(error)}") from None


def _sentence(error: Exception) -> str:
    return str(error).strip().rstrip(".") or {MemoryError: "out of memory"}.get(type(error), "it is nested too deeply")


class _Evaluator:
    """Walks a tree; a node without a method here is refused."""

    def __init__(self, lookups: Mapping[str, Callable[..., Any]]) -> None:
        self._lookups = lookups

    def value(self, node: ast.expr) -> Any:
        visit = getattr(self, f"_{type(node).__name__.lower()}", None)
        if visit is None:
            raise InputError(f"{ast.unparse(node)!r} is not allowed in an expression: see `help print`")
        return visit(node)

    def _constant(self, node: ast.Constant) -> Any:
        if node.value not in (None, ...) and not isinstance(node.value, int | float | str):
            raise InputError(f"{ast.unparse(node)!r} is not allowed in an expression: give numbers and names")
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if node.id in self._lookups or node.id in FUNCTIONS:
            raise InputError(f"{node.id} is a function: call it, as in {node.id}(...)")
        known = [*self._lookups, *FUNCTIONS, *CONSTANTS]
        raise InputError(f'{node.id!r} is unknown: tensors are written tensor("{node.id}"){nearest(node.id, known)}')

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = _number(self.value(node.left)), _number(self.value(node.right))
        if isinstance(node.op, ast.Pow) and isinstance(left, int) and isinstance(right, int) and right > MAX_EXPONENT:
            left = float(left)
        _bound(left, right, isinstance(node.op, ast.MatMult))
        return _small(_row(_BINARY, node.op, node)(left, right))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        return _row(_UNARY, node.op, node)(_number(self.value(node.operand)))

    def _compare(self, node: ast.Compare) -> Any:
        left, found = _number(self.value(node.left)), []
        for kind, other in zip(node.ops, node.comparators, strict=True):
            right = _number(self.value(other))
            _bound(left, right)
            found.append(_row(_COMPARE, kind, node)(left, right))
            left = right
        return found[0] if len(found) == 1 else np.logical_and.reduce(found)

    def _tuple(self, node: ast.Tuple | ast.List) -> Any:
        return tuple(self.value(member) for member in node.elts)

    _list = _tuple

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.value(node.value)
        if not isinstance(value, np.ndarray | tuple):
            raise InputError(f"{ast.unparse(node.value)!r} is no array: only arrays have elements")
        return value[self.value(node.slice)]

    def _slice(self, node: ast.Slice) -> slice:
        return slice(*(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)))

    def _attribute(self, node: ast.Attribute) -> Any:
        if node.attr not in ATTRIBUTES:
            known = ", ".join((*ATTRIBUTES, *METHODS))
            raise InputError(f"'.{node.attr}' is not allowed in an expression: arrays have {known}")
        return getattr(np.asarray(_number(self.value(node.value))), node.attr)

    def _call(self, node: ast.Call) -> Any:
        function = self._function(node.func)
        for keyword in node.keywords:
            if keyword.arg not in KEYWORDS:
                raise InputError(
                    f"keyword {keyword.arg or '**'!r} is not allowed in an expression: {', '.join(KEYWORDS)} are"
                )
        arguments = [self.value(argument) for argument in node.args]
        named = {str(keyword.arg): self.value(keyword.value) for keyword in node.keywords}
        return function(*arguments, **named)

    def _function(self, node: ast.expr) -> Callable[..., Any]:
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
                return self._known(node.attr, FUNCTIONS)
            if node.attr not in METHODS:
                raise InputError(f"'.{node.attr}()' is not allowed in an expression: arrays have {', '.join(METHODS)}")
            return getattr(np.asarray(_number(self.value(node.value))), node.attr)
        if isinstance(node, ast.Name):
            return self._known(node.id, {**FUNCTIONS, **self._lookups})
        raise InputError(f"{ast.unparse(node)!r} cannot be called")

    def _known(self, name: str, functions: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
        if name not in functions:
            raise InputError(f"there is no function {name!r} in expressions{nearest(name, functions)}")
        return functions[name]


def _row(table: Mapping[Any, Callable[..., Any]], kind: ast.AST, node: ast.expr) -> Callable[..., Any]:
    if type(kind) not in table:
        raise InputError(f"{ast.unparse(node)!r} is not allowed in an expression: see `help print`")
    return table[type(kind)]


def _number(value: Any) -> Any:
    """What can be computed with: numbers and arrays of them; lists of numbers become arrays."""
    if isinstance(value, tuple):
        value = np.asarray(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf":
        return value
    if isinstance(value, int | float):
        return value
    raise InputError(f"{value!r} is no number and no array of numbers")


def _bound(left: Any, right: Any, product: bool = False) -> None:
    """Raise InputError if the result of two operands would be too large to hold."""
    first, second = np.shape(left), np.shape(right)
    size = prod(first[:-1]) * prod(second[:-2] + second[-1:]) if product else prod(np.broadcast_shapes(first, second))
    if size > MAX_ELEMENTS:
        raise InputError(f"a result of {size} elements is too large: {MAX_ELEMENTS} are the most")


def _small(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise InputError("an integer of the expression is too large: write it as a float")
    return value
