"""Validation: random programs pass, every kind of fault is refused with core, section, index and mnemonic."""

import time
from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH, programs
from tensors import image_buffer

from emu.arch import Core
from emu.errors import ProgramError
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.form import Form
from emu.program.group import GroupSpec
from emu.program.program import BufferSpec, Data, Program, Source
from emu.program.section import COLUMNS, Section
from emu.program.validate import InstructionError, validate_program

I8, F32, I32, BOOL = DType.i8, DType.f32, DType.i32, DType.bool
GROUP = GroupSpec(I8, I8, I32, (6, 2), (4,))
A, B = Address(0), Address(64)
TURNED = Form((2, 3), (2, 1, 3), ("W", "C"))
MATRICES, HUGE = {"m": 2, "k": 2, "n": 2}, {"m": 1 << 30, "k": 2, "n": 1}
ROWS = {"n": 2, "entries": 3, "width": 2}
DOUBLE = Form((2, 2), (2, 2, 1), ("C", "C"))


def example() -> Program:
    """One instruction of most families: indices are used below."""
    build = SectionBuilder()
    build.source = 0
    with build.loop(4) as y:  # 0
        build.emit("recv", (), (Address(0, (Term(y, 16, 1, 3),)),), core=2, size=16)  # 1
        with build.loop(2) as x:  # 2
            build.emit("mvmul", (I8, I32), (B, Address(0, (Term(x, 4),))), ("acc",), group=0)  # 3
    build.emit("vsadd", (I8,), (A, Address(0, stride=2)), ("sat",), n=8, imm=3)  # 4
    build.emit("sadd", rd=1, rs1=2, rs2=3)  # 5
    build.emit("vvadd", (F32,), (A, B, Address(128, reg=3)), n=4)  # 6
    build.emit("sldi", rd=1, imm=5)  # 7
    build.emit("xbwrite", (I8,), (A,), group=0, row=3, rows=5)  # 8
    build.emit("sync", core=3, event=1)  # 9
    build.emit("mmul", (F32,) * 3, (A, A, A), m=2, k=2, n=2)  # 10
    build.emit("halt")  # 11
    return Program(1, (GROUP,), main=build.finish(), sources=(Source("conv1/Conv"),))


def with_column(program: Program, column: str, row: int, value: object) -> Program:
    """The program with one cell of `main` replaced."""
    columns = {name: array.copy() for name, array in program.main.columns.items()}
    columns[column][row] = value
    return replace(program, main=Section(columns))


@given(programs())
@settings(max_examples=examples(50, 100))
def test_random_programs_are_valid(program):
    validate_program(program, ARCH, "here", set(range(ARCH.cores)))


@given(programs(), st.data())
@settings(max_examples=examples(15, 100), suppress_health_check=[HealthCheck.filter_too_much])
def test_random_programs_with_one_unknown_instruction_are_not(program, data):
    assume(len(program.main))
    row = data.draw(st.integers(0, len(program.main) - 1))
    with pytest.raises(ProgramError, match=rf"main\[{row}\] opcode 9999: unknown instruction"):
        validate_program(with_column(program, "op", row, 9999), ARCH, "here", set(range(ARCH.cores)))


