"""What is checked of flows without data, fault by fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from emu.arch.read import load_arch
from emu.errors import ArchError, ProgramError
from emu.interop.mop.checker import check_flow, chip_for, told
from emu.interop.mop.chip import MopChip, chip_of
from emu.interop.mop.parser import parse_flow

XBM = MopChip("c", "xbm", 2, 2, 8, 16, 4, 4, "columns", 1000)
CM, WLM = replace(XBM, mode="cm"), replace(XBM, mode="wlm")
BOUND = replace(XBM, binding="crossbars")
INPUT = '//@ input "x" i8[16] at 0\n'
WRITE = "cim.write_xb(xb0, w[0:8,0:8])\nmov(0, xb0, 8)\n"


def faults(text, chip=XBM):
    return told("f", check_flow(parse_flow(INPUT + text, "f"), chip))


@pytest.mark.parametrize(
    ("chip", "text"),
    [
        (XBM, f"{WRITE}cim.read_xb(xb0, 1)\nmov(xb0, 100, 8)"),
        (XBM, "cim.write_xb(xb1, w[0:2,0:8])\nmov(0, xb1, 2)\ncim.read_xb(xb1, 1)"),
        (XBM, "parallel { mov(0, xb0, 4) mov(0, xb0+4, 4) mov(0, xb1, 4) }"),
        (XBM, "add(0, 1, 0, 4)"),
        (XBM, "parallel { add(0, 8, 0, 8) Relu(8, 20, 8) }"),
        (BOUND, "cim.write_xb(xb2, w[0:1,0:16])\nmov(0, xb2, 1)\ncim.read_xb(xb2, 2)"),
        (WLM, "cim.write_row(xb3+7, w[0:1,0:8])\nmov(0, xb3+7, 1)\ncim.read_row(xb3+7, 1)\nRelu(xb3+1, 20, 7)"),
        (CM, "cim.read_core(Gemm, [weights=w[0:16,0:8] in=16 out=8], core1, 0, 20)\nRelu(20, 20, 8)"),
        (CM, "MaxPool([in=4x4 out=2x4 kernel=2 stride=2], 0, 20)"),
    ],
)
def test_right_flows_pass(chip, text):
    assert faults(text, chip) == []


@pytest.mark.parametrize(
    ("chip", "text", "sentence"),
    [
        (CM, "cim.read_xb(xb0, 1)", "f:2:1: cim.read_xb: the chip is programmed in mode cm, cim.read_xb is of xbm"),
        (XBM, "cim.read_row(xb0, 1)", "mode xbm, cim.read_row is of wlm: it accepts cim.read_xb, cim.write_xb"),
        (WLM, "cim.read_core(Gemm, [in=1 out=1], core0, 0, 1)", "is programmed in mode wlm, cim.read_core is of cm"),
        (CM, "mov(0, xb0, 1)", "in mode cm crossbars and their registers cannot be addressed"),
        (XBM, "mov(0, 996, 5)", "memory has 1000 elements: element 1000 is beyond it"),
        (XBM, "mov(0, xb0+5, 4)", "the input register of xb0 has 8 elements: 9 is beyond it"),
        (XBM, "mov(xb0+5, 0, 4)", "the output register of xb0 has 8 elements: 9 is beyond it"),
        (XBM, "mov(0, xb4, 1)", "the chip has 4 crossbars: xb4 is none of them"),
        (BOUND, "mov(0, xb1, 1)", "2 crossbars of a core hold the bits of a weight, and xb1 is not the first of such"),
        (BOUND, "cim.read_xb(xb0, 1)", "2 crossbars hold the bits of a weight: len must be a multiple of that"),
        (XBM, "cim.write_xb(xb0, w[0:9,0:8])", "a crossbar holds 8 x 8 weights, the matrix has 9 x 8"),
        (XBM, "cim.write_xb(xb0, w)", "w must tell its rows and columns, as in w[0:27,0:32]"),
        (XBM, "cim.read_xb(xb0, 1)", "xb0 holds no weights yet: write them by cim.write_xb before"),
        (XBM, "cim.write_xb(xb0, w[0:8,0:8])\nmov(0, xb0, 7)\ncim.read_xb(xb0, 1)", "elements 0 to 7 of the input"),
        (XBM, "mov(xb0, 20, 8)", "reads elements 0 to 7 of the output register of xb0, of which"),
        (XBM, "mov(10, 20, 8)", "reads elements 10 to 17 of memory, of which nothing has written all"),
        (XBM, "parallel { mov(0, 20, 4) mov(4, 23, 4) }", "f:2:26: mov: writes elements 23 to 26 of memory, as"),
        (XBM, "parallel { mov(0, 4, 4) Relu(4, 30, 4) }", "reads elements 4 to 7 of memory, which mov in line 2, co"),
        (XBM, "requantize(0, s, 20, 4, 0, i8)\nAveragePool([in=4x4 out=4x4], 0, 20)", "works on float32, and"),
        (XBM, "MaxPool([in=4x4 out=4x4 channels=0:2], 0, 20)", "makes as many channels as it takes, 2, not 4"),
        (XBM, "MaxPool([in=4x4 out=4x4x1], 0, 20)", "out= must have as many axes as in=, 2"),
        (XBM, "MaxPool([in=4x4 out=4x4 kernel=2x2], 0, 20)", "kernel= must hold 1 sizes, one per axis"),
        (XBM, "MaxPool([in=4x4], 0, 20)", "params lack out=, the sizes of what is made"),
        (WLM, "cim.read_row(xb0, 5)", "5 rows are more than the 4 that are driven at a time"),
        (WLM, "cim.read_row(xb0+6, 3)", "a crossbar has 8 rows: 9 is beyond them"),
        (WLM, "cim.write_row(xb0+8, w[0:1,0:8])", "a crossbar has 8 rows: row 8 is beyond them"),
        (WLM, "cim.write_row(xb0, w[0:2,0:8])", "a row of a crossbar holds 1 x 8 weights at most"),
        (WLM, "mov(0, xb0, 1)\ncim.read_row(xb0, 1)", "reads row 0 of xb0, of which nothing has written all"),
        (CM, "cim.read_core(Gemm, [weights=w[0:16,0:8] in=16 out=8], core2, 0, 20)", "the chip has 2 cores: core2"),
        (CM, "cim.read_core(Gemm, [weights=w[0:16,0:9] in=16 out=9], core0, 0, 20)", "weights of core0 take 4 cross"),
        (CM, "cim.read_core(Gemm, [weights=w[0:17,0:8] in=16 out=8], core0, 0, 20)", "weights of rows up to 17 and 8"),
        (CM, "cim.read_core(Gemm, [weights=w[0:4,0:8] in=2x2 out=1x8], core0, 0, 20)", "in= of a Gemm is one size"),
        (replace(XBM, cols=1), "", "f:1:1: a crossbar of 1 columns cannot hold a weight of 2 cells"),
        (XBM, '//@ output "y" i8[2] at 20\n', "output 'y': reads elements 20 to 21 of memory, of which nothing"),
    ],
)  # fmt: skip
def test_faults_are_told(chip, text, sentence):
    found = faults(text, chip)
    assert found
    assert sentence in found[0]


def test_huge_addresses_are_refused_without_room_for_them():
    chip = replace(XBM, memory=1 << 48, rows=1 << 16, cores=1 << 16, crossbars=1 << 16)
    assert "is beyond the 134217728 that can be held here" in faults("fill(1000000000000, 0, 1)", chip)[0]
    text = "\n".join(f"fill(xb{number}+65535, 0, 1)" for number in range(1100))
    assert "the flow uses more than the 67108864 elements of registers" in faults(text, chip)[0]
    assert "xb0 holds no weights yet" in faults("cim.read_xb(xb0, 4294967296)", chip)[0]


def test_no_more_than_20_faults_are_told():
    assert len(faults("mov(500, 20, 1)\n" * 30)) == 20


def test_a_flow_needs_a_chip():
    with pytest.raises(ProgramError, match="declares no chip"):
        chip_for(parse_flow("mov(0, 1, 1)", "f"), None)


def test_what_a_flow_sees_of_an_architecture():
    assert chip_of(load_arch("cim-mlc-example")) == MopChip(
        "cim-mlc-example", "wlm", 2, 2, 32, 128, 2, 16, "columns", 1 << 30
    )


def test_a_flow_runs_on_one_chip():
    with pytest.raises(ArchError, match="isaac-board has 16 chips, but a flow of meta-operators runs on one: take"):
        chip_of(load_arch("isaac-board"))


ROW, MATRIX = "w[0:1,0:8]", "w[0:8,0:8]"


@pytest.mark.parametrize(
    ("chip", "block", "sentence"),
    [
        (
            XBM,
            f"{WRITE}parallel {{ cim.read_xb(xb0, 1) cim.write_xb(xb0, {MATRIX}) }}",
            "f:4:32: cim.write_xb: writes xb0, while cim.read_xb in line 4, column 12, of its parallel block",
        ),
        (
            XBM,
            f"parallel {{ cim.write_xb(xb1, {MATRIX}) cim.read_xb(xb3, 1) cim.read_xb(xb0, 2) }}",
            "f:2:12: cim.write_xb: writes xb1, while cim.read_xb in line 2, column 62, of its parallel block",
        ),
        (
            WLM,
            f"parallel {{ cim.write_row(xb0+7, {ROW}) cim.read_row(xb0, 1) }}",
            "f:2:12: cim.write_row: writes xb0, while cim.read_row in line 2, column 45, of its parallel block",
        ),
        (
            XBM,
            f"parallel {{ cim.write_xb(xb0, {MATRIX}) cim.write_xb(xb0, {ROW}) }}",
            "f:2:42: cim.write_xb: writes row 0 of xb0, as cim.write_xb in line 2, column 12, of its parallel block",
        ),
        (
            WLM,
            f"parallel {{ cim.write_row(xb0, {ROW}) cim.write_row(xb0+1, {ROW}) }}",
            "f:2:43: cim.write_row: writes the converters of xb0, as cim.write_row in line 2, column 12, of its",
        ),
    ],
)
def test_what_may_not_stand_beside_a_write_of_a_crossbar(chip, block, sentence):
    assert faults(block, chip)[0].startswith(sentence)


def test_writes_stand_beside_products_of_other_crossbars():
    products = f"{WRITE}cim.write_xb(xb2, {MATRIX})\nmov(0, xb2, 8)\n"
    assert faults(f"{products}parallel {{ cim.read_xb(xb0, 1) cim.write_xb(xb1, {MATRIX}) cim.read_xb(xb2, 1) }}") == []
