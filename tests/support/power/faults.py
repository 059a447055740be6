"""Small faults for a source text: what a programmer might have got wrong, one at a time."""

from __future__ import annotations

import ast
import contextlib
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

_COMPARED = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
_RECKONED = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr},
}
_FEW = 3  # entries of a table, from which on one may be forgotten
# What is for readers, or for the checker of types, and what is for people who read messages.
_FIELDS = {"annotation", "returns", "decorator_list"}
_WORDED = {"help", "doc", "message", "text"}
_TELLING = {"print", "echo", "secho", "tell", "warn", "notice", "log", "debug", "info", "warning", "TypeVar", "cast"}
_SHOWING = {"__repr__", "__str__"}

Found = tuple[str, ast.AST, "ast.AST | str", ast.AST]  # kind, what goes, what comes in its place, where the line is


@dataclass(frozen=True)
class Fault:
    """One fault of a text: bytes `begin` to `end` become `new`. `function` is empty for a module's own lines."""

    kind: str
    function: str
    line: int
    begin: int
    end: int
    new: str


def faults_of(text: str) -> list[Fault]:
    """All faults for a text, by line."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for function, (kind, old, new, at) in _walk(ast.parse(text), ()):
        begin = starts[old.lineno - 1] + old.col_offset
        end = starts[old.end_lineno - 1] + old.end_col_offset
        written = new if isinstance(new, str) else ast.unparse(new)
        found.append(
            Fault(kind, function, at.lineno, begin, end, f"({written})" if isinstance(old, ast.expr) else written)
        )
    return sorted(found, key=lambda fault: (fault.line, fault.begin, fault.new))


@contextlib.contextmanager
def seeded(path: Path, fault: Fault) -> Iterator[None]:
    """A file has a fault meanwhile; what is compiled of it is out of the way."""
    held, cache = path.read_bytes(), Path(cache_from_source(str(path)))
    aside = cache.with_suffix(".aside")
    with contextlib.suppress(FileNotFoundError):
        cache.rename(aside)
    path.write_bytes(held[: fault.begin] + fault.new.encode() + held[fault.end :])
    try:
        yield
    finally:
        path.write_bytes(held)
        cache.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            aside.rename(cache)


def _walk(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[str, Found]]:
    if _is_left_alone(node):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = (*names, node.name)
    for found in _RULES.get(type(node), lambda _, __: ())(node, bool(names)):
        yield ".".join(names), found
    if isinstance(node, ast.Raise):  # the rest of it is a message
        return
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in _FIELDS:
                yield from _walk(child, names)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.Assert():
            return True
        case ast.FunctionDef(name=name):
            return name in _SHOWING
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=name):
            return name in _WORDED
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _TELLING
        case ast.Expr(value=value):
            return isinstance(value, ast.Constant) or _is_left_alone(value)
    return False


def _but(node: Any, **fields: object) -> Any:
    """A copy with other fields."""
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _without(values: list[Any], place: int) -> list[Any]:
    return values[:place] + values[place + 1 :]


# rules: what may be wrong with a node; `inside` of a function or class ----------------------------------------------


def _dropped(node: Any, inside: bool) -> Iterator[Found]:
    match node:
        case ast.Assign(targets=targets) if not any(isinstance(one, ast.Attribute | ast.Subscript) for one in targets):
            return
        case ast.Expr(value=value) if not isinstance(value, ast.Call):
            return
    yield "dropped", node, "pass", node
    if isinstance(node, ast.AugAssign) and type(node.op) in _RECKONED:
        yield "arithmetic", node, _but(node, op=_RECKONED[type(node.op)]()), node


def _compared(node: Any, inside: bool) -> Iterator[Found]:
    for place, op in enumerate(node.ops):
        ops = [*node.ops[:place], _COMPARED[type(op)](), *node.ops[place + 1 :]]
        yield "comparison", node, _but(node, ops=ops), node


def _reckoned(node: Any, inside: bool) -> Iterator[Found]:
    worded = (
        ast.unparse(one)[:1] in "'\"f" and isinstance(one, ast.Constant | ast.JoinedStr)
        for one in (node.left, node.right)
    )
    if type(node.op) in _RECKONED and not any(worded) and (inside or not isinstance(node.op, ast.BitOr)):
        yield "arithmetic", node, _but(node, op=_RECKONED[type(node.op)]()), node


def _joined(node: Any, inside: bool) -> Iterator[Found]:
    yield "boolean", node, _but(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or()), node
    for place in range(len(node.values)):
        rest = _without(node.values, place)
        yield "clause dropped", node, rest[0] if len(rest) == 1 else _but(node, values=rest), node


def _chosen(node: Any, inside: bool) -> Iterator[Found]:
    if not isinstance(node.test, ast.Compare | ast.UnaryOp):
        yield "negated", node.test, ast.UnaryOp(ast.Not(), node.test), node.test


def _negated(node: Any, inside: bool) -> Iterator[Found]:
    if isinstance(node.op, ast.Not):
        yield "negated", node, node.operand, node


def _constant(node: Any, inside: bool) -> Iterator[Found]:
    value = node.value
    if isinstance(value, bool):
        others: list[object] = [not value]
    elif isinstance(value, int):
        others = [value + 1, value - 1] if value else [1]
    else:
        others = [value * 2 or 1.0] if isinstance(value, float) else []
    for other in others:
        yield "constant", node, ast.Constant(other), node


def _returned(node: Any, inside: bool) -> Iterator[Found]:
    if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
        return
    truth = isinstance(node.value, ast.Compare | ast.BoolOp)
    yield "returned", node, f"return not ({ast.unparse(node.value)})" if truth else "return None", node


def _table(node: Any, inside: bool) -> Iterator[Found]:
    entries = node.keys if isinstance(node, ast.Dict) else node.elts
    plain = isinstance(node, ast.Dict | ast.Set) or (not inside and isinstance(node.ctx, ast.Load))
    if len(entries) < _FEW or None in entries or not plain:
        return
    for place, entry in enumerate(entries):
        lists = ("keys", "values") if isinstance(node, ast.Dict) else ("elts",)
        yield "entry dropped", node, _but(node, **{name: _without(getattr(node, name), place) for name in lists}), entry


_RULES: dict[type[ast.AST], Callable[[Any, bool], Any]] = {
    **dict.fromkeys((ast.Raise, ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Break, ast.Continue), _dropped),
    **dict.fromkeys((ast.Dict, ast.Set, ast.List, ast.Tuple), _table),
    **dict.fromkeys((ast.If, ast.IfExp), _chosen),
    ast.Compare: _compared,
    ast.BinOp: _reckoned,
    ast.BoolOp: _joined,
    ast.UnaryOp: _negated,
    ast.Constant: _constant,
    ast.Return: _returned,
}
