"""Cost models against their papers and the formulas of the chips' sums."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from product_sets import products

from emu.arch.cost_models import COST_MODELS, GENERIC
from emu.arch.read import load_arch
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.table import BY_CODE
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.timing.basis.units import FIRST_GROUP, NO_UNIT, SCALAR, TRANSFER, VECTOR
from emu.timing.chip.product import product_ns
from emu.timing.executor.step import step
from emu.timing.model.costs import WHOLE
from emu.timing.prepare import prepare

NS = 1000
PUMA = load_arch("puma")
BITS = {DType.f32: 16, DType.i8: 8, DType.i16: 16}  # of inputs, on chips of 16-bit numbers


def costs_of(program, chip, **changes):
    arch = load_arch(chip) if isinstance(chip, str) else chip
    return prepare({0: program}, arch, FlowControl()).cores[0].sections["main"].costs


def latency(program, chip, window=None):
    setup = prepare({0: program}, load_arch(chip), FlowControl())
    return step(setup if window is None else replace(setup, window=window)).latency


def test_isaac_takes_22_cycles_for_16_bits():
    assert latency(products(1), "isaac") == 2200 * NS
    assert latency(products(1, dtype=DType.i16), "isaac") == 2200 * NS
    assert latency(products(1, dtype=DType.i8), "isaac") == 1400 * NS


def test_isaac_without_a_time_of_sigmoids_takes_that_of_a_pass():
    arch = load_arch("isaac")
    for special, passing, cycles in ((None, 50.0, 21.5), (None, None, 21), (100.0, 50.0, 22)):
        vector = replace(arch.timing.vector, special_ns=special, pass_ns=passing)
        chip = replace(arch, timing=replace(arch.timing, vector=vector))
        costs = costs_of(products(1), chip)
        assert (costs.compute + costs.read + costs.write)[0] == cycles * 100 * NS


def test_isaac_begins_the_next_product_after_16_cycles():
    assert latency(products(10), "isaac") == (2200 + 9 * 1600) * NS
    assert latency(products(10), "isaac", window=1) == 10 * 2200 * NS


def test_isaac_with_slow_converters_waits_for_them():
    arch = load_arch("isaac")
    slow = replace(arch, timing=replace(arch.timing, adc=replace(arch.timing.adc, convert_ns=2.0)))
    costs = costs_of(products(1), slow)
    assert (costs.compute + costs.read + costs.write)[0] == 3 * 256 * NS + 16 * 256 * NS + 300 * NS


def test_puma_takes_2304_ns_for_16_bits():
    costs = costs_of(products(1), "puma")
    words = 256 // 32  # of the inputs, and of the outputs
    assert costs.compute[0] == (2304 + 2 * words) * NS and costs.interval[0] == WHOLE
    assert costs.read[0] == costs.write[0] == words * 2 * NS
    assert costs.counts["mvmu", "busy_ps"][0] == 2304 * NS
    fill, issue = 2, 1
    assert latency(products(3), "puma") == (fill + issue + 3 * (2304 + 6 * words)) * NS
    eight = costs_of(products(1, dtype=DType.i8), "puma")
    assert eight.counts["mvmu", "busy_ps"][0] == (8 + 2) * 128 * NS // 2  # 4 of the 8 arrays of a unit


def test_pipeline_by_hand():
    """pimsim-nn's own figures: 8 steps, 64 conversions by each of two converters, overlapped."""
    costs = costs_of(products(1, dtype=DType.i8), "pimsim-latency")
    front, back = 1 + 30 + 1, 10 + 2 + 63 * 10
    assert costs.compute[0] == (front + back + 7 * back) * NS and costs.interval[0] == WHOLE
    assert (costs.read[0], costs.write[0]) == (2 * NS, 8 * NS)  # 128 and 512 bytes, 64 at a time
    arch = load_arch("pimsim-latency")
    apart = replace(arch, timing=replace(arch.timing, pipelined=False))
    assert costs_of(products(1, dtype=DType.i8), apart).compute[0] == 8 * (front + back) * NS


