"""What is proved holds whatever the timing: random sets with events, messages and global memory, several samples."""

from pathlib import Path
from random import Random

import pytest
from event_sets import INPUT, random_set
from interleaved import FAILED, Interleaved, in_order

from emu.asm.set_parser import parse_program_set
from emu.check import Outcome, check_programs
from emu.errors import ProgramError
from emu.noc.ports.port import FlowControl

FLOWS = ("rendezvous", "credits:1", "credits:3")
SAMPLES = 4
EXAMPLES = Path(__file__).parent / "events"


def inputs(seed, samples=SAMPLES):
    return [Random(f"{seed} {sample}").randbytes(INPUT) for sample in range(samples)]


def verdicts(programs, flow=None):
    code = {core.program.core: core.program for core in programs.cores}
    return check_programs(
        code,
        programs.arch,
        programs.inputs,
        programs.outputs,
        programs.global_size,
        FlowControl.parse(flow) if flow else None,
    )


def compare(programs, flow, seed, runs=2):
    """The verdict against one sample after the other, and against cores at their own pace."""
    report = verdicts(programs, flow)
    content = inputs(seed)
    expected, error = in_order(programs, FlowControl.parse(flow), content)
    refuted = {verdict.key for verdict in report.refuted}
    if report.proved:
        assert error is None
        for run in range(runs):
            assert Interleaved(programs, FlowControl.parse(flow), content, 10 * seed + run).run() == expected
    elif error is None:  # what no run notices, or leftovers, which those who drive a chip look for
        assert not refuted or refuted & {"races", "messages"}
    else:
        assert refuted
    return report, error


def many(seeds):
    """How many sets were proved, and how many failed as was said, over all flows."""
    proved = failed = 0
    for seed in seeds:
        try:
            programs = random_set(seed)
        except ProgramError:
            continue
        for flow in FLOWS:
            report, error = compare(programs, flow, seed)
            proved += report.proved
            failed += error is not None
    return proved, failed


def test_proved_sets_do_not_depend_on_timing():
    proved, failed = many(range(40))
    assert proved > 30 and failed > 4


@pytest.mark.full
@pytest.mark.parametrize("block", range(50))
def test_many_proved_sets_do_not_depend_on_timing(block):
    proved, failed = many(range(1000 + 100 * block, 1100 + 100 * block))
    assert proved > 60 and failed > 15


@pytest.mark.parametrize("name", ["two_syncs", "sync_and_message"])
def test_a_core_that_is_a_sample_ahead_satisfies_no_wait_of_this_one(name):
    """Two waits for two cores, one of them slow: the fast one's next sync does not count."""
    programs = parse_program_set((EXAMPLES / f"{name}.asm").read_text(), name, lambda _: b"")
    assert verdicts(programs).proved
    for seed in range(5):
        content = [data[:16] for data in inputs(seed, 12)]
        for flow in FLOWS:
            expected, error = in_order(programs, FlowControl.parse(flow), content)
            assert error is None
            assert Interleaved(programs, FlowControl.parse(flow), content, seed).run() == expected != FAILED


def test_a_sync_that_no_wait_takes_is_refuted():
    programs = parse_program_set((EXAMPLES / "left_over.asm").read_text(), "left_over", lambda _: b"")
    verdict = verdicts(programs).of("messages")
    assert verdict.outcome is Outcome.REFUTED
    assert "core 0 at main[1] sync (sample 0): a sample syncs event 0 of core 1 5 times and waits for 4" in str(
        verdict.detail
    )
