"""The sources of the three houses and their syntax trees, which all tests of a process read once."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOUSES = ("emu", "compiler", "launch")


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of each module, by file.

    A million nodes are made, and none of them becomes garbage: looking for it takes thrice as long as parsing.
    """
    files = [file for house in HOUSES for file in sorted((ROOT / house).rglob("*.py"))]
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return {file: ast.parse(file.read_text("utf-8")) for file in files}
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


@cache
def imports() -> dict[Path, list[ast.Import | ast.ImportFrom]]:
    """What each module imports, wherever it does, by file."""
    return {
        file: [node for node in statements(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        for file, tree in trees().items()
    }


def statements(tree: ast.Module) -> list[ast.stmt]:
    """All statements of a module, also those inside of others."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, ())
            if isinstance(inner, list):  # of a lambda or a conditional expression it is one expression
                waiting += inner
        if isinstance(node, ast.stmt):
            found.append(node)
    return found
