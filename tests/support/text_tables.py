"""The tables of docs/text.md: the operations that are understood, from the tables that read them."""

from __future__ import annotations

from collections.abc import Iterable

from compiler.dialects.linalg.dialects import LINALG_OPS
from compiler.dialects.linalg.named import FunctionOp
from compiler.dialects.linalg.named_table import ROWS
from compiler.frontend.text.program import READ
from compiler.frontend.text.scalars import FUNCTIONS
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

_AROUND = {"func.func", "func.return", "linalg.yield", "scf.yield", "tensor.yield", "linalg.index"}


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def text_operations() -> str:
    """One row per dialect."""
    found = {op.name for op in (*READ, *FUNCTIONS, *LINALG_OPS)} | _AROUND | {"affine.apply", "affine.min"}
    named = {f"linalg.{row.name}" for row in ROWS}
    functions = {op.name for op in LINALG_OPS if issubclass(op, FunctionOp)}
    rows = list[list[str]]()
    for dialect in sorted({name.partition(".")[0] for name in found}):
        own = {name.partition(".")[2] for name in found - named - functions if name.startswith(f"{dialect}.")}
        rows.append([f"`{dialect}`", _names(own)])
    rows.append(["functions of elements in `linalg`", _names(name.partition(".")[2] for name in functions)])
    return markdown_table(Table("", ("dialect", "operations"), rows, "ll"))


def named_operations() -> str:
    """One row per named operation with dimensions of its own."""
    rows = [[f"`{row.name}`", f"`{row.spec}`", row.body.replace("_", ", ")] for row in ROWS]
    return markdown_table(Table("", ("operation", "dimensions", "body"), rows, "lll"))
