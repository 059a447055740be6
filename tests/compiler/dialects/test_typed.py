"""Attributes in words of their own: whatever they hold comes back, with and without their names."""

from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from compiler.dialects.boxes import BoxesAttr, FormAttr, FormsAttr
from compiler.dialects.epilogue import EpilogueAttr
from compiler.dialects.parts import PartsAttr, PlacesAttr, RangesAttr, RowTilesAttr
from compiler.dialects.pieces import PiecesAttr
from compiler.dialects.rows import Rows, RowsAttr
from compiler.dialects.typed import TypedAttribute
from compiler.session.context import DIALECTS, make_context
from compiler.text import parse_module, print_module
from emu.errors import CompileError
from emu.program.form import Form, axis_names

NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1)
RANGES = st.tuples(NUMBERS, NUMBERS)
SIZES = st.lists(st.integers(0, 2**40), min_size=1, max_size=4).map(tuple)


def listed(items: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(items, max_size=4).map(tuple)


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """Forms of any rank: axes of a few sizes, in any order, some of them together."""
    names = axis_names(draw(st.integers(3, 5)))
    sizes = {name: draw(st.integers(0, 5)) for name in names}
    layout = list[str]()
    for name in draw(st.permutations(names)):
        before = draw(st.integers(0, 2))  # dimensions that begin here; without one, the axis belongs to the last
        layout += [""] * (before or not layout)
        layout[-1] += "" if sizes[name] == 1 and draw(st.booleans()) else name
    shape = tuple(prod(sizes[axis] for axis in part) for part in layout)
    return Form(shape, tuple(sizes[name] for name in names), tuple(layout))


@st.composite
def parts(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    start = draw(SIZES)
    return draw(SIZES), start, tuple(draw(st.integers(0, 99)) for _ in start)


ATTRIBUTES: dict[type[TypedAttribute[object]], st.SearchStrategy[object]] = {
    BoxesAttr: listed(st.lists(RANGES, min_size=1, max_size=4).map(tuple)),
    FormAttr: forms(),
    FormsAttr: listed(st.none() | forms()),
    EpilogueAttr: listed(st.tuples(st.sampled_from(["relu", "clip"]), listed(st.floats(allow_nan=False)))),
    PartsAttr: listed(parts()),
    PlacesAttr: listed(SIZES),
    RangesAttr: listed(RANGES),
    RowTilesAttr: listed(st.tuples(st.integers(0, 99), NUMBERS, NUMBERS)),
    RowsAttr: listed(st.builds(Rows, *[st.integers(0, 2**40)] * 4)),
    PiecesAttr: listed(st.tuples(st.integers(-1, 9), st.integers(0, 99), RANGES, RANGES)),
}


def read(text: str) -> ModuleOp:
    return parse_module(text, Path("x.mlir"), make_context())


def test_all_attributes_of_the_dialects_are_tested() -> None:
    assert set(ATTRIBUTES) == {kind for dialect in DIALECTS[2:] for kind in dialect.attributes}


@pytest.mark.parametrize("kind", ATTRIBUTES)
@given(data=st.data())
def test_what_an_attribute_holds_comes_back(kind: type[TypedAttribute[object]], data: st.DataObject) -> None:
    attribute: Attribute = kind.new(data.draw(ATTRIBUTES[kind]))
    module = ModuleOp([], {"a": attribute})
    for generic in (False, True):
        text = print_module(module, generic)
        assert f"#{kind.name}<" in text
        assert read(text).attributes == {"a": attribute}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#tile.ranges<0:99999999999999999999>", "99999999999999999999 has more than 64 bits"),
        ("#tile.ranges<0-4>", "Expected ':'"),
        ("#tile.rows<0:4 off 8>", "Expected 'of'"),
        ("#tile.form<[1, C, H, W] with H = 1, C = 4>", "axes are named W, C, in this order"),
        ("#tile.form<[1, C] with W = 1, H = 6, C = 4>", "axes are named H, W, C, in this order"),
        ("#tile.form<[C] with H = 2, W = 1, C = 4>", "shape [4] is not extent [4, 2, 1] laid out as ['C']"),
        ("#tile.form<[2, C] with H = 1, W = 1, C = 4>", "a dimension is 1, or the axes that it is made of"),
        ("#tile.form<[CX] with H = 1, W = 1, C = 4>", "must name axes C, H, W once at most"),
        ("#tile.form<[C] with C = 4>", "extent [4] must hold 3 to 13 sizes"),
        ("#kernel.epilogue<clip(x)>", "literal expected"),
        ("#spat.pieces<segment 0 [0:1, 0:1]>", "Expected 'core'"),
        ("#kernel.parts<[0:1] [0]>", "Expected 'at'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, words: str) -> None:
    with pytest.raises(CompileError, match=r"^x.mlir: line 2, column \d+: ") as error:
        read(f"builtin.module attributes {{a =\n{text}}} {{\n}}\n")
    assert words in str(error.value)
