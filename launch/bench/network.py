"""Rows about messages and idle cores, against bare pyzmq, in turns: only the ratios mean something."""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from typing import Any

import zmq

from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.bench.baselines.forked import end, fork
from launch.bench.baselines.raw_barrier import raw_barrier
from launch.bench.baselines.raw_roundtrip import RawPair
from launch.bench.clock import interleaved, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import probe
from launch.bench.processes import private_bytes
from launch.bench.programs import halting, write_programs
from launch.bench.row import BenchRow, at_least, at_most, within
from launch.bench.workshop import Workshop
from launch.chips.power import power_on

COUNT = 500  # messages of one sample: it takes 1.5 ms to begin and to end, whatever is in it
MEBI = 1 << 20
TIMEOUT = 300  # seconds


def small_messages(work: Workshop, size: int, flow: str = "rendezvous") -> RowMeasurement:
    """Microseconds per message from one core to another, the acknowledgement included."""
    timings = _messages(work, size, flow)
    return RowMeasurement(
        ours=timings["seconds"] * 1e6,
        baseline=timings["bare_seconds"] * 1e6,
        unit="us",
        against="pyzmq stop-and-wait",
        note=f"{size} bytes over ipc, flow {flow}",
    )


def large_messages(work: Workshop, size: int, flow: str = "rendezvous") -> RowMeasurement:
    """Bandwidth of messages from one core to another."""
    timings = _messages(work, size, flow)
    return RowMeasurement(
        ours=size / timings["seconds"] / 1e6,
        baseline=size / timings["bare_seconds"] / 1e6,
        unit="MB/s",
        against="pyzmq stop-and-wait",
        note=f"{size} bytes over ipc, flow {flow}",
    )


def _messages(work: Workshop, size: int, flow: str) -> dict[str, float]:
    count, rounds = (50, 1) if work.settings.quick else (COUNT, work.settings.runs)
    return probe(exchange, flow=flow, size=size, count=count, rounds=rounds).result


def exchange(flow: str, size: int, count: int, rounds: int) -> dict[str, float]:
    """Median seconds per message of `size` bytes from core 0 to core 1, bare and ours, `count` messages each time."""
    with tempfile.TemporaryDirectory() as directory:
        image = write_programs(directory, [_repeat(0, "send", size, count), _repeat(1, "recv", size, count)], 2)
        with RawPair(size) as raw, power_on(image, flow=flow) as chip:
            chip.run({})
            bare, ours = interleaved(lambda: raw.seconds(count), lambda: seconds(lambda: chip.run({})), rounds)
    return {"bare_seconds": bare / count, "seconds": ours / count}


def _repeat(core: int, name: str, size: int, count: int) -> Program:
    """A program that sends `size` bytes to (or receives them from) the other of two cores, `count` times."""
    builder = SectionBuilder()
    builder.emit("lldi", operands=[Address(0)], byte=1, size=size)
    with builder.loop(count):
        builder.emit(name, operands=[Address(0)], core=1 - core, size=size)
    builder.emit("halt")
    return Program(core, init=SectionBuilder().finish(), main=builder.finish())


def idle_launch(work: Workshop, cores: int, programs: bool) -> RowMeasurement:
    """Seconds until cores are ready: with a program that only halts, or none, so that they end with the barrier."""
    timings = probe(start, cores=cores, programs=programs, rounds=work.settings.few).result
    return RowMeasurement(
        ours=timings["seconds"],
        baseline=timings["bare_seconds"],
        unit="s",
        against=(
            "a fresh interpreter with NumPy and pyzmq that forks as many processes, each of which"
            f" {'binds one socket, connects another' if programs else 'connects one socket'} and waits for all"
        ),
        note=(
            f"{cores} {'cores with engine, program and sockets' if programs else 'processes that end then'};"
            f" medians of {work.settings.few}, in turns"
        ),
    )


