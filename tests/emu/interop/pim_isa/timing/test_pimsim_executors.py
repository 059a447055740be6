"""The fast executor is the defining one, first come first served: times, counts, complaints, on random programs."""

import pytest
from draws import examples
from hypothesis import given, settings
from pimsim_files import case_ids, measured, write_case
from pimsim_programs import chips, outcome, prepared, programs

from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.isa import PimUnit
from emu.interop.pim_isa.timing.activity import activity_at_window_one
from emu.interop.pim_isa.timing.fast import NotForFast, run_fast
from emu.interop.pim_isa.timing.setup import SIMULATORS, set_up
from emu.interop.pim_isa.timing.step import run_step

CASES = {case["id"]: case for case in measured()["cases"]}


def same(program, chip, simulator):
    setup = prepared(program, chip, simulator)
    try:
        fast = outcome(run_fast, setup)
    except NotForFast:
        assert any(activity_at_window_one(core.columns) is None for core in setup.cores)
        return
    assert fast == outcome(run_step, setup, False)


@given(programs(), chips(window=1))
def test_equal_on_random_programs(program, chip):
    same(program, chip, "upstream")


@settings(max_examples=examples(5, 100))
@given(programs(), chips(window=1))
def test_equal_by_the_rules_of_the_fork(program, chip):
    same(program, chip, "fork")


@pytest.mark.full
@settings(max_examples=3000)
@given(programs(most_cores=4, most=80), chips(window=1))
def test_equal_on_many_longer_programs(program, chip):
    same(program, chip, "upstream")


@pytest.mark.parametrize("name", case_ids())
def test_equal_on_the_measured_programs(tmp_path, name):
    case = CASES[name]
    core = case["config"]["chip_config"]["core_config"]
    case = case | {
        "config": case["config"]
        | {"chip_config": case["config"]["chip_config"] | {"core_config": core | {"rob_size": 1}}}
    }
    program, config = write_case(tmp_path, case)
    setup = set_up(read_program(program), read_chip(config), SIMULATORS["upstream"])
    assert outcome(run_fast, setup) == outcome(run_step, setup, False)


@pytest.mark.parametrize("name", [name for name in case_ids() if CASES[name]["tie_insensitive"]])
def test_the_chip_is_on_time_first_come_first_served_where_ties_decide_nothing(tmp_path, name):
    case = CASES[name]
    program, config = write_case(tmp_path, case)
    setup = set_up(read_program(program), read_chip(config), SIMULATORS["upstream"])
    run = run_fast(setup) if setup.window == 1 else run_step(setup, upstream_order=False)
    assert run.latency == round(case["upstream"]["latency_ns"] * 1000)


@given(programs(), chips())
def test_any_window_ends_or_says_why_and_counts_the_same_in_both_orders(program, chip):
    setup = prepared(program, chip)
    orders = [outcome(run_step, setup, order) for order in (True, False)]
    if all(isinstance(found, tuple) for found in orders):
        still = [
            {core: {k: v for k, v in counts.items() if k not in ACTIVITY} for core, counts in found[1].items()}
            for found in orders
        ]
        assert still[0] == still[1] and orders[0][2] == orders[1][2]


ACTIVITY = {"decode", "register_read", "register_write", "scalar"}  # depend on who is held up, so on ties


@given(programs(), chips())
def test_no_core_is_done_before_its_units_and_its_memory_port_are(program, chip):
    setup = prepared(program, chip)
    finish = outcome(run_step, setup, True)[0]
    for core in setup.cores if isinstance(finish, dict) else ():
        costs = core.costs
        vectors = costs.compute_ps[costs.unit == PimUnit.VECTOR].sum()
        port = (costs.reads * costs.read_ps).sum() + costs.write_ps.sum()
        assert finish[core.number] >= max(int(vectors), int(port), core.period * len(costs.index)) or not core.ends
