"""Times and energies are those that pimsim-nn printed for random programs on random chips."""

import pytest
from pimsim_files import case_ids, measured, write_case

from emu.interop.pim_isa.timing.time_program import time_program

CASES = {case["id"]: case for case in measured()["cases"]}
EXACT = 1e-9
PARTS = {
    "matrix": ("dac", "crossbar", "sample_hold", "adc", "shift_add", "output_buffer"),
    **{
        name: (name,)
        for name in ("inst_fetch", "inst_decode", "reg_file", "scalar", "vector", "local_memory", "transfer")
    },
}


@pytest.mark.parametrize("name", case_ids())
def test_the_cycle_by_cycle_executor_is_exact_also_where_ties_decide(tmp_path, name):
    case = CASES[name]
    wanted = case["upstream"]
    timed = time_program(*write_case(tmp_path, case), executor="step")
    assert {str(core): ps for core, ps in timed.run.finish.items()} == wanted["finish_ps"]
    assert timed.run.latency == round(wanted["latency_ns"] * 1000)
    assert timed.energy.total == pytest.approx(wanted["energy_pj"], rel=EXACT)
    for core, energies in timed.energy.by_core.items():
        for component, names in PARTS.items():
            found = sum(energies.get(part, 0.0) for part in names)
            assert found == pytest.approx(wanted["core_dynamic_pj"][str(core)][component], rel=EXACT, abs=1e-12)
    assert timed.energy.dynamic["network"] == pytest.approx(wanted["network_pj"], rel=EXACT)
    assert timed.energy.dynamic["global_memory"] == pytest.approx(wanted["global_memory_pj"], rel=EXACT)


@pytest.mark.parametrize("name", case_ids())
def test_the_fork(tmp_path, name):
    wanted = CASES[name]["fork"]
    timed = time_program(*write_case(tmp_path, CASES[name]), simulator="fork", executor="step")
    assert timed.run.latency == round(wanted["latency_ns"] * 1000)
    assert timed.energy.total == pytest.approx(wanted["energy_pj"], rel=EXACT)
