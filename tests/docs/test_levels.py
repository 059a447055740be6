"""The reference of the levels: it has all operations and attributes, and its examples are right."""

from pathlib import Path

import level_pages
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.irdl import IRDLOperation

from compiler.dialects.meanings import OPERANDS, PROPERTIES
from compiler.session.context import DIALECTS, make_context
from compiler.text import parse_module, print_module

OPERATIONS = [op for dialects in level_pages.LEVELS.values() for dialect in dialects for op in dialect.operations]


def read(text: str) -> ModuleOp:
    return parse_module(text, Path("x.mlir"), make_context())


def test_all_dialects_are_on_a_page() -> None:
    told = [dialect for dialects in level_pages.LEVELS.values() for dialect in dialects]
    assert {dialect.name for dialect in told} == {dialect.name for dialect in DIALECTS} - {"builtin", "func"}


@pytest.mark.parametrize("level", level_pages.LEVELS)
def test_every_operation_has_words_and_an_example(level: str) -> None:
    page = level_pages.level_page(level)
    for dialect in level_pages.LEVELS[level]:
        for kind in (*dialect.operations, *dialect.attributes):
            mark = "#" if kind in dialect.attributes else ""
            assert kind.__doc__ and f"## `{mark}{kind.name}`\n" in page
        assert all(op.name in level_pages.examples(level) for op in dialect.operations)


@pytest.mark.parametrize(
    ("level", "text"), [(level, text) for level in level_pages.LEVELS for text in level_pages.texts(level)]
)
def test_examples_read_back_in_both_forms(level: str, text: str) -> None:
    module = read(text)  # which checks it
    again = [read(print_module(module, generic)) for generic in (False, True)]
    assert all(each.is_structurally_equivalent(module) for each in again)


@pytest.mark.parametrize(("table", "fields"), [(OPERANDS, ("operands", "results")), (PROPERTIES, ("properties",))])
def test_every_name_has_a_meaning_and_every_meaning_a_name(table: dict[str, str], fields: tuple[str, ...]) -> None:
    used = set[str]()
    for operation in OPERATIONS:
        assert issubclass(operation, IRDLOperation)
        definition = operation.get_irdl_definition()
        for name in (name for field in fields for name in dict(getattr(definition, field))):
            assert level_pages.meaning(table, operation.name, name)
            own = f"{operation.name}.{name}"
            used.add(own if own in table else name)
    assert used == set(table)
