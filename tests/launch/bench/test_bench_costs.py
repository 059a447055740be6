"""Costs of steps: what is counted and timed is there; nothing here depends on the speed of the machine."""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from leaks import descendants

from launch.bench.baselines.forked import fork
from launch.bench.baselines.raw_chain import RawChain
from launch.bench.baselines.raw_traffic import LOAD, RECV, SEND, STORE, RawTraffic
from launch.bench.boundaries import BOUNDARIES, COPY, HEADER, RECEIVED, REQUEST, SENT, THREADS
from launch.bench.clock import least_in_turns
from launch.bench.cost_tables import cost_tables, costs_block
from launch.bench.costs import BARE_CALLS, STEPS, ChainCost, Costs, MessageCost, measure_costs
from launch.bench.instructions import InstructionCost, instruction_steps
from launch.bench.probe import probe
from launch.bench.processes import running_seconds, sleeps, thread_seconds
from launch.bench.steps import PAYLOAD, SMALL, WAKE, message_steps
from launch.bench.traffic import Load, MeasuredCost, beside_bare, boundary_calls, of_chips, spent
from launch.bench.workshop import BenchSettings, Workshop

CHAIN = ChainCost(2, 64, MeasuredCost(100e-6, 70e-6, 60e-6, 5.0), MeasuredCost(50e-6, 40e-6, 45e-6, 4.0))
MESSAGE = MessageCost(
    CHAIN, dict.fromkeys(STEPS, 2e-6), {WAKE: 5, SENT: 4.0, REQUEST: 2.0}, {WAKE: 4.0, **dict.fromkeys(BARE_CALLS, 1)}
)
COSTS = Costs([CHAIN], [MESSAGE], [InstructionCost("a", "an add", 3e-6, 1e-6), InstructionCost("b", "b", 5e-6, None)])


def test_calls_of_a_message_are_counted() -> None:
    found = boundary_calls(cores=2, size=1 << 17, rounds=8)
    assert found.keys() == BOUNDARIES.keys()
    assert (found[REQUEST], found[COPY]) == (2, 1)
    assert found[SENT] >= 2 and found[RECEIVED] >= 2 and found[THREADS] >= 1 and found[HEADER] >= 1
    assert found[SENT] >= found[THREADS]


def test_every_step_has_a_time() -> None:
    found = probe(message_steps, size=256, runs=1, least=0.0).result
    assert found.keys() == STEPS.keys() == {WAKE, PAYLOAD, *BOUNDARIES}
    assert all(math.isfinite(seconds) and seconds >= 0 for seconds in found.values())
    assert all(found[step] > 0 for step in STEPS if step != PAYLOAD)
    assert set(BARE_CALLS) <= STEPS.keys()


def test_instructions_have_times_beside_bare_ones() -> None:
    found = [InstructionCost(**each) for each in instruction_steps(runs=1, least=0.0)]
    assert len({each.name for each in found}) == len(found) > 5
    assert all(each.ours >= 0 and (each.bare is None or each.bare > 0) for each in found)


@pytest.mark.few(6)
def test_messages_have_costs_beside_those_of_a_bare_chain() -> None:
    ours, bare = (MeasuredCost(**each) for each in probe(beside_bare, cores=2, size=SMALL, rounds=4, runs=1).result)
    for each in (ours, bare):
        assert 0 < each.own <= each.processor and each.wall > 0 and each.wakes > 0


def test_loads_say_how_much_is_in_them() -> None:
    assert Load("message", 3, 4, samples=5).units == 60
    assert Load("instruction", 3, 4, samples=5).units == 120
    (found,) = of_chips([{"kind": "instruction", "cores": 1, "rounds": 3, "samples": 2}], runs=1)
    assert found.keys() == {"processor", "own", "wall", "wakes"} and found["processor"] > 0


def test_a_bare_chain_ends_with_its_processes() -> None:
    with RawChain(3, 16) as chain:
        chain.go(5)
        children = chain.children
        assert all(running_seconds(child) > 0 for child in children)
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_bare_traffic_takes_messages_in_the_order_of_the_receiver() -> None:
    steps = {
        0: [(LOAD, 0, 32), (SEND, 2, 100)],
        1: [(LOAD, 0, 32), (SEND, 2, 0), (RECV, 2, 7)],
        2: [(RECV, 1, 0), (RECV, 0, 100), (SEND, 1, 7), (STORE, 0, 64)],
    }
    with RawTraffic(steps) as traffic:
        traffic.go(3)
        children = traffic.children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_clocks_of_processes() -> None:
    own = os.getpid()
    found = spent(lambda: os.sched_yield(), [own], 2)
    assert found.wall > 0 and found.processor >= found.own >= 0
    assert own in thread_seconds(own) and sleeps(own) >= 0
    assert len(least_in_turns([list, dict], 2, 0.0)) == 2


def test_tables_take_a_message_apart() -> None:
    message, chain, instructions = cost_tables(COSTS)
    rows = {row[0]: row[3:] for row in message.rows}
    assert rows[WAKE] == ("5.0", "10", "4.0", "8")
    assert rows[REQUEST] == ("2.0", "4", "", "")
    assert rows["sum"] == ("", "22", "", "16")
    assert rows["rest"] == ("", "78", "", "34")
    assert rows["message"] == ("", "100", "", "50")
    assert rows[""] == ("", "30", "", "10")
    assert chain.rows == [("2", "64 B", "100", "50", "2x", "60", "45", "1.33x", "5.0", "4.0")]
    assert instructions.rows == [("an add", "3", "1", "2"), ("b", "5", "", "")]
    assert "| an add | 3 | 1 | 2 |" in costs_block(COSTS, "A machine")
    assert json.loads(json.dumps(COSTS.to_dict(), allow_nan=False))["messages"][0]["sums"] == pytest.approx(
        [22e-6, 16e-6]
    )


@pytest.mark.full
def test_costs_are_measured(tmp_path: Path) -> None:
    found = measure_costs(Workshop(tmp_path, BenchSettings(runs=1, quick=True)))
    assert [message.chain for message in found.messages] == found.chains
    assert all(message.calls.keys() == STEPS.keys() for message in found.messages)


KILLED = """
import os, signal
from launch.bench.baselines.forked import fork
from launch.bench.baselines.raw_chain import RawChain
chain = RawChain(2, 8)
print(*chain.children, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_bare_processes_do_not_outlive_the_one_that_is_killed() -> None:
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, timeout=60)
    children, deadline = {int(child) for child in done.stdout.split()}, time.monotonic() + 30
    assert len(children) == 2
    while children & set(descendants()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_goes_wrong_in_a_child_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    os.waitpid(fork(lambda: 1 // 0), 0)
    assert "ZeroDivisionError" in capfd.readouterr().err