def test_the_example_is_valid():
    validate_program(example(), ARCH, "here", {1, 2, 3})


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("op", 5, 9999, r"here: core 1, main\[5\] opcode 9999: unknown instruction"),
        ("op", 5, 18, r"main\[5\] opcode 18: unknown instruction"),
        ("type0", 6, 8, r"main\[6\] vvadd.bool: does not exist for these element types"),
        ("type0", 6, 77, r"main\[6\] vvadd.type77: does not exist"),
        ("type1", 6, 2, r"main\[6\] vvadd.f32: does not exist"),
        ("flags", 6, 1, r"main\[6\] vvadd.f32: flags 0x1 are not all flags"),
        ("flags", 4, 12, r"main\[4\] vsadd.i8.sat.trap: can have only one of .sat and .trap"),
        ("flags", 6, 4, r"main\[6\] vvadd.f32.sat: .sat and .trap are for integers"),
        ("n", 6, -1, r"main\[6\] vvadd.f32: n -1 is out of range"),
        ("n", 6, 1 << 62, r"main\[6\] vvadd.f32: n 4611686018427387904 is out of range"),
        ("n", 0, -1, r"main\[0\] loop: trips -1 is out of range"),
        ("n", 5, 3, r"main\[5\] sadd: column n is not used by this instruction and must be 0, not 3"),
        ("arg0", 3, 1, r"main\[3\] mvmul.i8.i32: group 1 is out of range 0 to 0"),
        ("arg0", 1, 8, r"main\[1\] recv: core 8 is out of range 0 to 7"),
        ("arg0", 1, 1, r"main\[1\] recv: core 1 cannot be its own peer"),
        ("arg0", 1, 4, r"main\[1\] recv: core 4 has no program"),
        ("arg1", 9, 4, r"main\[9\] sync: event 4 is out of range 0 to 3"),
        ("arg2", 5, 8, r"main\[5\] sadd: rs2 8 is out of range 0 to 7"),
        ("type1", 3, 7, r"main\[3\] mvmul.i8.i64: group 0 is of type i8.i32"),
        ("type0", 8, 3, r"main\[8\] xbwrite.u8: group 0 is of type i8"),
        ("arg1", 8, 4, r"main\[8\] xbwrite.i8: row 9 is beyond the group's 8"),
        ("imm", 5, 1.0, r"main\[5\] sadd: has no immediate"),
        ("imm", 4, 0.5, r"main\[4\] vsadd.i8.sat: immediate 0.5 must be an integer"),
        ("imm", 4, np.inf, r"main\[4\] vsadd.i8.sat: immediate inf must be an integer"),
        ("imm", 7, 2.0**31, r"main\[7\] sldi: immediate 2147483648 does not fit in 32 bits"),
        ("imm", 7, np.nan, r"main\[7\] sldi: immediate nan must be an integer"),
        ("source", 6, 1, r"main\[6\] vvadd.f32: source 1 is not in the source map"),
        ("source", 6, -2, r"main\[6\] vvadd.f32: source -2 is not in the source map"),
        ("end", 6, 7, r"main\[6\] vvadd.f32: only a loop has an end"),
        ("end", 0, 13, r"main\[0\] loop: its end 13 is out of bounds"),
        ("end", 0, 0, r"main\[0\] loop: its end 0 is out of bounds"),
        ("end", 0, -1, r"main\[0\] loop: its end -1 is out of bounds"),
        ("end", 0, 3, r"main\[\d\] loop: its end \d is out of bounds or outside of the loop around it"),
        ("end", 2, 12, r"main\[\d\] loop: its end \d+ is out of bounds or outside of the loop around it"),
        ("op", 5, 2, r"main\[5\] halt: "),
        ("operand", 6, 3, r"main\[6\] vvadd.f32: its operands must begin at row"),
        ("operand", 6, -3, r"main\[6\] vvadd.f32: its operands must begin at row"),
        ("reg", 7, 8, r"main\[6\] vvadd.f32: register r8 does not exist, there are 8"),
        ("reg", 7, -2, r"main\[6\] vvadd.f32: register r-2 does not exist"),
        ("base", 7, 1 << 60, r"main\[6\] vvadd.f32: base address .* is beyond any memory"),
        ("stride", 0, 2, r"main\[1\] recv: operand 1 cannot have an element stride"),
        ("term", 2, 5, r"main\[3\] mvmul.i8.i32: its address terms must begin at row 1"),
        ("terms", 2, 0, r"main\[4\] vsadd.i8.sat: its address terms must begin at row 1"),
        ("loop", 0, 1, r"main\[1\] recv: loop counter 1 does not exist in 1 loops"),
        ("tstride", 0, 1 << 60, r"main\[1\] recv: stride .* is beyond any memory"),
        ("toffset", 0, -(1 << 60), r"main\[1\] recv: counter offset .* is beyond any memory"),
        ("modulus", 0, -3, r"main\[1\] recv: modulus -3 is negative"),
        ("modulus", 0, 0, r"main\[1\] recv: counter offset 1 needs a modulus"),
    ],
)
def test_a_changed_cell_is_refused(column, row, value, message):
    with pytest.raises(ProgramError, match=message):
        validate_program(with_column(example(), column, row, value), ARCH, "here", {1, 2, 3})


def test_instruction_errors_carry_their_place():
    with pytest.raises(InstructionError) as caught:
        validate_program(with_column(example(), "imm", 4, 0.5), ARCH, "here")
    assert (caught.value.section, caught.value.index) == ("main", 4)


def test_halt_inside_a_loop_is_refused():
    build = SectionBuilder()
    with build.loop(2):
        build.emit("halt")
    with pytest.raises(ProgramError, match=r"init\[1\] halt: must stand outside of every loop"):
        validate_program(Program(0, init=build.finish()), ARCH, "here")


def test_too_many_nested_loops_are_refused():
    build = SectionBuilder()
    stack = [build.loop(1) for _ in range(65)]
    for loop in stack:
        loop.__enter__()
    for loop in reversed(stack):
        loop.__exit__(None, None, None)
    with pytest.raises(ProgramError, match=r"main\[64\] loop: more than 64 nested loops"):
        validate_program(Program(0, main=build.finish()), ARCH, "here")


