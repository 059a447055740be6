"""Bounds and definedness: what the checker says of a core is what the step engine does, trap for trap."""

import numpy as np
from core_programs import ARCH, Drawn, Generator, Seeded, weights
from core_runs import run
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH as WILD
from strategies_programs import programs as wild_programs

from emu.check import Outcome
from emu.check.bounds import check_bounds
from emu.check.definedness import check_definedness
from emu.check.overlaps import check_overlaps
from emu.isa.table import BY_NAME
from emu.replay.core_view import CoreView

WEIGHTS = weights()
PROPERTIES = {
    "address out of range": check_bounds,
    "undefined read": check_definedness,
    "partial overlap of source and destination": check_overlaps,
}


def loads_registers(program):
    return any((s.columns["op"] == BY_NAME["sld"].code).any() for s in (program.init, program.main))


def compare(program, arch=ARCH, weights=WEIGHTS):
    """The verdicts against a run: traps are found where they happen, and what is proved does not happen."""
    trap = run(program, arch, weights, "step").trap
    view = CoreView(program, arch)
    found = {}
    for reason, check in PROPERTIES.items():
        result = found[reason] = check(view)
        if trap is None or trap.reason != reason:
            assert trap is not None or result.outcome is not Outcome.REFUTED, result
            continue
        assert result.outcome is not Outcome.PROVED, (trap, result)
        if not loads_registers(program):
            finding = result.finding
            place = finding.place
            assert (place.section, place.index, place.counters) == (trap.section, trap.index, trap.counters), (
                trap,
                finding,
            )
            assert (finding.operand, finding.value, finding.limit) == (trap.operand, trap.value, trap.limit)
            assert place.node == trap.node
    return trap, found


@settings(max_examples=examples(30, 100), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_verdicts_are_what_runs_do(data):
    compare(Generator(Drawn(data)).program())


def test_many_programs():
    count = dict.fromkeys(Outcome, 0)
    for seed in range(400):
        _, found = compare(Generator(Seeded(seed)).program())
        for result in found.values():
            count[result.outcome] += 1
    assert count[Outcome.PROVED] > 400
    assert count[Outcome.REFUTED] > 60
    assert count[Outcome.UNPROVED] < 20


def test_programs_of_rows_and_tables():
    trapped = proved = 0
    for seed in range(5000, 5300):
        program = Generator(Seeded(seed), common=("mmul", "vlut", "vput", "vtopk", "lldi")).program()
        trap, found = compare(program)
        trapped += trap is not None and trap.reason in PROPERTIES
        proved += all(result.outcome is Outcome.PROVED for result in found.values())
    assert trapped > 60 and proved > 40


@settings(max_examples=examples(25, 150), suppress_health_check=list(HealthCheck))
@given(wild_programs())
def test_programs_with_arbitrary_addresses(program):
    weights = [np.zeros((group.rows, group.padded_cols), group.weight.numpy) for group in program.groups]
    compare(program, WILD, weights)
