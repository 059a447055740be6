"""The devices of OCC and Cinnamon: what papers say of them, derived from their descriptions."""

import pytest

from emu.arch.read import load_arch
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec, physical_crossbars
from emu.program.program import Program
from emu.replay.writes import writes_of
from emu.timing.energy.counts import counts_of
from emu.timing.energy.energy import dynamic_pj
from emu.timing.energy.prices import prices_of
from emu.timing.executor.step import step
from emu.timing.prepare import prepare

NS, US = 1000, 1_000_000
CINNAMON, OCC = load_arch("cinnamon"), load_arch("occ")
I8, I32 = DType.i8, DType.i32


def full(arch, kind=I8):
    """A group that fills a crossbar, or the crossbars that its weights take together."""
    return GroupSpec(kind, I8, I32, (arch.crossbar.rows,), (arch.columns(I8),), bank=0)


def writing(arch, rows):
    """A write of so many rows."""
    build = SectionBuilder()
    build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=rows)
    return {0: Program(0, (full(arch),), main=build.finish())}


def multiplying(arch, products, kind=I8):
    """Products with results in different places, so that none waits for the bytes of another."""
    build = SectionBuilder()
    for number in range(products):
        where = Address((1 << 17) + 1024 * number), Address(1 << 15)
        build.emit("mvmul", (kind, I32), where, group=0)
    return {0: Program(0, (full(arch, kind),), main=build.finish())}


def timed(arch, programs):
    """Latency in ps, counts and pJ by action of one sample."""
    setup = prepare(programs, arch, FlowControl())
    timing = step(setup)
    counts = counts_of(setup, "main", timing.main).totals()
    return timing.latency, counts, dynamic_pj(counts, prices_of(arch, counts))


@pytest.mark.parametrize(
    ("kind", "slices", "products"), [(I8, 4, 20), (DType.i16, 8, 10), (I32, 16, 5), (I8, 4, 1), (DType.i64, 32, 3)]
)
def test_cinnamon_fills_an_array_in_6_cycles_and_one_per_further_slice(kind, slices, products):
    latency, counts, _ = timed(CINNAMON, multiplying(CINNAMON, products, kind))
    assert latency == (6 + slices * products - 1) * NS
    assert counts["crossbar", "read"] == 2 * slices * products
    assert slices * products != 80 or latency == 85 * NS


def test_cinnamon_writes_32768_cells_to_fill_a_pair():
    programs = writing(CINNAMON, 128)
    (crossbar,) = writes_of(programs, CINNAMON).crossbars
    assert (crossbar.cells, crossbar.arrays, crossbar.size) == (2 * 128 * 128, 2, 2 * 128 * 128)
    assert physical_crossbars(programs[0].groups, CINNAMON) == 2 == CINNAMON.core.crossbars
    latency, counts, energy = timed(CINNAMON, programs)
    assert counts["crossbar", "write_cell"] == 32_768
    assert latency == 128 * 8520 * NS and energy["crossbar", "write_cell"] == 32_768 * 65.23125


def test_cinnamon_s_energy_is_the_formula_with_the_cell_that_is_named():
    cell = 0.5**2 * ((1 / 250e3 + 1 / 1e6) / 2) * 1e-9 * 1e12
    assert CINNAMON.energy.crossbar.read_pj == pytest.approx(128 * 128 * cell)
    assert CINNAMON.energy.crossbar.write_cell_pj == pytest.approx(1.75**2 * 2.5e-6 * 8.52e-6 * 1e12)
    _, _, energy = timed(CINNAMON, multiplying(CINNAMON, 20))
    assert energy["crossbar", "read"] == pytest.approx(1638.4)  # about 1,750 are quoted


def test_occ_s_tile_takes_what_its_table_says():
    latency, counts, energy = timed(OCC, multiplying(OCC, 1))
    assert latency == US
    assert counts["crossbar", "read"] == 1 and energy["crossbar", "read"] == pytest.approx(64 * 64 * 0.2)
    assert energy["mvmu", "busy_ps"] == pytest.approx(3900 + 40)
    assert energy["input_register", "byte"] == pytest.approx(64 * 5.4)
    assert energy["output_register", "byte"] == pytest.approx(64 * 4 * 5.4)


def test_occ_writes_a_row_in_2_5_us_and_a_cell_for_200_pj():
    latency, counts, energy = timed(OCC, writing(OCC, 64))
    assert latency == 64 * 2500 * NS
    assert counts["crossbar", "write_cell"] == 64 * 64 and energy["crossbar", "write_cell"] == 64 * 64 * 200
    (crossbar,) = writes_of(writing(OCC, 64), OCC).crossbars
    assert (crossbar.arrays, crossbar.writes_per_cell) == (1, 1.0) and OCC.crossbar.endurance == 3.2e7