DIVIDE = "vvdiv vvmod vvrem vsdiv vavg"
MULTIPLY = "vvmul vsmul vvdmul vprod mmul"
SPECIAL = """vvpow vspow vtanh vsigm vexp vlog vsqrt verf vsin vcos vtan vasin vacos vatan vsinh vcosh vasinh vacosh
vatanh"""
PLAIN = """vvadd vvsub vvmax vvmin vvsll vvsra vvand vvor vvxor vveq vvne vvlt vvle vvgt vvge vsel vsadd vssub vsmax
vsmin vlrelu vrelu vabs vneg vfloor vceil vround vnot vsign vsum vrmax vrmin vargmax vargmin vmv vscatter vcvt vrsu
vrsl vlut vput vtopk"""
PRICED = {"divide": DIVIDE, "multiply": MULTIPLY, "special": SPECIAL, "op": PLAIN}


def test_each_digital_function_costs_what_it_does():
    rows = {row.name: row for row in BY_CODE.values() if row.digital}
    assert sorted(rows) == sorted(" ".join(PRICED.values()).split())
    for action, names in PRICED.items():
        for row in map(rows.get, names.split()):
            build = SectionBuilder()
            types = tuple(DType.f32 if DType.f32 in kinds else sorted(kinds)[0] for kinds in row.accepts)
            fields = {"imm": 2.0, "m": 1, "k": 1, "entries": 1, "width": 1, "n": 3}
            places = tuple(Address(64 * place) for place in range(len(row.operands)))
            build.emit(row.name, types, places, **{field: fields[field] for field in row.fields})
            build.emit("halt")
            costs = costs_of(Program(0, main=build.finish()), "puma")
            counts = {name: int(costs.counts.get(("vector", name), [0])[0]) for name in PRICED}
            assert counts == {name: 3 * (name == action) for name in PRICED}, row.name
            passes = costs.counts["vector", "pass"][0]
            slow = replace(PUMA, timing=replace(PUMA.timing, vector=replace(PUMA.timing.vector, special_ns=9.0)))
            costs = costs_of(Program(0, main=build.finish()), slow)
            assert costs.compute[0] == passes * (9 if action == "special" else 1) * NS


@pytest.mark.parametrize("chip", ["isaac", "puma"])
@pytest.mark.parametrize("dtype", [DType.i8, DType.i16])
def test_models_agree_with_the_sums_of_chips(chip, dtype):
    costs = costs_of(products(1, dtype=dtype), chip)
    arch = load_arch(chip)
    units = Fraction(arch.cells(dtype), arch.core.crossbars_per_mvmu or 1)
    assert costs.counts["mvmu", "busy_ps"][0] == ceil(units * round(product_ns(arch, BITS[dtype]) * NS))


def test_isaac_converts_once_per_product_of_16_bit_numbers():
    """Conversions = MACs * (weight bits / cell bits) * (input bits / DAC bits) / rows."""
    counts = costs_of(products(1), "isaac").counts
    assert counts["adc", "convert"][0] == 128 * 128
    assert counts["crossbar", "read"][0] == 8 * 16 and counts["dac", "convert"][0] == 128 * 8 * 16
    tall = costs_of(products(1, tiles=3), "isaac").counts
    assert tall["adc", "convert"][0] == 3 * 128 * 128 and tall["accumulator", "op"][0] == 2 * 128


