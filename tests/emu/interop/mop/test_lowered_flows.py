"""Operators by hand: what each makes as a program of the machine, and what data can be wrong about."""

from __future__ import annotations

import numpy as np
import pytest

from emu.errors import ProgramError
from emu.interop.mop.chip import MopChip
from emu.interop.mop.lowering import lower_flow
from emu.interop.mop.parser import parse_flow
from emu.interop.mop.running import FlowCore

HEAD = '//@ input "x" i32[4] at 0\n//@ output "y" i32[4] at 10\n'
FLOATS = '//@ numbers float32\n//@ input "x" f32[4] at 0\n//@ output "y" f32[4] at 10\n'
CHIPS = {mode: MopChip("c", mode, 2, 2, 8, 16, 4, 4, "columns", 1000) for mode in ("cm", "xbm", "wlm")}


def run(text, values, mode="xbm", head=HEAD, **arrays):
    flow = parse_flow(head + text, "f")
    x = np.array(values, np.float32 if head is FLOATS else np.int32)
    return FlowCore(lower_flow(flow, CHIPS[mode], arrays, "f")).run({"x": x})["y"].tolist()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Relu(0, 10, 4)", [0, 0, 7, 300]),
        ("add(0, b, 10, 4)", [-299, 2, 8, 304]),
        ("sub(0, 0, 10, 4)", [0, 0, 0, 0]),
        ("mul(0, 0, 10, 4)", [90000, 4, 49, 90000]),
        ("div(0, b, 10, 4)", [-300, 0, 7, 75]),
        ("max(0, b, 10, 4)", [1, 4, 7, 300]),
        ("min(0, b, 10, 4)", [-300, -2, 1, 4]),
        ("clip(0, 10, 4, -2, 7)", [-2, -2, 7, 7]),
        ("cast(0, 10, 4, i8)", [-44, -2, 7, 44]),
        ("cast(0, 10, 4, u8)", [212, 254, 7, 44]),
        ("requantize(0, s, 10, 4, 1, i8)", [-128, 0, 5, 127]),
        ("fill(10, -3, 4)", [-3, -3, -3, -3]),
        ("MaxPool([in=4x1 out=4x1 kernel=3 pad=1], 0, 10)", [-2, 7, 300, 300]),
        ("parallel { mov(0, 12, 2) mov(2, 10, 2) }", [7, 300, -300, -2]),
    ],
)
def test_operators_on_elements(text, made):
    b, s = np.array([1, 4], np.int32), np.array([0.5], np.float32)
    assert run(text, [-300, -2, 7, 300], b=b, s=s) == made


def test_integers_are_divided_towards_0_up_to_the_ends_of_their_range():
    low, high = -(2**31), 2**31 - 1
    ends = np.array([low, high, -1, 3], np.int32)
    for divisor in (low, high, -1, 2):
        wanted = [int(abs(n) // abs(divisor)) * (1 if (n < 0) == (divisor < 0) else -1) for n in map(int, ends)]
        wanted = [n - 2**32 if n > high else n for n in wanted]
        assert run("div(0, b, 10, 4)", ends, b=np.array([divisor], np.int32)) == wanted


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("clip(0, 10, 4, -inf, 7)", [-300, -2, 7, 7]),
        ("clip(0, 10, 4, -1099511627776, inf)", [-300, -2, 7, 300]),
        ("clip(0, 10, 4, 0.0, 1e300)", [0, 0, 7, 300]),
        ("fill(10, -2147483648, 4)", [-(2**31)] * 4),
        ("fill(10, 1099511627776, 4)", "f:3:1: fill: value 1099511627776 is no i32, as all numbers of the flow are"),
        ("fill(10, inf, 4)", "value inf is no i32"),
        ("fill(10, 0.5, 4)", "fill: 0.5 is no whole number"),
        ("clip(0, 10, 4, 1099511627776, inf)", "clip: low 1099511627776 is no i32"),
        ("clip(0, 10, 4, 0, -inf)", "clip: high -inf is no i32"),
        ("requantize(0, s, 10, 4, 4294967296, i8)", "requantize: zero 4294967296 is no i32"),
    ],
)
def test_numbers_that_no_element_can_be(text, made):
    try:
        assert run(text, [-300, -2, 7, 300], s=np.array([0.5], np.float32)) == made
    except ProgramError as error:
        assert isinstance(made, str) and made in str(error)


