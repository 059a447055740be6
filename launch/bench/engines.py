"""Rows about one core: `batch` against `step`, and the crossbar kernel against a bare product."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from launch.bench.clock import interleaved, per_call, seconds
from launch.bench.measurement import Measurement
from launch.bench.probe import BenchError, probe
from launch.bench.workshop import Workshop

if TYPE_CHECKING:
    from emu.core.core import Core
    from emu.image.reader import Image
    from emu.program.section import Section

STEP_BUDGET = 20.0  # seconds of `step`; what is left is extrapolated
QUICK_BUDGET = 0.5


def batch_against_step(work: Workshop, network: str, cores: int, node: str) -> Measurement:
    """Samples per second of the core that starts the convolution `node`, with made-up messages."""
    settings = work.settings
    found = probe(
        "launch.bench.engines:run_both",
        image=work.image(network, cores),
        node=node,
        runs=settings.pairs,
        budget=QUICK_BUDGET if settings.quick else STEP_BUDGET,
    ).result
    note = f"core {found['core']} of {network} ({node}), one sample of {found['instructions']} instructions, warm; " + (
        "`step` ran all of them" if found["share"] == 1 else f"`step` ran the first {found['share']:.1%} of them"
    )
    return Measurement(
        ours=1 / found["batch"], baseline=1 / found["step"], unit="samples/s", against="step", note=note, details=found
    )


def run_both(image: str, node: str, runs: int, budget: float) -> dict[str, float]:
    """Seconds of one sample under both engines, `step` extrapolated by instructions if it would exceed `budget`."""
    from emu.core.core import Core
    from emu.image.reader import open_image

    opened = open_image(Path(image), verify=False)
    core = _first_core(opened, node)
    program = opened.program(core)
    engines = [Core(program, opened.arch, opened.weights(core), engine) for engine in ("batch", "step")]
    for machine in engines:
        for _ in _drive(machine, "init"):
            pass
    batch, step = engines
    times = [seconds(lambda: list(_drive(batch, "main"))) for _ in range(runs + 2)]
    done, began = 0, time.perf_counter()
    for done, _ in enumerate(_drive(step, "main"), start=1):  # noqa: B007
        if time.perf_counter() - began > budget:
            break
    passed = time.perf_counter() - began
    total = executed(program.main)
    return {
        "core": core,
        "instructions": total,
        "share": min(1.0, done / total),
        "batch": statistics.median(times[2:]),
        "step": passed * max(1.0, total / done),
    }


def _first_core(image: Image, node: str) -> int:
    """The lowest core with crossbars that works for `node`."""
    for core in image.cores:
        program = image.program(core)
        if program.groups and any(source.node == node for source in program.sources):
            return core
    raise BenchError(f"no core with crossbars works for node {node!r}")


def _drive(core: Core, section: str) -> Iterator[None]:
    """Run one section; every message and load holds normal numbers. Yields at each return of the engine."""
    from emu.core.progress import Progress
    from emu.core.request import Load, Recv

    content = np.random.default_rng(0).standard_normal(1 << 14).astype(np.float32).tobytes()
    core.begin(section, 0)
    while (step := core.advance()) is not Progress.HALTED:
        if not isinstance(step, Progress):
            if isinstance(step, Load | Recv):
                for start in range(0, len(step.into), len(content)):
                    part = step.into[start : start + len(content)]
                    part[:] = content[: len(part)]
            core.complete(step)
        yield


def executed(section: Section) -> int:
    """Instructions that one run of a section executes, loops counted with their trips, without jumps by `halt`."""
    from emu.isa.table import BY_NAME

    columns, loop, total = section.columns, BY_NAME["loop"].code, 0
    open_loops: list[tuple[int, int]] = []  # (end, repetitions of what is inside)
    for index, (code, end, trips) in enumerate(zip(columns["op"], columns["end"], columns["n"], strict=True)):
        while open_loops and open_loops[-1][0] <= index:
            open_loops.pop()
        times = open_loops[-1][1] if open_loops else 1
        if code == loop:
            open_loops.append((int(end), times * int(trips)))
        else:
            total += times
    return total


def crossbar_kernel(work: Workshop, batch: int, size: int = 128) -> Measurement:
    """Products per second of an `mvmul` over `batch` vectors (0: one plain vector) on one crossbar."""
    found = probe(
        "launch.bench.engines:multiply",
        batch=batch,
        size=size,
        runs=work.settings.pairs,
        least=0.002 if work.settings.quick else 0.02,
    ).result
    flops = 2 * size * size * max(batch, 1) / 1e9
    vectors = f"{batch} vectors" if batch else "1 vector"
    return Measurement(
        ours=flops / found["ours"],
        baseline=flops / found["bare"],
        unit="GFLOP/s",
        against="np.matmul(x, w, out=y)",
        note=f"{size} x {size} float32, {vectors}, one BLAS thread",
    )


def multiply(batch: int, size: int, runs: int, least: float) -> dict[str, float]:
    """Seconds of one `mvmul` kernel and of the bare product."""
    ours, bare = _products(batch, size)
    for work in (ours, bare):
        per_call(work, least)
    own, base = interleaved(lambda: per_call(ours, least), lambda: per_call(bare, least), runs)
    return {"ours": own, "bare": base}


def _products(batch: int, size: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """The kernel of `mvmul`, made as the engines make it, and np.matmul on the same values."""
    from emu.core.crossbar import CrossbarGroup
    from emu.core.kernels.spec import KernelSpec
    from emu.core.kernels.table import KERNELS
    from emu.isa.dtypes import DType
    from emu.program.group import GroupSpec

    rng, f32 = np.random.default_rng(0), DType.f32
    weights = rng.standard_normal((size, size)).astype(np.float32)
    shape = (batch, size) if batch else (size,)
    x, y = rng.standard_normal(shape).astype(np.float32), np.empty(shape, np.float32)
    group = CrossbarGroup(GroupSpec(f32, f32, f32, (size,), (size,)), weights)
    kernel = KERNELS["mvmul"](KernelSpec("mvmul", (f32, f32), frozenset(), 0.0, 0, 0, 0, group))
    return lambda: kernel(y, x), lambda: np.matmul(x, weights, out=y)