def mixed():
    """One instruction of each kind, with costs that follow from puma's figures."""
    build = SectionBuilder()
    i8 = (DType.i8,)
    build.emit("vvadd", i8, (Address(0), Address(64), Address(128)), n=33)
    build.emit("vsigm", (DType.f32,), (Address(0), Address(64)), n=5)
    build.emit("vmv", i8, (Address(0), Address(64, stride=7)), n=10)
    build.emit("lmv", (), (Address(0), Address(64)), size=100)
    build.emit("mmul", (DType.i8,) * 3, (Address(0), Address(64), Address(128)), m=2, k=3, n=5)
    build.emit("sldi", rd=1, imm=3)
    with build.loop(2):
        build.emit("nop")
    build.emit("ld", (), (Address(0), Address(0)), size=40)
    build.emit("halt")
    return Program(0, main=build.finish())


def test_digital_instructions_and_memory_by_hand():
    costs = costs_of(mixed(), "puma")
    vector, scalar, transfer = VECTOR, SCALAR, TRANSFER
    units = [vector] * 5 + [scalar, NO_UNIT, scalar, transfer, scalar]
    assert costs.unit.tolist() == units
    passes = [9, 2, 3, 0, 8]
    assert costs.compute.tolist() == [n * NS for n in [*passes, 1, 0, 0, 1, 0]]
    # words of 32 bytes: 33 bytes are 2; 5 16-bit numbers one; 10 elements apart 10; 100 bytes 4
    assert costs.read.tolist() == [n * 2 * NS for n in [4, 1, 10, 4, 2, 0, 0, 0, 0, 0]]
    assert costs.write.tolist() == [n * 2 * NS for n in [2, 1, 1, 4, 1, 0, 0, 0, 2, 0]]
    assert costs.issue.tolist() == [NS] * 6 + [0] + [NS] * 3
    assert costs.wire.tolist() == [0] * 8 + [10 * NS, 0]
    # 2 packets of 5 ns, 40 bytes at 25.6 GB/s; there is no figure for the memory itself
    assert costs.service.tolist() == [0] * 8 + [10 * NS + 1563, 0]
    assert costs.counts["vector", "op"].tolist() == [33, 0, 10, 0, 0, 0, 0, 0, 0, 0]
    assert costs.counts["vector", "special"].tolist() == [0, 5] + [0] * 8
    assert costs.counts["vector", "multiply"].tolist() == [0] * 4 + [30] + [0] * 5
    assert costs.counts["control", "instruction"].tolist() == [1] * 6 + [0] + [1] * 3


def test_writing_crossbars_takes_a_row_after_the_other():
    program = products(1, dtype=DType.i8)
    build = SectionBuilder()
    build.emit("xbwrite", (DType.i8,), (Address(0),), group=0, row=0, rows=10)
    costs = costs_of(replace(program, main=build.finish()), "puma")
    assert costs.unit.tolist() == [FIRST_GROUP] and costs.compute[0] == 10 * 85693
    assert costs.counts["crossbar", "write_cell"][0] == 10 * 128 * 4


def test_bytes_of_floats_count_as_the_chips_own_numbers():
    def sending(dtype):
        program = products(1, dtype=dtype)
        build = SectionBuilder()
        build.emit("send", (), (Address(0),), core=1, size=64)
        other = SectionBuilder()
        other.emit("recv", (), (Address(0),), core=0, size=64)
        programs = {0: replace(program, main=build.finish()), 1: Program(1, main=other.finish())}
        return prepare(programs, load_arch("puma"), FlowControl()).cores[0].sections["main"].costs.wire[0]

    assert sending(DType.f32) == 8 * NS and sending(DType.i8) == 16 * NS


def test_every_model_has_a_row():
    assert set(COST_MODELS) == {"pipeline", "isaac", "puma", "cim-mlc"} and GENERIC in COST_MODELS
    for name, model in COST_MODELS.items():
        assert model.name == name and model.source and model.window >= 1


def test_times_are_whole_picoseconds():
    for chip in ("isaac", "puma", "pimsim-latency"):
        costs = costs_of(products(2), chip)
        for column in (costs.issue, costs.read, costs.compute, costs.interval, costs.write, costs.wire, costs.service):
            assert column.dtype == np.int64
