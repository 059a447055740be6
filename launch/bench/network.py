"""Rows about messages and idle cores, against bare pyzmq; the measuring code is `benchmarks/network.py`."""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import zmq

from emu.arch import Arch
from emu.image.manifest import Manifest
from emu.image.writer import ImageWriter
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.bench.measurement import Measurement
from launch.bench.probe import HOME, BenchError, probe
from launch.bench.processes import descendants, private_bytes
from launch.bench.workshop import Workshop
from launch.chips.power import power_on

SOURCE = "benchmarks/network.py"
MEBI = 1 << 20
TIMEOUT = 300  # seconds


def small_messages(work: Workshop, size: int, flow: str = "rendezvous") -> Measurement:
    """Microseconds per message from one core to another, the acknowledgement included."""
    found = _messages(work, size, flow)
    return Measurement(
        ours=found["seconds"] * 1e6,
        baseline=found["bare_seconds"] * 1e6,
        unit="us",
        against="pyzmq stop-and-wait",
        note=f"{size} bytes over ipc, flow {flow}",
    )


def large_messages(work: Workshop, size: int, flow: str = "rendezvous") -> Measurement:
    """Bandwidth of messages from one core to another."""
    found = _messages(work, size, flow)
    return Measurement(
        ours=size / found["seconds"] / 1e6,
        baseline=size / found["bare_seconds"] / 1e6,
        unit="MB/s",
        against="pyzmq stop-and-wait",
        note=f"{size} bytes over ipc, flow {flow}",
    )


def _messages(work: Workshop, size: int, flow: str) -> dict[str, float]:
    quick: dict[str, Any] = {"count": 50, "rounds": 1} if work.settings.quick else {"rounds": work.settings.runs}
    return _call("messages", transport="ipc", flow=flow, size=size, **quick)


def idle_launch(work: Workshop, cores: int, programs: bool) -> Measurement:
    """Seconds until cores are ready: with a program that only halts, or none, so that they end with the barrier."""
    found = _call("launch", cores=cores, programs=programs, rounds=work.settings.few)
    return Measurement(
        ours=found["seconds"],
        baseline=found["bare_seconds"],
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


def _call(function: str, **arguments: Any) -> dict[str, float]:
    if not (HOME / SOURCE).exists():
        raise BenchError(f"this row needs {SOURCE} of the source tree: run it from a checkout")
    return probe(f"benchmarks.network:{function}", **arguments).result


def idle_memory(work: Workshop, cores: int) -> Measurement:
    """Private memory of a core that has nothing to do among many, which come up and go down again."""
    cores = min(cores, 16) if work.settings.quick else cores
    bare_up, bare_down, _ = _idle_chip(work, cores, programs=0)
    up, down, memory = _idle_chip(work, cores, programs=cores)
    bare = probe("launch.bench.network:bare_memory", processes=min(cores, 16)).result
    note = (
        f"median of {cores} cores whose programs only halt, largest {memory[-1] / MEBI:.2f} MiB; up in {up:.2f} s, "
        f"gone in {down:.2f} s; the same without any program: {bare_up:.2f} s and {bare_down:.2f} s"
    )
    return Measurement(
        ours=statistics.median(memory) / MEBI,
        baseline=statistics.median(bare) / MEBI,
        unit="MiB",
        against="a forked process with one pyzmq socket",
        note=note,
        details={"cores": cores, "up": up, "down": down, "bare_up": bare_up, "bare_down": bare_down},
    )


def _idle_chip(work: Workshop, cores: int, programs: int) -> tuple[float, float, list[int]]:
    folder = work.folder / f"idle-{cores}-{programs}"
    found = probe("launch.bench.network:idle_chip", folder=folder, cores=cores, programs=programs).result
    return found["up"], found["down"], found["memory"]


def idle_chip(folder: str, cores: int, programs: int) -> dict[str, Any]:
    """Power a chip on and off, of whose cores the first `programs` have one that only halts (the others end at once).

    Seconds up and down, and the sorted bytes of private memory of the cores that have a program.
    """
    with ImageWriter(Path(folder)) as writer:
        for core in range(programs):
            builder = SectionBuilder()
            builder.emit("halt")
            writer.add_core(Program(core, main=builder.finish()), [])
        writer.finish(Manifest(Arch(name="idle", cores=cores), (), (), (), 0))
    began = time.perf_counter()
    with power_on(folder, cores=cores, timeout=TIMEOUT) as chip:
        up = time.perf_counter() - began
        chip.run({})  # now every core has come to where it waits
        memory = _core_memory(descendants(os.getpid())[1]) if programs else []
        began = time.perf_counter()
    return {"up": up, "down": time.perf_counter() - began, "memory": memory}


def _core_memory(zygote: int) -> list[int]:
    """Sorted private memory of the zygote's children but the first, which is the memory node."""
    return sorted(private_bytes(process) for process in sorted(descendants(zygote)[1:])[1:])


def bare_memory(processes: int) -> list[int]:
    """Bytes of private memory of processes that were forked and opened one socket."""
    children: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()
        for _ in range(processes):
            child = os.fork()
            if not child:
                socket = zmq.Context().socket(zmq.DEALER)
                socket.connect(f"ipc://{folder}/nobody")
                os.write(writer, b".")
                signal.pause()
            children.append(child)
        for _ in children:
            os.read(reader, 1)
        memory = [private_bytes(child) for child in children]
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return memory
