"""What writes cost, and how long the written cells last."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from emu.arch import Arch, Core, Crossbar, parse_arch
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from launch.timing.tables import crossbar_table, group_table
from launch.timing.wear import YEAR, wear_of

ARCH = Arch(core=Core(crossbars=64), crossbar=Crossbar(8, 4, cell_bits=2))
WRITES = parse_arch("[timing.crossbar]\nwrite_row_ns = 2.5\n[energy.crossbar]\nwrite_cell_pj = 3\n", "writes.toml")
PRICED = replace(
    ARCH,
    crossbar=replace(ARCH.crossbar, endurance=1000),
    timing=WRITES.timing,
    energy=WRITES.energy,
)
I8 = DType.i8
GROUPS = (GroupSpec(I8, I8, DType.i32, (8,), (3,), bank=0), GroupSpec(I8, I8, DType.i32, (8, 8), (4,), bank=0))
SLICES = 4  # of a sign and 7 bits
CELLS = (8 * 3 + 5 * 3 * 4) * SLICES


def timed(arch, build, period=10**12):
    program = Program(0, GROUPS, main=build.finish())
    return SimpleNamespace(chip=arch, programs={0: program}, period=period)


@pytest.fixture
def build():
    """8 rows of 3 weights, and 5 times 3 rows of 4."""
    build = SectionBuilder()
    build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=8)
    with build.loop(5):
        build.emit("xbwrite", (I8,), (Address(0),), group=1, row=2, rows=3)
    return build


def test_writes_cost_what_rows_and_cells_cost(build):
    wear = wear_of(timed(PRICED, build))
    told = wear.to_dict()
    assert (told["events"], told["rows"], told["cell_writes"]) == (6, 23, CELLS)
    assert (told["time_ps"], told["energy_pj"]) == (23 * 2500, CELLS * 3.0)
    for figure in ("rows", "events", "time_ps", "energy_pj"):
        assert sum(group[figure] for group in told["groups"]) == told[figure], figure
    assert sum(one["cells"] for one in told["crossbars"]) == CELLS


def test_years_are_endurance_times_size_over_the_rate(build):
    wear = wear_of(timed(PRICED, build))
    assert wear.cells == SLICES * 8 * 4  # rows 2 to 4 of the second group stand in its first crossbar
    assert wear.lifetime_years == pytest.approx(1000 * wear.cells / wear.cell_writes / YEAR)
    assert wear_of(timed(PRICED, SectionBuilder(), 0)) is None
    assert wear_of(timed(PRICED, build, 0)).lifetime_years is None  # at no rate


def test_the_most_worn_crossbar_lasts_least():
    build = SectionBuilder()
    for row in (0, 8, 8):
        build.emit("xbwrite", (I8,), (Address(0),), group=1, row=row, rows=2)
    wear = wear_of(timed(PRICED, build))
    told = wear.to_dict()
    assert told["most_worn"]["name"] == "core 0, crossbar 1 of the bank"
    assert told["most_worn"]["lifetime_years"] == min(one["lifetime_years"] for one in told["crossbars"])
    assert told["most_worn"]["lifetime_years"] < told["lifetime_years"]


def test_what_the_chip_does_not_say_is_not_told(build):
    told = wear_of(timed(ARCH, build)).to_dict()
    assert told["cell_writes"] == CELLS
    assert told["time_ps"] is told["energy_pj"] is told["lifetime_years"] is None
    assert "years" not in wear_of(timed(ARCH, build)).line()


def test_what_people_read(build):
    wear = wear_of(timed(PRICED, build))
    assert wear.line() == (
        "writes 336 cells per sample (6 writes of 23 rows, 57.5 ns, 1.008 nJ), in 4 crossbars of 128 cells,"
        " which last 1.21e-05 years at this rate; most worn: core 0, crossbar 0 of the bank, 2.62 writes per cell,"
        " 1.21e-05 years"
    )
    groups, crossbars = group_table(wear.to_dict()), crossbar_table(wear.to_dict())
    assert groups.rows[0] == ["0", "1", "0-1 of the bank", "5", "15", "240", "37.5 ns", "720 pJ"]
    assert crossbars.rows == [["core 0, crossbar 0 of the bank", "6", "23", "336", "2.625", "1.208e-05"]]


def test_programs_that_write_nothing_wear_nothing():
    assert wear_of(timed(ARCH, SectionBuilder())) is None
    assert group_table(None).rows == crossbar_table(None).rows == []