def test_floats_that_no_element_can_be():
    assert run("fill(10, -inf, 4)", [0, 0, 0, 0], head=FLOATS) == [-np.inf] * 4
    with pytest.raises(ProgramError, match=r"value 1e[+]300 is no f32"):
        run("fill(10, 1e300, 4)", [0, 0, 0, 0], head=FLOATS)
    text = "cim.read_core(Gemm, [weights=w[0:4,0:4] in=4 out=4 fill=1099511627776], core0, 0, 10)"
    with pytest.raises(ProgramError, match="fill 1099511627776 is no i32"):
        run(text, [1, 2, 3, 4], "cm", w=np.zeros((4, 4), np.int8))


def test_requantised_halves_go_to_even():
    assert run("requantize(0, s, 10, 4, 0, i8)", [1, 3, -1, -3], s=np.array([0.5], np.float32)) == [0, 2, 0, -2]


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        ("cm", "cim.read_core(Gemm, [weights=w[0:4,0:4] in=4 out=4], core0, 0, 10)"),
        ("xbm", "cim.write_xb(xb1, w[0:4,0:4])\nmov(0, xb1, 4)\ncim.read_xb(xb1, 1)\nmov(xb1, 10, 4)"),
        (
            "wlm",
            "parallel { cim.write_row(xb0+2, w[0:1,0:4]) cim.write_row(xb1+1, w[2:3,0:4]) }\n"
            "parallel { cim.write_row(xb0+3, w[1:2,0:4]) cim.write_row(xb1+2, w[3:4,0:4]) }\n"
            "mov(0, xb0+2, 2)\nmov(2, xb1+1, 2)\nparallel { cim.read_row(xb0+2, 2) cim.read_row(xb1+1, 2) }\n"
            "mov(xb0, 10, 4)\nadd(xb1, 10, 10, 4)",
        ),
    ],
)
def test_products_in_every_mode(mode, text):
    w = np.arange(-8, 8, dtype=np.int8).reshape(4, 4)
    assert run(text, [1, -2, 3, 4], mode, w=w) == (np.array([1, -2, 3, 4]) @ w).tolist()


def test_floats():
    pool = "AveragePool([in=4x1 out=4x1 kernel=2 pad=1], 0, 10)"
    assert run(pool, [1, 3, 5, 8], head=FLOATS) == [1, 2, 4, 6.5]
    pool = "AveragePool([in=4x1 out=4x1 kernel=2 pad=1 count_pads=1], 0, 10)"
    assert run(pool, [1, 3, 5, 8], head=FLOATS) == [0.5, 2, 4, 6.5]


