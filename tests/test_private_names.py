"""Tests use what is public: whatever is worth a test of its own has a name for all."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
HOUSES = ("emu", "compiler", "launch")
FILES = list(TESTS.rglob("*.py"))
NAMES = re.compile(r"\b_[A-Za-z]\w*")
OF_OTHERS = {"_asdict", "_fields", "_make", "_replace", "_exit"}  # of named tuples, and of os
OWN = ("self", "cls", "super()")  # before the dot: a class may use what it inherits


def defined(tree: ast.AST) -> Iterator[str]:
    """The private names of functions, classes, variables and attributes that are made here."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield name


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of what is taken from elsewhere: imported, behind a dot, or set, also by its name as a text."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.Attribute(value=value, attr=name) if ast.unparse(value) not in OWN:
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called in ("setattr", "getattr"):
                texts = (each.value for each in node.args[:2] if isinstance(each, ast.Constant))
                yield from ((node.lineno, text.rpartition(".")[2]) for text in texts if isinstance(text, str))


@functools.cache
def of_the_houses() -> frozenset[str]:
    """All private names that stand in the product."""
    texts = (file.read_text() for house in HOUSES for file in (ROOT / house).rglob("*.py"))
    return frozenset(name for text in texts for name in NAMES.findall(text)) - OF_OTHERS


def private_uses(text: str) -> list[str]:
    """Where the text of a test uses private names of the product."""
    if of_the_houses().isdisjoint(NAMES.findall(text)):  # most have none, and are not parsed
        return []
    tree = ast.parse(text)
    own = set(defined(tree))
    return [f"{line}: {name}" for line, name in used(tree) if name in of_the_houses() and name not in own]


def test_no_test_uses_a_private_name() -> None:
    found = {str(file.relative_to(ROOT)): private_uses(file.read_text()) for file in FILES}
    assert not {file: uses for file, uses in found.items() if uses}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("from emu.core.batch.engine import _nobody_has_it", 0),  # nobody has such a name
        ("from emu.core.engines.core import _state", 1),
        ("core._state.top = 1", 1),
        ("monkeypatch.setattr(core, '_state', None)", 1),
        ("monkeypatch.setattr('emu.core._state', None)", 1),
        ("class A:\n def f(self): return self._state", 0),
        ("class A:\n def f(self): self._state = 1\nA()._state", 0),
        ("core.state", 0),
    ],
)
def test_uses_are_noticed(text: str, count: int) -> None:
    assert len(private_uses(text)) == count
