"""Finds the sentences of errors in the sources: what is raised or refused, f-strings as patterns with `{...}`."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sources import ROOT, trees

from launch.cli.options import as_option

_PASSED_ON = frozenset({"ValueError", "RuntimeError"})  # whose text becomes part of a sentence
_BUILTIN = frozenset(name for name, kind in vars(builtins).items() if isinstance(kind, type)) - _PASSED_ON
_SPEAKERS = frozenset({"refuse", "_refuse", "refuse_section", "fail", "Finding"})
_REASONS = re.compile(r"fault|refusal|why_not|reason|^__str__$")  # functions that return what an error will say
_TABLES = re.compile(r"WHY|_TEXTS$|_VERBS$")  # of sentences
_ERROR = re.compile(r"(Error|Exception)$")
_SPEAKING = (ast.Raise, ast.Call, ast.Assign, ast.AnnAssign, ast.Return, ast.Yield)
_LEAST = 3  # words, or two beside a value, that make a sentence
_WORD = re.compile(r"[A-Za-z]{2,}")
_HOLE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, order=True)
class Sentence:
    """What an error says (`{...}` where a value stands), and the module that says it."""

    module: str
    text: str

    def matches(self, said: str) -> bool:
        """Whether `said` has these words in it, with anything in the places of values."""
        place = 0
        for part in _HOLE.split(self.text):
            place = said.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return True


@cache
def sentences() -> list[Sentence]:
    """All sentences of the sources, sorted, each once per module."""
    kinds = frozenset(name for tree in trees().values() for name in error_classes(tree))
    found = set[Sentence]()
    for file, tree in trees().items():
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found |= {Sentence(module, text) for text in of_module(tree, kinds)}
    return sorted(found)


def error_classes(tree: ast.Module) -> Iterator[str]:
    """The errors that a module defines, by the names of what they derive from."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(_ERROR.search(ast.unparse(base)) for base in node.bases):
            yield node.name


def of_module(tree: ast.Module, kinds: frozenset[str]) -> Iterator[str]:
    """The sentences of a module; calls of `kinds` make errors, whether they are raised at once or not."""
    kinds |= _SPEAKERS
    for node, function in _placed(tree):
        for value in _spoken(node, function, kinds):
            for text in _texts(value, function):
                plain = " ".join(text.split())
                if len(_WORD.findall(_HOLE.sub("", plain))) >= _LEAST - ("{" in plain):
                    yield plain


def _placed(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node that may make the text of an error, with the function that it stands in, or the module."""
    waiting: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, _SPEAKING):
            yield node, function
        inner = node if isinstance(node, ast.FunctionDef) else function
        for value in vars(node).values():
            if isinstance(value, list):
                waiting += [(child, inner) for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:  # but for signs, as of an addition
                waiting.append((value, inner))


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, or of a module, that stand in no function inside of it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)


def _spoken(node: ast.AST, function: ast.AST, kinds: frozenset[str]) -> Iterable[ast.expr]:
    """The expressions that a node makes the text of an error."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and _name(node.exc.func) not in _BUILTIN:
        return _arguments(node.exc)
    if isinstance(node, ast.Call) and (_name(node.func) in kinds or _is_super(node.func)):
        return _arguments(node)
    if (
        isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Dict)
        and _TABLES.search(_names(node))
    ):
        return node.value.values
    if isinstance(node, ast.Return | ast.Yield) and node.value and _REASONS.search(getattr(function, "name", "")):
        return [node.value]
    return []


def _is_super(callee: ast.expr) -> bool:
    """Whether this is `super().__init__`."""
    return _name(callee) == "__init__" and isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Call)


def _names(node: ast.Assign | ast.AnnAssign) -> str:
    return " ".join(map(_name, node.targets if isinstance(node, ast.Assign) else [node.target]))


def _arguments(call: ast.Call) -> Sequence[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _name(callee: ast.expr) -> str:
    return callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""


def _texts(value: ast.expr, function: ast.AST) -> list[str]:
    """What an expression may be as a text; none if nothing of it is known."""
    if isinstance(value, ast.Constant):
        return [value.value] if isinstance(value.value, str) else []
    if isinstance(value, ast.JoinedStr):
        return ["".join(_part(part) for part in value.values)]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return [
            a + b for a in _texts(value.left, function) or ["{...}"] for b in _texts(value.right, function) or ["{...}"]
        ]
    if isinstance(value, ast.IfExp):
        return [*_texts(value.body, function), *_texts(value.orelse, function)]
    if isinstance(value, ast.Lambda):
        return _texts(value.body, function)
    if isinstance(value, ast.Name):
        assigned = [node for node in _own(function) if isinstance(node, ast.Assign)]
        given = [node.value for node in assigned if any(_name(target) == value.id for target in node.targets)]
        return [text for one in given if not isinstance(one, ast.Name) for text in _texts(one, function)]
    return []


def _part(part: ast.expr) -> str:
    """A piece of an f-string: its text, an option as one writes it, or the name of the value."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    value = part.value
    if isinstance(value, ast.Call) and _name(value.func) == "option" and isinstance(value.args[0], ast.Constant):
        rest = " {value}" if len(value.args) > 1 else ""
        return f"{as_option(str(value.args[0].value))}{rest}"
    if isinstance(value, ast.Name | ast.Attribute):
        return f"{{{_name(value)}}}"
    return "{...}"
