"""Marks what runs: packages are compiled with a mark on each function and branch, in memory that all processes share.

Branches are both ways of `if`, `while`, `for` and of conditional expressions, the cases of `match`, and handlers.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import marshal
from pathlib import Path
from typing import Any, NamedTuple

HOUSES = ("emu", "compiler", "launch")
_PAGE = 4096
_UNCHECKED = (1).to_bytes(4, "little")  # a compiled file that is taken whatever its source is by now
# A process that is killed, or forked, has marked what it ran: a byte of a shared mapping is set at once.
_MARKS = """
import ctypes, os
def _mapped(size):
    descriptor = os.open(os.path.join({store!r}, "marks"), os.O_RDWR)
    call = ctypes.CDLL(None).mmap
    call.restype = ctypes.c_void_p
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    at = call(None, size, 3, 1, descriptor, 0)
    os.close(descriptor)
    return memoryview((ctypes.c_ubyte * size).from_address(at)).cast("B")
marks = _mapped({size})
def passed(place):
    marks[place] = 1
"""
_HEAD = """
import sys as _power_sys
if "_power" not in _power_sys.modules:
    _power_sys.modules["_power"] = type(_power_sys)("_power")
    with open({code!r}) as _power_file:
        exec(_power_file.read(), _power_sys.modules["_power"].__dict__)
_power_marks, _power_passed = _power_sys.modules["_power"].marks, _power_sys.modules["_power"].passed
"""
_FIRST = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


class Place(NamedTuple):
    """A function or branch of a file, relative to the tree; `kind` is "function", or says which branch."""

    file: str
    first: int
    last: int
    kind: str


def mark(tree: Path, store: Path) -> list[Place]:
    """Compile the packages of `tree`, with marks in `store`; returns the places in the order of the marks."""
    places = list[Place]()
    code = store / "marks.py"
    for path in (path for house in HOUSES for path in sorted((tree / house).rglob("*.py"))):
        module = ast.parse(path.read_text())
        _Marking(str(path.relative_to(tree)), places).visit(module)
        begin = _behind(module)
        module.body[begin:begin] = _at(ast.parse(_HEAD.format(code=str(code))).body, _FIRST)
        compiled = compile(ast.fix_missing_locations(module), str(path), "exec", dont_inherit=True)
        out = Path(importlib.util.cache_from_source(str(path)))
        out.parent.mkdir(exist_ok=True)
        held = importlib.util.source_hash(path.read_bytes())
        out.write_bytes(importlib.util.MAGIC_NUMBER + _UNCHECKED + held + marshal.dumps(compiled))
    size = -(-len(places) // _PAGE) * _PAGE
    code.write_text(_MARKS.format(store=str(store), size=size))
    (store / "marks").write_bytes(bytes(size))
    (store / "places.json").write_text(json.dumps(places))
    return places


def _behind(module: ast.Module) -> int:
    """How many statements stand before what can be imported: words about the file, and what is of the future."""
    for count, one in enumerate(module.body):
        if not _is_text(one) and not (isinstance(one, ast.ImportFrom) and one.module == "__future__"):
            return count
    return len(module.body)


def _is_text(statement: ast.stmt) -> bool:
    """Whether it does nothing: a docstring, or dots."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _at(made: Any, node: Any) -> Any:
    """New nodes, which stand where another one does."""
    for one in made if isinstance(made, list) else [made]:
        for each in ast.walk(one):
            ast.copy_location(each, node)
    return made


class _Marking(ast.NodeTransformer):
    """Puts a mark before each block, and around each way of a conditional expression."""

    def __init__(self, file: str, places: list[Place]) -> None:
        self.file, self.places = file, places

    def place(self, kind: str, first: ast.AST, last: ast.AST) -> ast.Constant:
        self.places.append(Place(self.file, first.lineno, last.end_lineno, kind))
        return ast.Constant(len(self.places) - 1)

    def block(self, kind: str, body: list[Any], around: Any) -> list[Any]:
        """Statements, behind a mark."""
        first, last = (body[0], body[-1]) if body else (around, around)
        target = ast.Subscript(ast.Name("_power_marks", ast.Load()), self.place(kind, first, last), ast.Store())
        return [_at(ast.Assign([target], ast.Constant(1)), first), *map(self.visit, body)]

    def visit_FunctionDef(self, node: Any) -> Any:
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        self.generic_visit(node.args)
        begin = next((place for place, one in enumerate(node.body) if not _is_text(one)), len(node.body))
        if begin < len(node.body):
            node.body[begin:] = self.block("function", node.body[begin:], node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node: ast.If) -> Any:
        if not isinstance(node.test, ast.Name) or node.test.id != "TYPE_CHECKING":
            self._ways(node, "test", {"body": "if", "orelse": "else"})
        return node

    def visit_While(self, node: ast.While) -> Any:
        endless = isinstance(node.test, ast.Constant)
        return self._ways(node, "test", {"body": "while"} if endless else {"body": "while", "orelse": "end"})

    def visit_For(self, node: ast.For) -> Any:
        return self._ways(node, "iter", {"body": "for", "orelse": "end"})

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        return self._ways(node, None, {"body": "except"})

    def visit_Match(self, node: ast.Match) -> Any:
        node.subject = self.visit(node.subject)
        last = node.cases[-1]
        if last.guard or not isinstance(last.pattern, ast.MatchAs) or last.pattern.pattern is not None:
            node.cases.append(ast.match_case(_at(ast.MatchAs(), node), None, []))
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = self.block("case", case.body, node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test = self.visit(node.test)
        for name in ("body", "orelse"):
            way = getattr(node, name)
            passed = ast.Call(ast.Name("_power_passed", ast.Load()), [self.place("way", way, way)], [])
            setattr(node, name, ast.copy_location(ast.BoolOp(ast.Or(), [_at(passed, way), self.visit(way)]), way))
        return node

    def _ways(self, node: Any, asked: str | None, ways: dict[str, str]) -> Any:
        if asked:
            setattr(node, asked, self.visit(getattr(node, asked)))
        for name, kind in ways.items():
            setattr(node, name, self.block(kind, getattr(node, name), node))
        return node
