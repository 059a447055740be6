"""The structures of torch's arguments and results (pytrees) as trees of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compiler.calling.tree import Branch, Tree, is_name
from emu.errors import CompileError

_SEQUENCES = {tuple: "tuple", list: "list"}


def tree_of(spec: Any, leaves: Iterator[Tree], name: str) -> Tree:
    """The tree of a TreeSpec around `leaves`; raises CompileError for a container that a file cannot describe."""
    if spec.is_leaf():
        return next(leaves)
    members = tuple(tree_of(child, leaves, name) for child in spec.children())
    kind, context = spec.type, spec.context
    if kind in _SEQUENCES:
        return Branch(_SEQUENCES[kind], members)
    if isinstance(kind, type) and issubclass(kind, dict) and isinstance(context, list):
        if not all(isinstance(key, str) for key in context):
            raise CompileError(f"{name} takes or returns a dictionary with keys that are no names: use strings")
        return Branch("dict", members, tuple(context))
    fields = getattr(context, "_fields", None)  # a named tuple: its class is the context
    if fields is not None and all(map(is_name, (context.__name__, *fields))):
        return Branch("named", members, tuple(fields), context.__name__)
    what = getattr(kind, "__name__", str(kind))
    raise CompileError(f"{name} takes or returns a {what}: use tuples, lists, dictionaries or named tuples of tensors")