def start(cores: int, programs: bool, rounds: int) -> dict[str, float]:
    """Median seconds until `cores` idle cores are ready, bare and ours (interpreter start included).

    `programs` gives all cores a program that only halts: they become cores and stay, and the bare processes beside
    them are reachable, too.
    """

    def ours() -> float:
        began = time.perf_counter()
        with power_on(image, cores=cores):
            return time.perf_counter() - began

    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # who has installed us does not compile at every start, either
    with tempfile.TemporaryDirectory() as directory:
        image = write_programs(directory, halting(cores if programs else 0), cores)
        bare_seconds, our_seconds = interleaved(lambda: raw_barrier(cores, programs), ours, rounds)
    return {"bare_seconds": bare_seconds, "seconds": our_seconds}


def idle_memory(work: Workshop, cores: int) -> RowMeasurement:
    """Private memory of a core that has nothing to do among many, which come up and go down again."""
    cores = min(cores, 16) if work.settings.quick else cores
    bare_up, bare_down, _ = _idle_chip(work, cores, programs=0)
    up, down, memory = _idle_chip(work, cores, programs=cores)
    bare = probe(bare_memory, processes=min(cores, 16)).result
    note = (
        f"median of {cores} cores whose programs only halt, largest {memory[-1] / MEBI:.2f} MiB; up in {up:.2f} s, "
        f"gone in {down:.2f} s; the same without any program: {bare_up:.2f} s and {bare_down:.2f} s"
    )
    return RowMeasurement(
        ours=statistics.median(memory) / MEBI,
        baseline=statistics.median(bare) / MEBI,
        unit="MiB",
        against="a forked process with one pyzmq socket",
        note=note,
        details={"cores": cores, "up": up, "down": down, "bare_up": bare_up, "bare_down": bare_down},
    )


def _idle_chip(work: Workshop, cores: int, programs: int) -> tuple[float, float, list[int]]:
    folder = work.folder / f"idle-{cores}-{programs}"
    idle = probe(idle_chip, folder=folder, cores=cores, programs=programs).result
    return idle["up"], idle["down"], idle["memory"]


def idle_chip(folder: str, cores: int, programs: int) -> dict[str, Any]:
    """Power a chip on and off, of whose cores the first `programs` have one that only halts (the others end at once).

    Seconds up and down, and the sorted bytes of private memory of the cores that have a program.
    """
    image = write_programs(folder, halting(programs), cores)
    began = time.perf_counter()
    with power_on(image, cores=cores, timeout=TIMEOUT) as chip:
        up = time.perf_counter() - began
        chip.run({})  # now every core has come to where it waits
        memory = sorted(map(private_bytes, chip.board.processes.values()))
        began = time.perf_counter()
    return {"up": up, "down": time.perf_counter() - began, "memory": memory}


def bare_memory(processes: int) -> list[int]:
    """Bytes of private memory of processes that were forked and opened one socket."""
    with tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()

        def open_socket() -> None:
            socket = zmq.Context().socket(zmq.DEALER)
            socket.connect(f"ipc://{folder}/nobody")
            os.write(writer, b".")
            signal.pause()

        children = [fork(open_socket) for _ in range(processes)]
        for _ in children:
            os.read(reader, 1)
        memory = [private_bytes(child) for child in children]
        end(children)
    return memory


ROWS = (
    BenchRow(
        "messages-small", "messages of 64 bytes between two cores", small_messages, {"size": 64}, **at_most(1.2, 1.05)
    ),
    BenchRow(
        "messages-large", "messages of 1 MiB between two cores", large_messages, {"size": MEBI}, **at_least(0.95, 1)
    ),
    BenchRow(
        "idle-launch",
        "64 cores ready, each with a program that only halts",
        idle_launch,
        {"cores": 64, "programs": True},
        **at_most(1.5, 1.2),
    ),
    BenchRow(
        "join-launch",
        "64 processes without a program, that only join the barrier",
        idle_launch,
        {"cores": 64, "programs": False},
    ),
    BenchRow(
        "idle-memory", "private memory of an idle core, 1024 cores", idle_memory, {"cores": 1024}, **within("MiB", 4)
    ),
)
