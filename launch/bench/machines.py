"""Rows about several machines, with agents on this one: against the run without them, and what links do at best."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from emu.image.manifest import FileDigest
from launch.bench.baselines.raw_stream import PIECE, raw_stream
from launch.bench.clock import interleaved, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import BenchError, probe
from launch.bench.processes import private_bytes, resident_bytes
from launch.bench.programs import halting, write_programs
from launch.bench.row import BenchRow, at_least, at_most, within
from launch.bench.workshop import Workshop, stored_inputs
from launch.chips.power import ProcessChip, power_on
from launch.machines.content.delivery import deliver_files
from launch.machines.content.parts import ImageFile
from launch.machines.engines.started import PlacedProcesses
from launch.machines.hosts.hosts import Hosts
from launch.machines.listening import AgentListener
from launch.processes.interpreter import child_environment
from launch.system.process_state import descendants

FILES = 5  # of each agent
JOINING = 120.0  # seconds
TIMEOUT = 300  # seconds without a result, after which a row is given up
WARM_UP = 3
ANSWER = 10.0  # seconds
OVER = "tcp"  # the transport of both sides: cores on several machines have no other
AGAINST = f"the same over {OVER} without agents"


@contextmanager
def _both(
    work: Workshop, network: str, cores: int, agents: int
) -> Generator[tuple[ProcessChip, ProcessChip, dict[str, Any]]]:
    """A warm chip whose cores are on agents, one without any, and an input for both."""
    image = work.image(network, cores)
    inputs = stored_inputs(image)
    with (
        power_on(image, cores=cores, timeout=TIMEOUT, hosts=f"local:{agents}", join_timeout=JOINING) as apart,
        power_on(image, cores=cores, timeout=TIMEOUT, transport=OVER) as together,
    ):
        for _ in range(WARM_UP):
            apart.run(inputs)
            together.run(inputs)
        yield apart, together, inputs


def latency(work: Workshop, network: str, cores: int, agents: int) -> RowMeasurement:
    """Milliseconds from one image to its outputs, the chips being warm and otherwise idle."""
    runs = work.settings.pairs
    with _both(work, network, cores, agents) as (apart, together, inputs):
        ours, base = interleaved(
            lambda: seconds(lambda: apart.run(inputs)), lambda: seconds(lambda: together.run(inputs)), runs
        )
    note = f"{cores} processes, on {agents} agents; medians of {runs}, one image each in turns"
    return RowMeasurement(ours=ours * 1e3, baseline=base * 1e3, unit="ms", against=AGAINST, note=note)


def pipelined(work: Workshop, network: str, cores: int, agents: int, repeat: int) -> RowMeasurement:
    """Milliseconds per image of a stream that flows through the cores."""
    repeat = min(repeat, 4) if work.settings.quick else repeat
    runs = work.settings.few
    with _both(work, network, cores, agents) as (apart, together, inputs):

        def stream(chip: ProcessChip) -> float:
            return seconds(lambda: [None for _ in chip.stream(inputs for _ in range(repeat))]) / repeat

        ours, base = interleaved(lambda: stream(apart), lambda: stream(together), runs)
    note = f"{cores} processes, on {agents} agents; streams of {repeat} images; medians of {runs}, in turns"
    return RowMeasurement(ours=ours * 1e3, baseline=base * 1e3, unit="ms", against=AGAINST, note=note)


def start(work: Workshop, cores: int, agents: int) -> RowMeasurement:
    """Seconds until cores on agents are ready, from before the agents are started."""
    timings = probe(starts, cores=cores, agents=agents, rounds=work.settings.few).result
    return RowMeasurement(
        ours=timings["seconds"],
        baseline=timings["bare_seconds"],
        unit="s",
        against=AGAINST,
        note=(
            f"{cores} cores whose programs only halt, on {agents} agents that are started, too; "
            f"medians of {work.settings.few}, in turns"
        ),
    )


def starts(cores: int, agents: int, rounds: int) -> dict[str, float]:
    """Median seconds until `cores` idle cores are ready, without agents (bare) and on so many."""

    def ready(**options: Any) -> float:
        began = time.perf_counter()
        with power_on(image, cores=cores, timeout=TIMEOUT, **options):
            return time.perf_counter() - began

    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # who has installed us does not compile at every start
    with tempfile.TemporaryDirectory() as folder, _cache_in(Path(folder) / "cache"):
        image = write_programs(folder, halting(cores), cores)
        ours, bare = interleaved(
            lambda: ready(hosts=f"local:{agents}", join_timeout=JOINING), lambda: ready(transport=OVER), rounds
        )
    return {"bare_seconds": bare, "seconds": ours}


def idle_agent(work: Workshop) -> RowMeasurement:
    """Memory of an agent that has joined and has nothing to do, on a host of its own."""
    found = probe(agent_memory).result
    return RowMeasurement(
        ours=found["bytes"] / 1e6,
        baseline=None,
        unit="MB",
        note="absolute target only; all memory of the agent, and what the process that forks its cores has for itself",
    )


def agent_memory() -> dict[str, int]:
    """Bytes of an idle agent that is started as on another host, the processes below it included."""
    with (
        AgentListener() as listener,
        PlacedProcesses(
            {"h0": listener.bootstrap.command(0, "h0")}, listener.bootstrap.line(), child_environment()
        ) as placed,
    ):
        (agent,) = listener.wait_for(1, JOINING, placed.ended)
        process = agent.ask("pid", ANSWER)
        if process is None:
            raise BenchError(f"an idle agent has not answered within {ANSWER:g} s: see its load")
        return {"bytes": resident_bytes(process) + sum(map(private_bytes, descendants(process)))}


def image_transfer(work: Workshop, agents: int, megabytes: int) -> RowMeasurement:
    """Bandwidth of files to agents that take, verify and keep them, each its own part."""
    numbers = iter(range(work.settings.few))
    folder = work.folder / "image-transfer"
    size = max(1, megabytes * 1_000_000 // (agents * FILES))
    with _cache_in(folder / "cache"), Hosts(f"local:{agents}", JOINING) as hosts:
        hosts.gather()

        def ours() -> float:
            number = next(numbers)
            files = [_random_files(folder, f"{number}-{agent.name}", size) for agent in hosts.agents]
            wanted = list(zip(hosts.agents, files, strict=True))
            return seconds(lambda: deliver_files(folder, wanted, hosts.pump))

        taken, bare = interleaved(ours, lambda: raw_stream(agents, max(agents, megabytes)), work.settings.few)
    moved = size * agents * FILES / 1e6
    return RowMeasurement(
        ours=moved / taken,
        baseline=max(agents, megabytes) * PIECE / 1e6 / bare,
        unit="MB/s",
        against="pyzmq with CURVE over loopback, messages that nobody keeps",
        note=f"{agents} agents, {FILES} files each, hashed and written; medians of {work.settings.few} in turns",
    )


def _random_files(folder: Path, name: str, size: int) -> list[ImageFile]:
    files: list[ImageFile] = []
    for number in range(FILES):
        content = os.urandom(size)
        (folder / f"{name}-{number}").write_bytes(content)
        files.append(ImageFile(f"{name}-{number}", FileDigest(hashlib.sha256(content).hexdigest(), size)))
    return files


@contextmanager
def _cache_in(folder: Path) -> Generator[None]:
    """Agents that are started inside of it keep files there."""
    before = os.environ.get("XDG_CACHE_HOME")
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        yield
    finally:
        del os.environ["XDG_CACHE_HOME"]
        if before is not None:
            os.environ["XDG_CACHE_HOME"] = before


ROWS = (
    BenchRow(
        "hosts-latency",
        "resnet18, 64 processes on 2 agents, warm, latency of one image",
        latency,
        {"network": "resnet18", "cores": 64, "agents": 2},
        **at_most(1.3),
    ),
    BenchRow(
        "hosts-pipelined",
        "resnet18, 64 processes on 2 agents, pipelined, time per image",
        pipelined,
        {"network": "resnet18", "cores": 64, "agents": 2, "repeat": 32},
        **at_most(1.1),
    ),
    BenchRow(
        "hosts-start",
        "256 cores on 4 agents ready, each with a program that only halts",
        start,
        {"cores": 256, "agents": 4},
        **at_most(1.5),
    ),
    BenchRow("agent-memory", "memory of an idle agent", idle_agent, **within("MB", 60)),
    BenchRow(
        "image-transfer",
        "100 MB of an image to 4 agents that have nothing of it",
        image_transfer,
        {"agents": 4, "megabytes": 100},
        **at_least(0.5),
    ),
)
