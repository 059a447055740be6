"""Peak power: exact by hand; the same by both executors, in windows of any size, and as a sum over every moment."""

from dataclasses import replace

import numpy as np
import pytest
from core_programs import Drawn, Seeded
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from product_sets import products
from timed_nests import Nests
from timed_sets import Sets

from emu.arch.read import load_arch
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.operands.loop_tree import Loop
from emu.operands.timeline import TooMuch
from emu.program.program import Program
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.units import VECTOR
from emu.timing.energy.counts import counts_of
from emu.timing.energy.energy import dynamic_pj
from emu.timing.energy.prices import prices_of
from emu.timing.fast.fast import fast
from emu.timing.fast.observer import FRONT
from emu.timing.power import operations as operations_module
from emu.timing.power import peak as peak_module
from emu.timing.power import record as record_module
from emu.timing.power.draw import Draw, draws_of
from emu.timing.power.operations import logged, operations_of
from emu.timing.power.peak import most_of, peak_power
from emu.timing.power.record import Record, Repeated
from emu.timing.power.sweep import largest_sums
from emu.timing.prepare import prepare

BIG = 1 << 40
LOOP = Loop(0, 9, 0, 9, (), False)


def rows_of(parts):
    """All operations, sorted."""
    found = [part.rows(-1, BIG)[0] for part in parts]
    rows = np.concatenate([np.zeros((0, 3), np.int64), *found])
    return rows[np.lexsort(rows.T)]


def random_draws(setup, seed):
    """Any energies, and any crossbars of the instructions."""
    rng = np.random.default_rng(seed)
    found = {}
    for core, entry in setup.cores.items():
        count = len(entry.sections["main"].view.section)
        found[core] = Draw({"adc": rng.random(count), "dac": rng.random(count)}, rng.integers(0, 5, count))
    return found


def by_moments(found, draws, begin):
    """The peaks as the definition has them: the sum at every moment at which something begins."""
    columns = [
        (core, *rows[:, :2].T, draws[core].amounts(rows)) for core, parts in found.items() for rows in [rows_of(parts)]
    ]
    best = [[0, 0], [0, 0]]  # chip, at
    by_core = {core: [0, 0] for core in found}
    moments = sorted({int(time) for _, starts, _, _ in columns for time in starts})
    for now in moments:
        sums = {core: amounts[(starts <= now) & (now < ends)].sum(axis=0) for core, starts, ends, amounts in columns}
        for place in range(2):
            whole = sum(int(part[place]) for part in sums.values())
            if whole > best[place][0]:
                best[place] = [whole, now - begin]
            for core, part in sums.items():
                by_core[core][place] = max(by_core[core][place], int(part[place]))
    return best, by_core


def check_executors(choose):
    """The operations that the fast executor keeps are those of the log."""
    setup, samples = choose.choice((Nests, Sets))(choose).setup(), choose.integer(1, 5)
    timing, slow = logged(setup, samples)
    if setup.port_queues:
        return
    found, kept = operations_of(setup, samples)
    np.testing.assert_array_equal(found.main.ends, timing.main.ends)
    np.testing.assert_array_equal(found.main.ends, fast(setup, samples).main.ends)
    for core, parts in slow.items():
        np.testing.assert_array_equal(rows_of(kept[core]), rows_of(parts))


def check_moments(choose):
    """The sweep gives the sum at every moment, whatever the windows are."""
    setup = Sets(choose).setup()
    timing, found = operations_of(setup, choose.integer(1, 3))
    draws = random_draws(setup, choose.integer(0, 99))
    begin, end = timing.main.begin, timing.main.end
    best, by_core = by_moments(found, draws, begin)
    for at_once in (1, 5, 1 << 20):
        peak_module.AT_ONCE = at_once
        try:
            mosts = most_of(found, draws, begin, end)
        finally:
            peak_module.AT_ONCE = 1 << 20
        for place, most in enumerate(mosts):
            assert [most.chip, most.at] == best[place]
            cores = {core: sums[place] for core, sums in by_core.items()}
            assert most.on_core == max(cores.values()) == cores[most.core]


@pytest.mark.few(15)
@pytest.mark.parametrize("seed", range(60))
def test_both_executors_keep_the_same_operations(seed):
    check_executors(Seeded(seed))


@settings(max_examples=examples(13, 100))
@given(st.data())
def test_both_executors_drawn(data):
    check_executors(Drawn(data))


@pytest.mark.few(10)
@pytest.mark.parametrize("seed", range(40))
def test_the_sweep_is_the_sum_at_every_moment(seed):
    check_moments(Seeded(seed))


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_many_sets():
    for seed in range(5000):
        check_executors(Seeded(seed))
        check_moments(Seeded(seed))