def test_huge_broadcasts_and_products_are_refused():
    build = SectionBuilder()
    build.emit("vsum", (F32,), (A, Address(0, stride=0)), n=1 << 39)
    with pytest.raises(ProgramError, match=r"main\[0\] vsum.f32: .* elements are more than local memory has bytes"):
        validate_program(Program(0, main=build.finish()), ARCH, "here")
    build = SectionBuilder()
    build.emit("mmul", (F32,) * 3, (A, A, A), m=1 << 30, k=1 << 30, n=1)
    with pytest.raises(ProgramError, match=r"main\[0\] mmul.f32.f32.f32: its matrices are larger than any memory"):
        validate_program(Program(0, main=build.finish()), ARCH, "here")


@pytest.mark.parametrize(
    ("name", "types", "operands", "rest", "message"),
    [
        ("vvadd", (F32,), (A, A, replace(A, pitch=4)), {"n": 4}, "operand 3 has no rows, so it cannot have a pitch"),
        ("mmul", (F32,) * 3, (replace(A, pitch=1), B, B), MATRICES, "elements of operand 1, which it writes, overlap"),
        ("mmul", (F32,) * 3, (replace(A, stride=0), B, B), MATRICES, "elements of operand 1, which it writes, overlap"),
        ("mmul", (F32, I8, F32), (A, B, B), MATRICES, "does not mix floats and integers"),
        ("mmul", (F32,) * 3, (A, replace(B, pitch=1), B), HUGE, "elements are more than local memory has bytes"),
        ("mmul", (F32,) * 3, (A, replace(B, pitch=1 << 30), B), HUGE, "element stride 1 with pitch 1073741824 reaches"),
        ("vtopk", (F32, I32), (A, B, A), {"n": 3, "k": 4}, "k 4 is larger than n 3"),
        ("vput", (I32, F32), (A, B, B), {**ROWS, "flags": ("add", "mul")}, "can have only one of .add, .mul, .max and"),
        ("vput", (I32, BOOL), (A, B, B), {**ROWS, "flags": ("max",)}, "are for numbers, not for bool"),
        ("vlut", (I32, F32), (A, B, B), {**ROWS, "width": 1 << 40}, "its matrices are larger than any memory"),
    ],
)
def test_what_rows_and_choices_cannot_be(name, types, operands, rest, message):
    build = SectionBuilder()
    build.emit(name, types, operands, **rest)
    with pytest.raises(ProgramError, match=rf"main\[0\] {name}.*: .*{message}"):
        validate_program(Program(0, main=build.finish()), ARCH, "here")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"core": 8}, r"core 8: the architecture has cores 0 to 7"),
        ({"groups": (replace(GROUP, row_tiles=(7,)),)}, r"group 0 has a row tile of 7, a crossbar has 1 to 6"),
        ({"groups": (replace(GROUP, col_tiles=(0,)),)}, r"group 0 has a col tile of 0"),
        ({"groups": (replace(GROUP, col_tiles=()),)}, r"group 0 has no col tile"),
        ({"groups": (replace(GROUP, row_tiles=(6,) * 13),)}, r"its groups take 13 crossbars, the architecture has 12"),
        ({"groups": (replace(GROUP, weight=F32),)}, r"group 0 cannot have types i8.f32.i32 \(input.weight.output\)"),
        ({"groups": (replace(GROUP, input=BOOL),)}, r"group 0 cannot have types bool.i8.i32"),
        ({"groups": (replace(GROUP, offset=-64),)}, r"group 0 lies at impossible offset -64"),
        ({"data": (Data(4090, b"1234567"),)}, r"data 0 is \[4090, 4097\), local memory has 4096 bytes"),
        ({"data": (Data(-1, b"1"),)}, r"data 0 is \[-1, 0\)"),
        ({"state": ((4096, 1),)}, r"state 0 is \[4096, 4097\)"),
        ({"state": ((5, -1),)}, r"state 0 is \[5, 4\)"),
        ({"sources": (Source("x" * 70000),)}, r"source 0 is too long"),
        ({"buffers": (image_buffer("", (0, 1), 1, 1, F32, 0, 0),)}, r"buffer 0 has no tensor name"),
        ({"buffers": (image_buffer("t", (1, 1), 1, 1, F32, 0, 0),)}, r"buffer 0 holds channels 1 to 1"),
        (
            {"buffers": (image_buffer("t", (0, 1), 0, 1, F32, 0, 0),)},
            r"buffer 0 holds H 0 to 0, which is empty",
        ),
        ({"buffers": (image_buffer("t", (0, 3), 1, 1, F32, total=2),)}, r"channels 0 to 3 of a tensor that has 2"),
        (
            {"buffers": (BufferSpec("t", TURNED, TURNED.whole, F32, 0, 0),)},
            r"\[2, 3\] is not extent \[2, 1, 3\] laid",
        ),
        ({"buffers": (BufferSpec("t", DOUBLE, DOUBLE.whole, F32, 0, 0),)}, r"layout \['C', 'C'\] must name axes"),
        ({"buffers": (image_buffer("t", (0, 1), 1, 1, F32, 4094, 0),)}, r"buffer 0 is \[4094, 4098\)"),
        ({"buffers": (image_buffer("t", (0, 1), 1, 1, F32, 0, 13),)}, r"complete at main\[13\], beyond the 12 instr"),
        ({"buffers": (image_buffer("t", (0, 1), 1, 1, F32, 0, 1),)}, r"'t'\) is complete at main\[1\], inside"),
    ],
)
def test_a_changed_part_is_refused(change, message):
    with pytest.raises(ProgramError, match=message):
        validate_program(replace(example(), **change), ARCH, "here")


