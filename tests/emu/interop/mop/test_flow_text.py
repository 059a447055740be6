"""The text of flows: it reads back as it is written, and every mistake has its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.chip import BINDINGS
from emu.arch.mode import MODES
from emu.errors import ProgramError
from emu.interop.mop.chip import MopChip
from emu.interop.mop.flow import (
    NUMBERS,
    AxisSizes,
    CoreTag,
    Flow,
    FlowHeader,
    FlowTensor,
    Named,
    Operator,
    OperatorBlock,
    Range,
    Register,
    WrittenNumber,
)
from emu.interop.mop.operators import LAYERS, OPERATORS, PARAMS
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.printer import print_flow
from emu.isa.dtypes import DType
from emu.program.form import Form

SMALL, COUNT = st.integers(0, 1 << 40), st.integers(1, 1 << 20)
NAMES = st.from_regex(r"[a-wy-z_][a-z0-9_./:-]{0,8}", fullmatch=True)
BOX = st.tuples(st.integers(0, 99), st.integers(1, 99)).map(lambda pair: (pair[0], pair[0] + pair[1]))
NAMED = st.builds(Named, NAMES, st.lists(BOX, max_size=3).map(tuple))
SUMS = st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=4), min_size=1, max_size=3).map(
    lambda terms: WrittenNumber("+".join("*".join(map(str, factors)) for factors in terms) + "+1")
)
ADDRESS, REGISTER = SMALL | SUMS, st.builds(Register, st.integers(0, 999), st.integers(0, 999))
PARAM = {
    "matrix": NAMED,
    "sizes": st.lists(st.integers(0, 999), min_size=1, max_size=4).map(lambda sizes: AxisSizes(tuple(sizes))),
    "range": st.builds(Range, st.integers(0, 99), st.integers(0, 99)),
    "integer": st.integers(-128, 255),
}
OPERANDS = {
    "source": ADDRESS | REGISTER | NAMED,
    "destination": ADDRESS | REGISTER,
    "memory": ADDRESS,
    "core": st.builds(CoreTag, st.integers(0, 999)),
    "crossbar": st.integers(0, 999).map(Register),
    "row": REGISTER,
    "length": COUNT | SUMS,
    "matrix": NAMED,
    "number": st.integers(-300, 300) | st.floats(allow_nan=False),
    "element": st.sampled_from(["i8", "u8", "i16", "i32"]),
    "layer": st.sampled_from(LAYERS),
    "params": st.lists(st.sampled_from(list(PARAMS)), unique=True, min_size=1).flatmap(
        lambda names: st.tuples(*(st.tuples(st.just(name), PARAM[PARAMS[name]]) for name in names))
    ),
}
CHIPS = st.builds(
    MopChip, st.text(max_size=5), st.sampled_from(list(MODES)), COUNT, COUNT, COUNT, COUNT, st.integers(0, 8), COUNT,
    st.sampled_from(BINDINGS), COUNT,
)  # fmt: skip
FORM = Form((1, 3, 4, 4), (3, 4, 4), ("", "C", "H", "W"))


@st.composite
def operators(draw):
    name = draw(st.sampled_from(list(OPERATORS)))
    return Operator(name, tuple(draw(OPERANDS[kind]) for kind in OPERATORS[name].operands.values()))


TENSORS = st.lists(
    st.builds(FlowTensor, st.text(max_size=5), st.sampled_from([DType.i8, DType.f32]), st.just(FORM), SMALL),
    max_size=2,
    unique_by=lambda tensor: tensor.name,
).map(tuple)
HEADERS = st.builds(FlowHeader, st.none() | CHIPS, st.sampled_from(list(NUMBERS.values())), TENSORS, TENSORS)
BLOCKS = operators().map(lambda one: OperatorBlock((one,))) | st.lists(operators(), max_size=4).map(
    lambda several: OperatorBlock(tuple(several), True)
)


def without_places(block):
    return OperatorBlock(tuple(Operator(found.name, found.args) for found in block.operators), block.parallel)


@given(HEADERS, st.lists(BLOCKS, max_size=5))
def test_text_reads_back(header, blocks):
    text = "".join(print_flow(Flow(header, blocks)))
    found = parse_flow(text, "flow.mop")
    read = list(found.blocks)
    assert found.header == header
    assert [without_places(block) for block in read] == blocks
    assert "".join(print_flow(Flow(found.header, read))) == text


def test_white_space_and_comments_do_not_matter():
    text = "// first\nparallel{Relu( 0 ,3072 + 32 * 32, 4) mov(4,8,4)}// last\n\tadd(0, b [0:4] , xb1 + 2,4)"
    first, second = parse_flow(text, "a.mop").blocks
    assert first.operators[0].args == (0, 4096, 4)
    assert second.operators[0].args == (0, Named("b", ((0, 4),)), Register(1, 2), 4)
    assert [(found.line, found.column) for found in (*first.operators, *second.operators)] == [
        (2, 10), (2, 38), (3, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("Rele(0, 1, 2)", "1:1", "there is no operator 'Rele'; did you mean 'Relu'?"),
        ("Relu(0, 1)", "1:6", "Relu(src, dst, len) takes 3 operands, got 2"),
        ("\n Relu(0, x, 4)", "2:10", "dst of Relu: expected an address, such as 3072 or xb0+16, got 'x'"),
        ("Relu(0, 1, 0)", "1:12", "len of Relu: expected a length from 1 to 281474976710656, got '0'"),
        ("Relu(0, 9*9999999999999999, 1)", "1:9", "dst of Relu: expected an address"),
        ("Relu(0, 999999999*999999999, 1)", "1:9", "dst of Relu: expected an address, such as 3072 or xb0+16 from 0"),
        ("Relu 0", "1:5", "expected the operands of 'Relu' in parentheses, on one line"),
        ("mov(0, 1, 1)\n}", "2:1", "this '}' closes no parallel block"),
        ("mov(0, 1, 1)\nparallel { mov(1, 2, 1)", "2:1", "this parallel block has no closing '}'"),
        ("parallel { parallel { } }", "1:12", "parallel blocks hold operators, no parallel blocks"),
        ("mov(0, 1, 1) %", "1:14", "expected an operator or a parallel block, got '%'"),
        ("mov(0, 1, 1)\n//@ numbers int8", "2:1", "declarations stand before the operators"),
        ("cim.read_xb(xb0+1, 1)", "1:13", "xb_addr of cim.read_xb: expected a whole crossbar, such as xb0"),
        ("cim.read_core(Cone, [in=1], core0, 0, 1)", "1:15", "expected Conv or Gemm, got 'Cone'; did you mean 'Conv'?"),
        ("MaxPool([inn=3x3], 0, 1)", "1:9", "params have no 'inn'; did you mean 'in'?"),
        ("MaxPool([in=3x3 in=3x3], 0, 1)", "1:9", "params give in= twice"),
        ("MaxPool([in=3y3], 0, 1)", "1:9", "expected sizes, such as 17x32x3, got '3y3'"),
        ("MaxPool(in=3x3, 0, 1)", "1:9", "expected params, such as [in=8x8x3"),
        ("cim.write_xb(xb0, w[4:4,0:1])", "1:19", "'w[4:4,0:1]' has a range without elements"),
        ("cast(0, 1, 2, int8)", "1:15", "expected i8, u8, i16, u16, i32 or i64, got 'int8'"),
        ("//@ numbers int9", "1:13", "expected numbers (int8 or float32), got int9"),
        ("//@ chop", "1:5", "expected a declaration (chip, numbers, input, output), got chop"),
        ('//@ chip "a" mode cm cores 0', "1:28", "expected the chip's cores from 1 to"),
        ('//@ input "a" i8[2] extent 3 1 1 layout C at 0', "1:15", "shape [2] is not extent [3, 1, 1]"),
        ('//@ input "a" i8[2] at 0\n//@ input "a" i8[2] at 2', "2:11", 'input "a" is declared twice'),
    ],
)
def test_mistakes_have_a_place(text, place, sentence):
    with pytest.raises(ProgramError) as caught:
        list(parse_flow(text, "a.mop").blocks)
    assert str(caught.value).startswith(f"a.mop:{place}: ")
    assert sentence in str(caught.value)


@given(st.text(alphabet='mov(0,)xb1+*[]{}=:parlel/@"\n 9', max_size=60))
def test_no_text_is_a_surprise(text):
    try:
        list(parse_flow(text, "a.mop").blocks)
    except ProgramError as error:
        assert str(error).startswith("a.mop:")
