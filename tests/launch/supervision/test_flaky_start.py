"""Runs whose connections are dropped while they start: right, or refused for a reason that is named; none hangs."""

import re
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from flaky_network import MOMENTS, FlakyNetwork
from program_sets import SLOT, ordered_messages
from stepper import Stepper
from thread_machine import ThreadMachine

from emu.noc.barrier import joining
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.memory.host_link import HostLink
from emu.noc.ports.port import FlowControl
from emu.noc.watch.watch import Watch
from emu.noc.wire.zeromq.library import ZeroMq
from launch.processes.options import RunOptions
from launch.processes.orders import Orders, ProcessOptions
from launch.supervision.errors import MessageDamaged, MessageLost, NeverStarted, RunTimeout
from launch.supervision.supervisor import Supervisor

CORES, SHARE, TOKEN = 64, 0.4, b"t" * 32
LONGEST = 60.0  # seconds of a start: beyond it a run hangs


@pytest.fixture(autouse=True)
def many_files():
    """All ends of all connections are in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 1 << 14), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """What was not answered is said again soon."""
    monkeypatch.setattr(joining, "AGAIN", 0.3)


def programs_of(seed: int):
    """64 cores that exchange messages, most with the next ones, and what they leave in global memory."""
    rng = Random(seed)
    pairs = [(core, (core + rng.randint(1, 5)) % CORES) for core in range(CORES) for _ in range(2)]
    rng.shuffle(pairs)
    programs = ordered_messages(CORES, [(src, dst, rng.randint(1, SLOT)) for src, dst in pairs])
    memory = GlobalMemory(4 * SLOT * CORES)
    RoundRobin({c: Stepper(p) for c, p in programs.items()}, programs, Fabric(FlowControl(), lambda s: memory)).run(
        "main", 0
    )
    return programs, memory.collect([(0, 4 * SLOT * CORES)])


def orders_of(programs, directory, flow):
    return Orders(
        image="",
        programs=list(programs),
        idle=[],
        options=ProcessOptions.of(RunOptions(engine="step", flow=flow)),
        keep={},
        token=TOKEN,
        directory=str(directory),
        observers=[],
        started=0.0,
        global_size=4 * SLOT * CORES,
        outputs=[(0, 4 * SLOT * CORES)],
        largest=1 << 16,
    )


def run(seed: int, monkeypatch, longest=LONGEST, relentless=False) -> tuple[str, Counter]:
    """ "right", or the name of the error that ends the run; and how many connections were dropped, by moment."""
    programs, expected = programs_of(seed)
    connect = ZeroMq.connect
    with (
        tempfile.TemporaryDirectory(prefix="flaky") as name,
        FlakyNetwork(Path(name), seed, SHARE, relentless) as network,
    ):

        def connect_through(library, endpoint, name, keys=()):
            return connect(library, network.front(endpoint), name, keys)

        monkeypatch.setattr(ZeroMq, "connect", connect_through)
        machine, link = ThreadMachine(programs, monkeypatch), None
        began = time.monotonic()
        try:
            machine.start(orders_of(programs, name, "rendezvous" if seed % 2 else "credits:2"))
            supervisor = Supervisor(machine, Watch(machine.board, programs), longest, "ipc")
            link = HostLink(machine.net, supervisor.endpoint(), 1)
            supervisor.follow(link)
            assert supervisor.next_result() is None
            link.put(0, [])
            assert supervisor.next_result().blocks == expected
            outcome = "right"
        except (NeverStarted, MessageLost, MessageDamaged) as error:
            outcome = f"{type(error).__name__}: {error}"
        finally:
            machine.close()
            if link is not None:
                link.close()
            monkeypatch.setattr(ZeroMq, "connect", connect)
    assert time.monotonic() - began < 2 * LONGEST
    return outcome, network.dropped


@pytest.mark.parametrize("seed", range(4))
def test_dropped_connections_do_not_keep_64_cores_from_starting(seed, monkeypatch):
    outcome, dropped = run(seed, monkeypatch)
    assert set(dropped) == set(MOMENTS) and sum(dropped.values()) > 40
    assert outcome == "right"


def test_what_is_lost_of_a_run_is_named(monkeypatch):
    """Connections that were answered are dropped, too, with the data on them."""
    outcome, _ = run(3, monkeypatch, relentless=True)
    assert re.match(r"right|NeverStarted: .* waits|Message(Lost|Damaged): .*core \d+", outcome)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_two_hundred_starts(monkeypatch):
    outcomes, dropped = Counter(), Counter()
    for seed in range(100, 300):
        relentless = seed % 4 == 3
        outcome, lost = run(seed, monkeypatch, relentless=relentless)
        outcomes[relentless, outcome.partition(":")[0]] += 1
        dropped += lost
    print(dict(outcomes), dict(dropped))
    assert outcomes[False, "right"] >= 148 and sum(outcomes.values()) == 200
    assert min(dropped[moment] for moment in MOMENTS) > 1000


def test_what_is_not_said_again_is_what_a_start_waits_for(monkeypatch):
    """The tests above can fail."""
    monkeypatch.setattr(joining, "AGAIN", 1e6)
    with pytest.raises(RunTimeout, match="the memory node waits for"):
        run(0, monkeypatch, longest=5.0)