def test_bit_slices_count_as_crossbars():
    sliced = replace(ARCH, crossbar=replace(ARCH.crossbar, cell_bits=1))
    with pytest.raises(ProgramError, match=r"its groups take 14 crossbars, the architecture has 12 per core"):
        validate_program(example(), sliced, "here")


def test_missing_functions_are_refused():
    poor = replace(ARCH, name="poor", core=Core(crossbars=12, functions=("vsadd", "mmul")))
    with pytest.raises(ProgramError, match=r"main\[6\] vvadd.f32: the digital unit of architecture poor lacks"):
        validate_program(example(), poor, "here")


def test_column_shapes_are_checked():
    main = example().main.columns
    for broken in ({**main, "n": main["n"][:-1]}, {**main, "n": main["n"].astype(np.int32)}):
        with pytest.raises(ProgramError, match=r"here: core 1, main: column n is missing or of wrong type or length"):
            validate_program(replace(example(), main=Section(broken)), ARCH, "here")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("base", "reg", "stride", "pitch", "term", "terms"), r"main: 13 operands where its instructions have 12"),
        (("loop", "tstride", "toffset", "modulus"), r"main: 3 address terms where its operands have 2"),
    ],
)
def test_stray_rows_are_refused(names, message):
    columns = dict(example().main.columns)
    for name in names:
        columns[name] = np.append(columns[name], columns[name][-1:])
    with pytest.raises(ProgramError, match=message):
        validate_program(replace(example(), main=Section(columns)), ARCH, "here")


@given(st.integers(1, 7), st.lists(st.tuples(st.integers(0, 6), st.integers(-2, 9)), max_size=4))
def test_nesting_agrees_with_a_walk(length, loops):
    """Any `end` column is accepted exactly if a stack accepts it."""
    op, end = np.zeros(length, "<u2"), np.full(length, -1, "<i4")
    for index, stop in loops:
        if index < length:
            op[index], end[index] = 1, stop
    columns = {name: np.zeros(0, dtype) for name, dtype in COLUMNS.items()}
    for name in ("type0", "type1", "type2", "flags", "n", "arg0", "arg1", "arg2", "imm", "operand", "source"):
        columns[name] = np.zeros(length, COLUMNS[name])
    columns.update(op=op, end=end, source=columns["source"] - 1)
    open_until = [length]
    good = True
    for index in range(length):
        while open_until and open_until[-1] <= index and len(open_until) > 1:
            open_until.pop()
        if op[index] == 1:
            good = good and index < end[index] <= open_until[-1]
            open_until.append(int(end[index]))
    program = Program(0, main=Section(columns))
    if good:
        validate_program(program, ARCH, "here")
    else:
        with pytest.raises(ProgramError, match="out of bounds or outside"):
            validate_program(program, ARCH, "here")


def test_a_million_instructions_take_no_python_loop():
    columns = {name: np.repeat(column[4:5], 1_000_000) for name, column in example().main.columns.items()}
    for name in ("loop", "tstride", "toffset", "modulus"):
        columns[name] = columns[name][:0]
    for name in ("base", "reg", "stride", "pitch", "term", "terms"):
        columns[name] = np.zeros(2_000_000, COLUMNS[name])
    columns["reg"] -= 1
    columns["stride"] += 1
    columns["operand"] = np.arange(0, 2_000_000, 2, dtype="<i4")
    begin = time.process_time()
    validate_program(replace(example(), main=Section(columns)), ARCH, "here")
    assert time.process_time() - begin < 10
