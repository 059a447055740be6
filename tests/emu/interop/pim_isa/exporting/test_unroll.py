"""Pieces of an unrolled template are what running it row by row gives, whatever their size."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import ProgramError
from emu.interop.pim_isa.exporting.template import LOOP, RegisterTerms, TemplateBuilder
from emu.interop.pim_isa.exporting.unroll import unrolled
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns
from emu.isa.address import Term
from emu.isa.dtypes import DType


@st.composite
def terms(draw, depth):
    modulus = draw(st.sampled_from([0, 0, 1, 3]))
    stride = draw(st.integers(-5, 1 << 33))
    return Term(draw(st.integers(0, depth - 1)), stride, draw(st.integers(-2, 4)) if modulus else 0, modulus)


@st.composite
def templates(draw):
    builder = TemplateBuilder()

    def body(depth):
        for _ in range(draw(st.integers(0, 3))):
            if depth < 4 and draw(st.booleans()):
                with builder.loop(draw(st.integers(0, 5))):
                    body(depth + 1)
            elif draw(st.booleans()):
                found = tuple(draw(terms(depth)) for _ in range(draw(st.integers(0, 3)) if depth else 0))
                value = RegisterTerms(draw(st.integers(0, 1 << 34)), found, draw(st.booleans()))
                builder.row("sldi", None, value, rd=draw(st.integers(0, 31)))
            else:
                builder.row("vvadd", (DType.i8, DType.f32), rd=1, rs1=2, rs2=3, len=draw(st.integers(0, 9)))

    body(0)
    return builder.finish()


def by_row(template, begin, end, counters):
    """(row, value of `imm`) in the order in which rows run."""
    row = begin
    while row < end:
        if template.fields["op"][row] == LOOP:
            for count in range(template.trips[row]):
                yield from by_row(template, row + 1, template.end[row], (*counters, count))
            row = int(template.end[row])
            continue
        value = int(template.base[row])
        for loop, stride, offset, modulus in template.terms[:, row].T.tolist():
            if stride:
                value += stride * ((counters[loop] + offset) % modulus if modulus else counters[loop])
        value = value >> 32 if template.high[row] else value
        yield row, (value + (1 << 31)) % (1 << 32) - (1 << 31)
        row += 1


@given(templates(), st.sampled_from([1, 2, 7, 1 << 15]))
def test_pieces_are_the_rows_one_by_one(template, most):
    pieces = list(unrolled(template, most))
    expected = list(by_row(template, 0, len(template), ()))
    found = CoreColumns.joined([piece.columns for piece in pieces])
    rows = np.array([row for row, _ in expected], np.int64)
    for field in fields(CoreColumns):
        if field.name != "imm":
            assert np.array_equal(getattr(found, field.name), template.fields[field.name][rows])
    writes = found.op == 1
    values = np.array([value for _, value in expected], np.int64)
    assert np.array_equal(found.imm[writes], values[writes])
    types = np.concatenate([np.zeros((0, 2), np.uint8), *(piece.types for piece in pieces)])
    assert np.array_equal(types, template.types[rows])


def test_no_piece_is_much_larger_than_asked():
    builder = TemplateBuilder()
    with builder.loop(1000):
        builder.row("lmv", rd=1, rs1=2, len=4)
        with builder.loop(100):
            builder.row("sldi", None, RegisterTerms(4, (Term(1, 8), Term(0, 1000))), rd=1)
            builder.row("lldi", rd=1, len=4)
    sizes = [piece.columns.count for piece in unrolled(builder.finish(), 500)]
    assert sum(sizes) == 1000 * 201
    assert max(sizes) == 500
    assert len(FIELDS) == len(fields(CoreColumns))


def test_more_instructions_than_can_be_counted_are_refused():
    builder = TemplateBuilder()
    with builder.loop(1 << 20), builder.loop(1 << 20):
        builder.row("lldi", rd=1, len=4)
    with pytest.raises(ProgramError, match="core 3 unrolls to 2147483648 instructions or more: no PIM-ISA file holds"):
        next(unrolled(builder.finish(), where="core 3"))