def test_sums_wrap_at_32_bits():
    assert run("add(0, 0, 10, 4)", [2**31 - 1, 0, 0, 0])[0] == -2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "mov(0, xb0, 4)\ncim.write_xb(xb0, w[0:4,0:4])\ncim.read_xb(xb0, 1)\nmov(xb0, 10, 4)",
            "f:5:1: cim.read_xb: a word line is given 300, which is no number of 8 bits",
        ),
        ("cim.write_xb(xb0, v[0:4,0:4])", "f:3:1: cim.write_xb: the weights have no array 'v': they hold w, z"),
        ("cim.write_xb(xb0, w[0:5,0:4])", "array 'w' has shape (4, 4): no such box"),
        ("cim.write_xb(xb0, z[0:1,0:1])", "weights 'z' are int32 (1, 1): a matrix of int8 or uint8 is needed"),
        ("add(0, w, 10, 4)", "4 elements are no multiple of the 16 of array 'w'"),
        ("div(0, z, 10, 4)", "f:3:1: div: divides an integer by 0"),
        ("mov(0, 100, 4)\nmov(50, 0, 1)", "f:4:1: mov: reads element 50 of memory, of which nothing has written all"),
        ("mov(0, 10, 3)", "output 'y': reads elements 10 to 13 of memory"),
    ],
)  # fmt: skip
def test_what_data_can_be_wrong_about(text, sentence):
    w, z = np.zeros((4, 4), np.int8), np.zeros((1, 1), np.int32)
    with pytest.raises(ProgramError) as caught:
        run(text, [300, 0, 0, 0], w=w, z=z)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("mov(0, 10, 4)\nmov(10, 11, 3)", [1, 1, 2, 3]),
        ("mov(0, 10, 4)\nadd(10, 10, 11, 3)", [1, 2, 4, 6]),
        ("mov(0, 10, 4)\nmul(11, b, 10, 3)", [10, 15, 20, 4]),
        ("mov(0, 10, 4)\nMaxPool([in=4x1 out=4x1 kernel=2 pad=1], 10, 10)", [1, 2, 3, 4]),
        ("MaxPool([in=4x1 out=4x1 kernel=2 stride=3 dilation=2], 0, 10)", [3, 4, -(2**31), -(2**31)]),
    ],
)
def test_what_overlaps_its_sources_is_read_before_it_is_written(text, made):
    assert run(text, [1, 2, 3, 4], b=np.array([5], np.int32)) == made


def test_padding_is_multiplied_and_checked_as_numbers_of_the_tensor_are():
    read = "cim.read_core(Conv, [weights=w[1:3,0:1] in=4x1 out=4x1 kernel=3 pad=1 fill={}], core0, 0, 10)"
    w = np.array([[0], [1], [2]], np.int8)
    assert run(read.format(7), [1, 2, 3, 4], "cm", w=w) == [1 + 2 * 2, 2 + 2 * 3, 3 + 2 * 4, 4 + 2 * 7]
    with pytest.raises(ProgramError, match=r"f:3:1: cim.read_core: a word line is given -129, which is no number"):
        run(read.format(-129), [1, 2, 3, 4], "cm", w=w)
    with pytest.raises(ProgramError, match=r"f:3:1: MaxPool: its windows reach over 3298534883330 elements: at most"):
        run("MaxPool([in=4x1 out=4x1 kernel=2 stride=1099511627776], 0, 10)", [1, 2, 3, 4])


@pytest.mark.parametrize("given", [300, -300, -129, 256, 2**31 - 1, -(2**31)])
def test_word_lines_take_numbers_of_8_bits_only(given):
    read = "cim.read_core(Gemm, [weights=w[0:4,0:4] in=4 out=4], core0, 0, 10)"
    with pytest.raises(ProgramError, match=f"a word line is given {given}, which is no number of 8 bits"):
        run(read, [1, 2, given, 4], "cm", w=np.zeros((4, 4), np.int8))


def test_registers_are_0_behind_the_columns_of_a_product():
    text = "mov(0, xb0, 4)\ncim.write_xb(xb0, w[0:4,0:3])\ncim.read_xb(xb0, 1)\ncim.write_xb(xb0, w[0:4,0:1])\n"
    w = np.arange(1, 13, dtype=np.uint8).reshape(4, 3)
    assert run(f"{text}cim.read_xb(xb0, 1)\nmov(xb0, 10, 4)", [1, 0, 0, 255], w=w) == [1 + 10 * 255, 0, 0, 0]


def test_arrays_hold_what_elements_can_be():
    for array in (np.array([2**31]), np.array([0.5], np.float32)):
        with pytest.raises(ProgramError, match=rf"f:3:1: add: array 'b' holds {array.dtype}: elements that are i32"):
            run("add(0, b, 10, 4)", [1, 2, 3, 4], b=array)


def test_a_core_runs_one_sample_after_the_other():
    flow = parse_flow(HEAD + "add(0, b, 10, 4)\nmul(10, 10, 10, 4)", "f")
    core = FlowCore(lower_flow(flow, CHIPS["xbm"], {"b": np.array([1], np.int32)}, "f"))
    for first in range(3):
        x = np.arange(first, first + 4, dtype=np.int32)
        assert core.run({"x": x})["y"].tolist() == ((x + 1) ** 2).tolist()
