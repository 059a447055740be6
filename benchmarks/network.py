"""Measures messages and launch against bare pyzmq, interleaved in one run; `python benchmarks/network.py` prints all.

Only the ratios mean something: both sides of each run on the same machine under the same load.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.baselines.raw_barrier import raw_barrier  # noqa: E402
from benchmarks.baselines.raw_roundtrip import RawPair  # noqa: E402
from emu.arch import Arch  # noqa: E402
from emu.image.manifest import Manifest  # noqa: E402
from emu.image.writer import ImageWriter  # noqa: E402
from emu.isa.address import Address  # noqa: E402
from emu.program.builder import SectionBuilder  # noqa: E402
from emu.program.program import Program  # noqa: E402
from launch.chips.chip import Chip  # noqa: E402
from launch.chips.power import power_on  # noqa: E402
from launch.chips.sequential import power_on_sequential  # noqa: E402

FLOWS = ("rendezvous", "credits:1", "credits:8")
COUNT = 500  # messages of one sample: it takes 1.5 ms to begin and to end, whatever is in it
ROUNDS = 15  # interleaved pairs of measurements; the medians count


def messages(transport: str, flow: str, size: int, count: int = COUNT, rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds per message of `size` bytes from core 0 to core 1, bare and ours, and their ratio."""
    with tempfile.TemporaryDirectory() as directory:
        programs = {core: _repeat(core, 1 - core, name, size, count) for core, name in enumerate(("send", "recv"))}
        image = _write(Path(directory) / "pair", programs)
        with RawPair(transport, size) as raw, power_on(image, transport=transport, flow=flow) as chip:
            chip.run({})
            sides = [os.getpid(), raw.child], [pid for pid in descendants(os.getpid())[1:] if pid != raw.child]
            bare, ours, bare_cpu, our_cpu = _interleaved(
                lambda: _cost(lambda: raw.seconds(count), sides[0]),
                lambda: _cost(lambda: chip.run({}), sides[1]),
                rounds,
            )
    return {
        "bare_seconds": bare / count,
        "seconds": ours / count,
        "ratio": ours / bare,
        "cpu_ratio": our_cpu / bare_cpu,
    }


def launch(cores: int, programs: bool = False, transport: str = "ipc", rounds: int = 5) -> dict[str, float]:
    """Seconds until `cores` idle cores are ready, bare and ours (interpreter start included), and their ratio.

    `programs` gives all cores a program that only halts: they become cores and stay, the processes beside them are
    reachable, too, and the private memory of the largest is measured.
    """
    memory = [0]

    def bare() -> tuple[float, float]:
        used = _children_cpu()
        return raw_barrier(cores, transport, programs)["ready_seconds"], _children_cpu() - used

    def ours() -> tuple[float, float]:
        used, began = _children_cpu(), time.perf_counter()
        with power_on(image, cores=cores, transport=transport):
            seconds = time.perf_counter() - began
            if programs:
                memory.extend(map(private_bytes, descendants(os.getpid())[3:]))  # without launcher, zygote, memory node
        return seconds, _children_cpu() - used

    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # who has installed us does not compile at every start, either
    with tempfile.TemporaryDirectory() as directory:
        image = _write(Path(directory) / "idle", {core: _halt(core) for core in range(cores if programs else 0)}, cores)
        bare_seconds, seconds, bare_cpu, cpu = _interleaved(bare, ours, rounds)
    return {
        "bare_seconds": bare_seconds,
        "seconds": seconds,
        "ratio": seconds / bare_seconds,
        "cpu_ratio": cpu / bare_cpu,
        "private_bytes": max(memory),
    }