def test_sums_by_hand():
    """The second operation ends as the third begins; one takes no time, one draws none."""
    starts, ends = np.array([0, 5, 10, 7, 6]), np.array([20, 10, 12, 7, 9])
    amounts = np.array([[3, 1], [4, 0], [4, 2], [100, 100], [0, 1]])
    sums, times = largest_sums(starts, ends, amounts)
    assert (sums.tolist(), times.tolist()) == ([7, 3], [5, 10])
    sums, times = largest_sums(*(np.zeros(0, np.int64),) * 2, np.zeros((0, 2), np.int64))
    assert (sums.tolist(), times.tolist()) == ([0, 0], [0, 0])


def test_a_product_and_an_addition_by_hand():
    """On PUMA's chip: the energy of an operation over its time, and its crossbars."""
    arch = load_arch("puma")
    setup = prepare({0: products(3, 128, 128, DType.i8), 1: products(1, 64, 64, DType.i8, 2)}, arch, FlowControl())
    found = peak_power(setup, arch)
    powers = []
    for entry in setup.cores.values():
        costs = entry.sections["main"].costs
        prices = prices_of(arch, costs.counts).prices
        pj = sum(amounts[0] * prices.get(action, 0.0) for action, amounts in costs.counts.items())
        powers.append(pj / int((costs.read + costs.compute + costs.write)[0]) * 1000)
    assert found.chip_mw == pytest.approx(sum(powers), rel=1e-9)
    assert (found.power.core, found.core_mw) == (1, pytest.approx(max(powers), rel=1e-9))
    assert sum(found.components.values()) == pytest.approx(found.chip_mw, rel=1e-9)
    slices = arch.cells(DType.i8)
    assert (found.crossbars.chip, found.crossbars.on_core) == (slices + 2 * slices, 2 * slices)
    assert found.crossbars.core == 1


def test_power_over_time_is_the_energy():
    """What takes time has all of the energy: on PUMA's chip all but the front end's own."""
    arch = load_arch("puma")
    setup = prepare({0: products(7, 128, 128, DType.i8)}, arch, FlowControl())
    timing, found = operations_of(setup, 2)
    rows, draws = rows_of(found[0]), draws_of(setup, arch)
    prices = prices_of(arch, set(setup.cores[0].sections["main"].costs.counts))
    wanted = sum(dynamic_pj(counts_of(setup, "main", timing.main).totals(), prices).values())
    idle = rows[rows[:, 0] == rows[:, 1], 2]
    left = sum(float(part[idle].sum()) for part in draws[0].pj.values())
    assert draws[0].amounts(rows)[:, 0] @ (rows[:, 1] - rows[:, 0]) / 1e12 + left == pytest.approx(wanted, rel=1e-9)


def test_without_prices_there_are_crossbars():
    arch = load_arch("cim-mlc-isaac")
    found = peak_power(prepare({0: products(4, 128, 32, DType.i8, 3)}, arch, FlowControl()), arch)
    assert (found.power.chip, found.crossbars.chip, dict(found.components)) == (0, 3, {})


def test_programs_that_do_nothing():
    arch = load_arch("puma")
    assert peak_power(prepare({0: Program(0)}, arch, FlowControl()), arch).power.chip == 0


def test_periods_within_periods():
    """Two operations, the second of which came four times, three times in all."""
    record = Record()
    record.start(1, 0, 5, FRONT, ())
    inner = record.mark()
    record.start(2, 5, 5, FRONT, ())
    record.release(VECTOR, 9)
    record.leap(LOOP, 3, 10, inner, record.mark())
    record.leap(LOOP, 2, 100, 0, record.mark())
    want = [(k + at, k + end, which) for k in (0, 100, 200) for at, end, which in _once()]
    assert [tuple(row) for row in rows_of(record.parts()).tolist()] == sorted(want, key=lambda row: row[::-1])
    (first, *_, last) = record.parts()
    assert (first.count, last.count, last.rounds) == (2, 10, 2)
    assert [row[0] for row in last.rows(100, 106)[0].tolist()] == [100, 105]


def _once():
    return [(0, 5, 1), *((5 + 10 * k, 9 + 10 * k, 2) for k in range(4))]


def test_what_cannot_be_kept_is_refused(monkeypatch):
    arch = load_arch("puma")
    setup = prepare({0: products(9, 64, 64, DType.i8)}, arch, FlowControl())
    monkeypatch.setattr(record_module, "MOST", 0)
    record = Record()
    record.start(0, 0, 1, FRONT, ())
    with pytest.raises(TooMuch, match="a loop repeats more than 0 operations"):
        record.leap(LOOP, 1, 1, 0, record.mark())
    ported = replace(setup, local_ports=1, window=2)
    monkeypatch.setattr(operations_module, "LOGGED", 3)
    with pytest.raises(TimingRefused, match=r"take a chip without timing\.local_ports"):
        peak_power(ported, arch)


def test_a_part_that_is_long_over_is_not_looked_at():
    part = Repeated(np.array([[10, 12, 0]]), 3, 5)
    assert [part.meets(*window) for window in ((0, 10), (0, 11), (26, 27), (27, 99))] == [False, True, True, False]
