"""The reference pages of the levels, made of the definitions of their operations and attributes.

Examples are operations of texts that a test reads: those beside this file, and the network on the page of `pim`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import IRDLOperation, OptOperandDef, OptPropertyDef, PropertyDef, RangeOf, VarOperandDef, VarResultDef
from xdsl.printer import Printer

from compiler.dialects.indexed import IndexedDialect
from compiler.dialects.integer import IntegerDialect
from compiler.dialects.meanings import OPERANDS, PROPERTIES
from compiler.dialects.nest import NestDialect
from compiler.dialects.onnx import Onnx
from compiler.dialects.pim import PimDialect
from compiler.dialects.spat import SpatDialect
from compiler.dialects.tile import TileDialect
from compiler.dialects.typed import TypedAttribute
from compiler.kernels.table import KernelDialect
from compiler.session.context import make_context
from compiler.text import parse_module
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

FOLDER = Path(__file__).parent / "level_examples"
NETWORK = Path(__file__).parents[2] / "docs" / "levels" / "pim.md"  # whose first block of MLIR is a network
LEVELS: Mapping[str, tuple[Dialect, ...]] = {
    "onnx": (Onnx, NestDialect, IndexedDialect, IntegerDialect),
    "spat": (SpatDialect, TileDialect, KernelDialect),
    "pim": (PimDialect,),
}
_MARKS = re.compile(r"[*<\[\]_]")  # of Markdown
_KINDS: Mapping[type[Attribute], str] = {
    AffineMapAttr: "affine map",
    ArrayAttr: "list",
    DenseArrayBase: "numbers",
    DictionaryAttr: "dictionary",
    FloatAttr: "floating-point number",
    IntegerAttr: "number",
    MemRefType: "memref",
    StringAttr: "text",
    TensorType: "tensor",
}


def texts(level: str) -> list[str]:
    """The texts with the examples of a level, each a module."""
    found = (FOLDER / f"{level}.mlir").read_text("utf-8").split("// -----\n")
    return [hand_written(), *found] if level == "pim" else found


def hand_written() -> str:
    """The network of two cores on the page of `pim`."""
    return NETWORK.read_text("utf-8").split("```mlir\n")[1].split("```")[0]


def modules(level: str) -> Iterator[ModuleOp]:
    """The texts, read."""
    for text in texts(level):
        yield parse_module(text, FOLDER / f"{level}.mlir", make_context())


@cache
def examples(level: str) -> Mapping[str, str]:
    """The shortest operation of each name in the texts of a level, as it is written."""
    found: dict[str, str] = {}
    for module in modules(level):
        for op in module.walk():
            stream = StringIO()
            Printer(stream).print_op(op)
            text = stream.getvalue()
            if op.name not in found or len(text) < len(found[op.name]):
                found[op.name] = text
    return found


def level_page(level: str) -> str:
    """All operations of a level, and the attributes that their properties hold."""
    sections = list[str]()
    for dialect in LEVELS[level]:
        sections += [_attribute(kind) for kind in dialect.attributes]
        sections += [_operation(kind, level) for kind in dialect.operations]
    return "\n\n".join(sections)


def _attribute(kind: type[Attribute]) -> str:
    assert issubclass(kind, TypedAttribute)
    return f"## `#{kind.name}`\n\n{_words(kind)}"


def _operation(kind: type, level: str) -> str:
    assert issubclass(kind, IRDLOperation)
    definition = kind.get_irdl_definition()
    rows = [
        *_values(kind.name, "operand", definition.operands),
        *_values(kind.name, "result", definition.results),
        *(_property(kind.name, name, given) for name, given in sorted(definition.properties.items())),
    ]
    table = markdown_table(Table("", ("name", "", "type", "meaning"), rows, "llll")) if rows else ""
    example = f"```\n{examples(level)[kind.name]}\n```"
    return "\n\n".join(filter(None, (f"## `{kind.name}`", _words(kind), table, example)))


def meaning(table: Mapping[str, str], operation: str, name: str) -> str:
    """What a name means for an operation; raises KeyError if no row says it."""
    return table[key] if (key := f"{operation}.{name}") in table else table[name]


def _values(operation: str, what: str, given: Sequence[tuple[str, object]]) -> Iterator[list[str]]:
    """One row per operand or result."""
    for name, definition in given:
        constraint = definition.constr  # pyright: ignore[reportAttributeAccessIssue]
        inner = constraint if isinstance(constraint, RangeOf) else constraint.constraint
        many = {VarOperandDef: f"{what}s", VarResultDef: f"{what}s", OptOperandDef: f"optional {what}"}
        kind, said = _bases(inner.constr.get_bases()), meaning(OPERANDS, operation, name)
        yield [f"`{name.rstrip('_')}`", many.get(type(definition), what), kind, said]


def _property(operation: str, name: str, given: PropertyDef) -> list[str]:
    """The row of a property."""
    what = "optional" if isinstance(given, OptPropertyDef) else "property"
    return [f"`{name}`", what, _bases(given.constr.get_bases()), meaning(PROPERTIES, operation, name)]


def _bases(bases: Iterable[type[Attribute]] | None) -> str:
    names = sorted(f"`#{kind.name}`" if issubclass(kind, TypedAttribute) else _KINDS[kind] for kind in bases or ())
    return " or ".join(names) or "attribute"


def _words(kind: type) -> str:
    """What it means, in the words of its definition, as Markdown."""
    parts = (inspect.getdoc(kind) or "").split("`")  # every second one is code
    return "`".join(part if index % 2 else _MARKS.sub(r"\\\g<0>", part) for index, part in enumerate(parts))