def _children_cpu() -> float:
    """CPU time of all processes that have come and gone."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pipeline(image: Path, samples: int = 200, rounds: int = 3, flow: str = "rendezvous") -> dict[str, float]:
    """CPU and wall seconds per sample of a compiled image: all processes of a chip, and all cores in one process."""
    with power_on(image, flow=flow) as chip, power_on_sequential(image) as single:
        inputs = _inputs(image)
        _stream(chip, inputs, 10)
        _stream(single, inputs, 2)
        tree = descendants(os.getpid())

        alone, together, alone_cpu, together_cpu = _interleaved(
            lambda: _cost(lambda: _stream(single, inputs, samples), tree[:1]),
            lambda: _cost(lambda: _stream(chip, inputs, samples), tree),
            rounds,
        )
    return {
        "sequential_cpu_seconds": alone_cpu / samples,
        "cpu_seconds": together_cpu / samples,
        "sequential_seconds": alone / samples,
        "seconds": together / samples,
        "ratio": together_cpu / alone_cpu,
    }


def descendants(process: int) -> list[int]:
    """`process` and all that it started, directly or not."""
    children = [
        int(pid) for path in Path(f"/proc/{process}/task").glob("*/children") for pid in path.read_text().split()
    ]
    return [process, *(pid for child in children for pid in descendants(child))]


def cpu_seconds(processes: list[int]) -> float:
    """CPU time of all threads of `processes` so far, user and system."""
    tasks = [path for process in processes for path in Path(f"/proc/{process}/task").glob("*/schedstat")]
    return sum(int(path.read_text().split()[0]) for path in tasks) * 1e-9


def private_bytes(process: int) -> int:
    """Memory that `process` shares with nobody."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))


def _cost(work: Callable[[], object], processes: list[int]) -> tuple[float, float]:
    """(wall seconds, CPU seconds of `processes`) of `work`."""
    used, began = cpu_seconds(processes), time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    return seconds, cpu_seconds(processes) - used


def _interleaved(
    bare: Callable[[], tuple[float, ...]], ours: Callable[[], tuple[float, ...]], rounds: int
) -> list[float]:
    """Medians of what both give, first value of both, then the second ones, measured in turns."""
    turns = [(bare(), ours()) for _ in range(rounds)]
    return [statistics.median(turn[side][k] for turn in turns) for k in range(len(turns[0][0])) for side in (0, 1)]


def _repeat(core: int, peer: int, name: str, size: int, count: int) -> Program:
    """A program that sends `size` bytes to (or receives them from) `peer`, `count` times."""
    builder = SectionBuilder()
    builder.emit("lldi", operands=[Address(0)], byte=1, size=size)
    with builder.loop(count):
        builder.emit(name, operands=[Address(0)], core=peer, size=size)
    builder.emit("halt")
    return Program(core, init=SectionBuilder().finish(), main=builder.finish())


def _halt(core: int) -> Program:
    builder = SectionBuilder()
    builder.emit("halt")
    return Program(core, init=SectionBuilder().finish(), main=builder.finish())


def _write(out: Path, programs: dict[int, Program], cores: int = 2) -> Path:
    with ImageWriter(out) as writer:
        for program in programs.values():
            writer.add_core(program, [])
        writer.finish(Manifest(Arch(name="benchmark", cores=cores), (), (), (), 0))
    return out


def _inputs(image: Path) -> dict[str, object]:
    from emu.image.reader import open_image

    stored = open_image(image, verify=False).default_inputs() or {}
    return {name: array[0] for name, array in stored.items()}


def _stream(chip: Chip, inputs: dict[str, object], samples: int) -> None:
    for _ in chip.stream(inputs for _ in range(samples)):  # type: ignore[misc]
        pass


def main() -> None:
    """Print all ratios; arguments are compiled images whose CPU time per sample is measured."""
    print(f"{'messages':20} {'bytes':>9} {'bare us':>9} {'ours us':>9} {'ratio':>6} {'CPU ratio':>9}")
    for transport, flow, size in product(("ipc", "tcp"), FLOWS, (8, 256, 1 << 20)):
        row = messages(transport, flow, size)
        times = (
            f"{row['bare_seconds'] * 1e6:9.1f} {row['seconds'] * 1e6:9.1f} {row['ratio']:6.2f} {row['cpu_ratio']:9.2f}"
        )
        print(f"{transport + ' ' + flow:20} {size:9} {times}", flush=True)
    for cores, programs in ((64, False), (64, True), (1024, False), (1024, True)):
        row = launch(cores, programs, rounds=5 if cores < 100 else 1)
        times = f"bare {row['bare_seconds']:.3f} s, ratio {row['ratio']:.2f} (CPU {row['cpu_ratio']:.2f})"
        memory = f", at most {row['private_bytes'] / (1 << 20):.1f} MiB private" if programs else ""
        print(f"{cores} idle cores {'with' if programs else 'without'} program: {times}{memory}", flush=True)
    for image in sys.argv[1:]:
        row = pipeline(Path(image))
        times = f"one process {row['sequential_cpu_seconds'] * 1e3:.1f} ms, ours {row['cpu_seconds'] * 1e3:.1f} ms"
        print(f"CPU per sample of {image}: {times}, ratio {row['ratio']:.1f}")


if __name__ == "__main__":
    main()
