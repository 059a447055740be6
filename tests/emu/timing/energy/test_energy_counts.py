"""Energy: integer counts by place, prices, static power; the whole is the sum of its parts."""

from dataclasses import replace
from math import fsum

import numpy as np
import pytest
from core_programs import Seeded
from hypothesis import given
from hypothesis import strategies as st
from product_sets import products
from timed_sets import Sets

from emu.arch.read import load_arch
from emu.isa.dtypes import DType
from emu.noc.ports.port import Flow
from emu.timing.energy.counts import counts_of
from emu.timing.energy.energy import dynamic_pj, static_pj, static_power
from emu.timing.energy.prices import prices_of
from emu.timing.executor.step import step
from emu.timing.prepare import prepare


@given(st.integers(0, 1 << 32))
def test_the_whole_is_the_sum_of_its_parts(seed):
    setup = Sets(Seeded(seed)).setup()
    timing = step(setup, 2)
    counts = counts_of(setup, "main", timing.main)
    expected: dict[tuple[str, str], int] = {}
    for core, executions in zip(setup.cores.values(), timing.main.executions, strict=True):
        for action, amounts in core.sections["main"].costs.counts.items():
            expected[action] = expected.get(action, 0) + int((amounts * executions).sum())
    totals = counts.totals()
    assert totals == {action: count for action, count in expected.items() if count}
    places = counts.by_place()
    for action, total in totals.items():
        assert total == sum(found.get(action, 0) for found in places.values())
    prices = prices_of(load_arch("isaac"), totals)
    whole = dynamic_pj(totals, prices)
    parts = [dynamic_pj(found, prices) for found in places.values()]
    for action, energy in whole.items():
        assert energy == pytest.approx(fsum(part.get(action, 0.0) for part in parts), rel=1e-12)


def test_counts_know_their_node():
    setup = prepare({0: products(3)}, load_arch("isaac"), Flow())
    timing = step(setup, 4)
    places = counts_of(setup, "main", timing.main).by_place()
    assert set(places) == {(0, 0)} and places[0, 0]["adc", "convert"] == 4 * 3 * 128 * 128
    init = counts_of(setup, "init", timing.init)
    assert init.totals() == {} and len(init.count) == 0


def energy_of(chip, program):
    arch = load_arch(chip)
    setup = prepare({0: program}, arch, Flow())
    counts = counts_of(setup, "main", step(setup).main).totals()
    prices = prices_of(arch, counts)
    return dynamic_pj(counts, prices), prices


def test_a_product_on_puma():
    energy, prices = energy_of("puma", products(1))
    assert energy["mvmu", "busy_ps"] == pytest.approx(43.97e3, rel=5e-4)  # Table: 43.97 nJ
    assert ("adc", "convert") not in prices.unpriced  # it is part of the MVM unit


def test_a_product_on_isaac():
    """Table I: 16 cycles of an IMA's arrays and converters."""
    energy, prices = energy_of("isaac", products(1))
    assert energy["crossbar", "read"] == pytest.approx(8 * 16 * 30)
    assert energy["adc", "convert"] == pytest.approx(16 * 8 * 128 * 1.5625)
    assert energy["dac", "convert"] == pytest.approx(16 * 8 * 128 * 0.390625)
    ima_mw = {"crossbar": 2.4, "adc": 16, "dac": 4}
    for component, power in ima_mw.items():
        assert sum(pj for (part, _), pj in energy.items() if part == component) == pytest.approx(power * 1600)
    assert ("control", "instruction") in prices.unpriced


def test_power_times_duration_where_an_action_has_no_price():
    arch = load_arch("isaac")
    bare = replace(arch.energy.adc, convert_pj=None, static_mw=0.5)
    prices = prices_of(replace(arch, energy=replace(arch.energy, adc=bare)), [("adc", "convert")])
    assert prices.prices["adc", "convert"] == (2 - 0.5) * 0.78125
    unknown = prices_of(replace(arch, energy=None), [("adc", "convert"), ("vector", "op")])
    assert unknown.prices == {} and set(unknown.unpriced) == {("adc", "convert"), ("vector", "op")}


def test_functions_without_a_price_cost_what_other_elements_do():
    arch = load_arch("puma")
    vector = replace(arch.energy.vector, special_pj=None)
    prices = prices_of(replace(arch, energy=replace(arch.energy, vector=vector)), [("vector", "special")])
    assert prices.prices["vector", "special"] == arch.energy.vector.op_pj


def test_passes_or_elements():
    arch = load_arch("pimsim-latency")
    prices = prices_of(arch, [("vector", "pass"), ("vector", "op")])
    assert set(prices.prices) == {("vector", "pass")} and prices.unpriced == ()


def test_static_power():
    power = static_power(load_arch("pimsim-latency"), 10)
    assert power.chip == {"local_memory": 64.0, "global_memory": 1.0}
    assert power.used == {"local_memory": 10.0, "global_memory": 1.0}
    assert static_power(load_arch("isaac"), 1).used["offchip"] == 10400
    shared = static_power(load_arch("puma"), 9).used
    assert shared["receive_buffer"] == pytest.approx(2 * 0.18)  # of two tiles of 8 cores
    assert static_pj(2.0, 3000) == 6.0


def test_eight_bits_cost_less_than_sixteen():
    energies = [sum(energy_of("isaac", products(1, dtype=dtype))[0].values()) for dtype in (DType.i8, DType.i16)]
    assert energies[0] < energies[1] / 2 and np.isfinite(energies).all()
