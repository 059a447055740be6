"""Operations as they are written: every property comes back, from this form and from the generic one."""

from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f32, f64, i32
from xdsl.ir import Block, Operation, Region
from xdsl.printer import Printer

from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.activation import ActivationOp
from compiler.session.context import make_context
from compiler.session.source_text import LocatingParser
from compiler.text import parse_module
from emu.errors import CompileError
from emu.isa.dtypes import DType

TILE, BUFFER = attr.tile_type((1, 2, 3), DType.f32), attr.buffer_type((1, 2, 3), DType.f32)
REALS = st.floats(allow_nan=False)
VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(attr.integer),
    st.integers(-9, 9).map(lambda number: IntegerAttr(number, i32)),
    REALS.map(lambda number: FloatAttr(number, f64)),
    st.floats(width=32, allow_nan=False).map(lambda number: FloatAttr(number, f32)),
    st.text().map(StringAttr),
    st.lists(st.integers(-9, 2**40), max_size=4).map(attr.ints),
    st.lists(st.integers(-9, 9), max_size=3).map(lambda numbers: DenseArrayBase.from_list(i32, numbers)),
    st.lists(st.integers(0, 9).map(attr.integer), max_size=3).map(ArrayAttr),
)


def text_of(module: ModuleOp, generic: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def read(text: str) -> ModuleOp:
    return LocatingParser(make_context(), text, "x.mlir").parse_module()


def comes_back(*ops: Operation) -> str:
    """The text of a module of operations, after it was read again, also from the generic form."""
    module = ModuleOp(list(ops))
    text = text_of(module)
    assert read(text).is_structurally_equivalent(module)
    assert text_of(read(text_of(module, generic=True))) == text_of(read(text)) == text
    return text


@given(VALUES)
def test_any_value_of_a_property_comes_back(value: object) -> None:
    text = comes_back(pim.AllocOp.create(result_types=[BUFFER], properties={"address": value, "odd name": value}))
    assert text.splitlines()[1].startswith("  %0 = pim.alloc {address = ")


@given(VALUES.filter(lambda value: not isinstance(value, ArrayAttr)))
def test_any_value_comes_back_where_numbers_are_taken(value: object) -> None:
    alloc = pim.AllocOp.create(result_types=[BUFFER])
    comes_back(alloc, pim.WriteOp.create(operands=[alloc.buffer], properties={"units": value}))


def test_numbers_stand_without_their_types() -> None:
    alloc = pim.AllocOp.create(result_types=[BUFFER], properties={"address": attr.integer(64)})
    units = {"segment": attr.integer(1), "units": attr.ints((3, 5))}
    text = comes_back(alloc, pim.WriteOp.create(operands=[alloc.buffer], properties=units))
    assert "%0 = pim.alloc {address = 64} : memref<1x2x3xf32>\n" in text
    assert "pim.write(%0) {segment = 1, units = [3, 5]} : memref<1x2x3xf32>\n" in text


def test_truth_is_a_number() -> None:
    assert "{address = 1}" in comes_back(
        pim.AllocOp.create(result_types=[BUFFER], properties={"address": attr.integer(True)})
    )


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"coreId": attr.integer(3)}, "pim.core 3 {\n    pim.halt\n  }"),
        ({}, "pim.core {} {\n    pim.halt\n  }"),
        ({"coreId": IntegerAttr(3, i32)}, "pim.core {coreId = 3 : i32} {\n    pim.halt\n  }"),
        ({"coreId": attr.integer(3), "other": f32}, "pim.core {coreId = 3, other = f32} {\n    pim.halt\n  }"),
    ],
)
def test_a_core_has_its_number_before_its_body(properties: dict[str, object], text: str) -> None:
    core = pim.CoreOp.create(properties=properties, regions=[Region(Block([pim.HaltOp.create()]))])
    assert text in comes_back(core)


def test_attributes_that_no_operation_has_are_kept() -> None:
    alloc = pim.AllocOp.create(result_types=[BUFFER], attributes={"mine": StringAttr("x")})
    core = pim.CoreOp.create(regions=[Region(Block([pim.HaltOp.create()]))], attributes={"mine": StringAttr("y")})
    text = comes_back(alloc, core)
    assert 'pim.alloc : memref<1x2x3xf32> attributes {mine = "x"}' in text
    assert 'pim.core {} attributes {mine = "y"} {' in text


def compute(arguments: list[object]) -> list[Operation]:
    """A compute of one tile whose body takes tiles of these types."""
    source = spat.InputOp.create(result_types=[TILE])
    block = Block(arg_types=arguments)
    block.add_op(spat.YieldOp.create(operands=list(block.args)))
    made = spat.ComputeOp.create(
        operands=[source.tile], result_types=[TILE], properties={"core": attr.integer(1)}, regions=[Region(block)]
    )
    return [source, made]


def test_a_body_names_what_it_takes() -> None:
    wanted = "%1 = spat.compute(%2 = %0) {core = 1} : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {\n    spat.yield(%2)"
    assert wanted in comes_back(*compute([TILE]))


@pytest.mark.parametrize("arguments", [[], [TILE, TILE], [attr.tile_type((1, 1, 1), DType.f32)]])
def test_a_body_that_takes_something_else_keeps_its_own_list(arguments: list[object]) -> None:
    assert "spat.compute(%0) {core = 1}" in comes_back(*compute(arguments))


def test_buffers_stand_by_what_is_done_with_them() -> None:
    allocs = [pim.AllocOp.create(result_types=[BUFFER]) for _ in range(3)]
    buffers = [alloc.buffer for alloc in allocs]
    kernel = ActivationOp.create(operands=buffers, properties={"segments": attr.ints((1, 1, 0, 1))})
    odd = ActivationOp.create(operands=buffers, properties={"segments": attr.ints((1, 1))})
    text = comes_back(*allocs, kernel, odd)
    assert "kernel.activation ins(%0) outs(%1) constants(%2) : memref<1x2x3xf32>, memref<1x2x3xf32>" in text
    assert "kernel.activation(%0, %1, %2) {segments = [1, 1]} : memref<1x2x3xf32>, memref<1x2x3xf32>" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("%0 = pim.alloc {address = 1, address = 2} : memref<1x1x1xf32>", "property 'address' is given twice"),
        ("pim.core 3 4", "Expected region!"),
        ("spat.yield(%a = %b, %c) : tensor<1xf32>, tensor<1xf32>", "all operands are bound to arguments of the body"),
        ("spat.yield(%a, %b) : tensor<1xf32>", "expected 1 operand types but had 2"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, words: str) -> None:
    with pytest.raises(CompileError, match=r"^x.mlir: line 2, column \d+: ") as error:
        parse_module(f"builtin.module {{\n{text}\n}}\n", Path("x.mlir"), make_context())
    assert words in str(error.value) and "\n" not in str(error.value)
