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

from emu.arch.components import COMPONENTS
from emu.arch.read import load_arch, parse_arch
from emu.arch.system import System
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
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
    setup = prepare({0: products(3)}, load_arch("isaac"), FlowControl())
    timing = step(setup, 4)
    places = counts_of(setup, "main", timing.main).by_place()
    assert set(places) == {(0, 0)} and places[0, 0]["adc", "convert"] == 4 * 3 * 128 * 128
    init = counts_of(setup, "init", timing.init)
    assert init.totals() == {} and len(init.count) == 0


def energy_of(chip, program):
    arch = load_arch(chip)
    setup = prepare({0: program}, arch, FlowControl())
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


LASTS = {  # the time for which an action draws power
    ("crossbar", "read"): "crossbar.read_ns",
    ("dac", "convert"): "crossbar.read_ns",
    ("sample_hold", "op"): "crossbar.read_ns",
    ("adc", "convert"): "adc.convert_ns",
    ("shift_add", "op"): "shift_add.latency_ns",
    ("scalar", "op"): "scalar.op_ns",
    ("control", "instruction"): "control.issue_ns",
    ("bus", "word"): "bus.word_ns",
    ("local_memory", "read"): "local_memory.read_ns",
    ("local_memory", "write"): "local_memory.write_ns",
    ("global_memory", "read"): "global_memory.read_ns",
    ("global_memory", "write"): "global_memory.write_ns",
}


@pytest.mark.parametrize(("action", "time"), LASTS.items())
def test_an_action_costs_its_power_for_a_time_of_the_chip(action, time):
    table, key = time.split(".")
    powers = f"[energy.{action[0]}]\npower_mw = 5\nstatic_mw = 1\n"
    arch = parse_arch(f"[timing.{table}]\n{key} = 7\n{powers}", "a.toml")
    assert prices_of(arch, [action]).prices == {action: 28}
    assert prices_of(parse_arch(powers, "a.toml"), [action]).prices == {}


def test_all_other_actions_need_a_price():
    timed = {(name, action) for name, component in COMPONENTS.items() for action in component.duration}
    assert timed == set(LASTS)


@pytest.mark.parametrize("name", ["multiply", "divide", "special"])
def test_functions_without_a_price_cost_what_other_elements_do(name):
    arch = load_arch("puma")
    vector = replace(arch.energy.vector, **{f"{name}_pj": None})
    prices = prices_of(replace(arch, energy=replace(arch.energy, vector=vector)), [("vector", name)])
    assert prices.prices["vector", name] == arch.energy.vector.op_pj
    own = replace(vector, **{f"{name}_pj": 77.0})
    assert prices_of(replace(arch, energy=replace(arch.energy, vector=own)), [("vector", name)]).prices == {
        ("vector", name): 77
    }


def test_passes_or_elements():
    arch = load_arch("pimsim-latency")
    prices = prices_of(arch, [("vector", "pass"), ("vector", "op")])
    assert set(prices.prices) == {("vector", "pass")} and prices.unpriced == ()


def test_static_power():
    power = static_power(load_arch("pimsim-latency"), range(10))
    assert power.chip == {"local_memory": 64.0, "global_memory": 1.0}
    assert power.used == {"local_memory": 10.0, "global_memory": 1.0}
    assert static_power(load_arch("isaac"), [0]).used["offchip"] == 10400
    shared = static_power(load_arch("puma"), range(9)).used
    assert shared["receive_buffer"] == pytest.approx(2 * 0.18)  # of two tiles of 8 cores
    assert static_pj(2.0, 3000) == 6.0


def test_chips_without_a_program_are_at_rest_apart():
    board = static_power(load_arch("isaac-board"), [0, 1, 168, 15 * 168])
    assert (board.used["offchip"], board.chip["offchip"]) == (3 * 10400, 16 * 10400)
    assert static_power(load_arch("isaac-board"), [200]).used["offchip"] == 2 * 10400  # the first has the memory
    several = replace(load_arch("pimsim-latency"), system=System(3))
    assert static_power(several, [0, 64, 128]).used == {"local_memory": 3.0, "global_memory": 1.0}
    assert static_power(several, [0]).chip == {"local_memory": 192.0, "global_memory": 1.0}


def test_eight_bits_cost_less_than_sixteen():
    energies = [sum(energy_of("isaac", products(1, dtype=dtype))[0].values()) for dtype in (DType.i8, DType.i16)]
    assert energies[0] < energies[1] / 2 and np.isfinite(energies).all()
