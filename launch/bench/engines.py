"""Rows about engines: `batch` against `step` and `fast`, and the crossbar kernel against a bare product."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME, LOOP
from launch.bench.clock import interleaved, per_call, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import BenchError, probe
from launch.bench.row import BenchRow, at_least
from launch.bench.workshop import Workshop, stored_inputs

if TYPE_CHECKING:
    from emu.core.engines.core import Core
    from emu.image.reader import Image
    from emu.program.section import Section


def batch_against_step(work: Workshop, network: str, cores: int, node: str) -> RowMeasurement:
    """Samples per second of the core that starts the convolution `node`, with made-up messages."""
    settings = work.settings
    times = probe(run_both, image=work.image(network, cores), node=node, runs=settings.few).result
    note = (
        f"core {times['core']} of {network} ({node}), whole samples of {times['instructions']} instructions; both warm,"
        f" both checking that every byte read is defined; medians of {settings.few}, in turns; without checks, which"
        f" `batch` leaves out from the second sample on, {1 / times['unchecked']:.3g} samples/s"
    )
    return RowMeasurement(
        ours=1 / times["batch"], baseline=1 / times["step"], unit="samples/s", against="step", note=note, details=times
    )


def run_both(image: str, node: str, runs: int) -> dict[str, float]:
    """Median seconds of one sample under both engines, warm and checked alike, and of `batch` without the checks."""
    from emu.core.engines.core import Core
    from emu.image.reader import open_image

    opened = open_image(Path(image), verify=False)
    core = _first_core(opened, node)
    program = opened.program(core)
    engines = [Core(program, opened.arch, opened.weights(core), engine) for engine in ("batch", "step")]
    for machine in engines:
        _drive(machine, "init")

    def checked(machine: Core) -> float:
        machine.check_again()
        return _sample(machine)

    for machine in engines:
        checked(machine)
    ours, theirs = (partial(checked, machine) for machine in engines)
    batch, step = interleaved(ours, theirs, runs)
    unchecked = statistics.median(_sample(engines[0]) for _ in range(runs))
    total = executed(program.main)
    return {"core": core, "instructions": total, "batch": batch, "step": step, "unchecked": unchecked}


def _sample(core: Core) -> float:
    """The seconds of one sample of a core."""
    return seconds(lambda: _drive(core, "main"))


def batch_against_fast(work: Workshop, network: str, cores: int, kernel: str) -> RowMeasurement:
    """Seconds of one image in one process with a kernel of OpenBLAS that may not be this processor's own."""
    settings = work.settings
    image = work.image(network, cores)
    variables = {"OPENBLAS_CORETYPE": kernel}
    found = probe(run_alone, variables, image=image, runs=settings.pairs, engines=["batch", "fast"]).result
    note = (
        f"OPENBLAS_CORETYPE={kernel}: `batch` multiplies {found['way']}; one process, cores in turns, warm, one BLAS"
        f" thread; medians of {settings.pairs}, in turns"
    )
    return RowMeasurement(
        ours=found["batch"], baseline=found["fast"], unit="s", against="--engine fast", note=note, details=found
    )


def run_alone(image: str, runs: int, engines: Sequence[str]) -> dict[str, Any]:
    """Median seconds of one sample under both `engines`, by name, and the `way` in which products are made."""
    from emu.core.products.probe import chosen
    from launch.chips.sequential import power_on_sequential

    sample = stored_inputs(Path(image))
    with ExitStack() as stack:
        chips = [stack.enter_context(power_on_sequential(image, engine=engine)) for engine in engines]
        for chip in chips:
            chip.run(sample)
        ours, theirs = (partial(seconds, partial(chip.run, sample)) for chip in chips)
        times = interleaved(ours, theirs, runs)
    return {**dict(zip(engines, times, strict=True)), "way": chosen().name}


def _first_core(image: Image, node: str) -> int:
    """The lowest core with crossbars that works for `node`."""
    for core in image.cores:
        program = image.program(core)
        if program.groups and any(source.node == node for source in program.sources):
            return core
    raise BenchError(f"no core with crossbars works for node {node!r}")


def _drive(core: Core, section: str) -> None:
    """Run one section; every message and load holds normal numbers."""
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


def executed(section: Section) -> int:
    """Instructions that one run of a section executes, loops counted with their trips, without jumps by `halt`."""

    columns, total = section.columns, 0
    open_loops: list[tuple[int, int]] = []  # (end, repetitions of what is inside)
    for index, (code, end, trips) in enumerate(zip(columns["op"], columns["end"], columns["n"], strict=True)):
        while open_loops and open_loops[-1][0] <= index:
            open_loops.pop()
        times = open_loops[-1][1] if open_loops else 1
        if code == LOOP:
            open_loops.append((int(end), times * int(trips)))
        else:
            total += times
    return total


def crossbar_kernel(work: Workshop, batch: int, size: int = 128) -> RowMeasurement:
    """Products per second of an `mvmul` over `batch` vectors (0: one plain vector) on one crossbar."""
    times = probe(
        multiply,
        batch=batch,
        size=size,
        runs=work.settings.pairs,
        least=0.002 if work.settings.quick else 0.02,
    ).result
    flops = 2 * size * size * max(batch, 1) / 1e9
    vectors = f"{batch} vectors" if batch else "1 vector"
    return RowMeasurement(
        ours=flops / times["ours"],
        baseline=flops / times["bare"],
        unit="GFLOP/s",
        against="np.matmul(x, w, out=y)",
        note=f"best case: one {size} x {size} float32 crossbar, {vectors}, contiguous; one BLAS thread",
    )


def multiply(batch: int, size: int, runs: int, least: float) -> dict[str, float]:
    """Seconds of one `mvmul` kernel and of the bare product."""
    ours, bare = _products(batch, size)
    for work in (ours, bare):
        per_call(work, least)
    own, base = interleaved(lambda: per_call(ours, least), lambda: per_call(bare, least), runs)
    return {"ours": own, "bare": base}


def _products(batch: int, size: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """The kernel of `mvmul`, bound to its operands as engines bind it, and np.matmul on the same values."""
    from emu.arch import Arch
    from emu.core.crossbars.crossbar import make_crossbar
    from emu.core.crossbars.origin import Origin, Position
    from emu.core.kernels.spec import KernelSpec, bound
    from emu.core.kernels.table import KERNELS
    from emu.program.group import GroupSpec

    rng, f32 = np.random.default_rng(0), DType.f32
    weights = rng.standard_normal((size, size)).astype(np.float32)
    shape = (batch, size) if batch else (size,)
    x, y = rng.standard_normal(shape).astype(np.float32), np.empty(shape, np.float32)
    group = make_crossbar(GroupSpec(f32, f32, f32, (size,), (size,)), Arch())
    group.program(weights, 0, 0)
    spec = KernelSpec("mvmul", (f32, f32), frozenset(), 0.0, 0, 0, 0, group, Origin(Position(0), 0))
    kernel = KERNELS[BY_NAME[spec.name].kernel](spec)
    kernel(y, x)  # the first time it looks at its operands
    return bound(kernel, [y, x]), lambda: np.matmul(x, weights, out=y)


ROWS = (
    BenchRow(
        "batch-step",
        "`batch` against `step` on resnet18's first convolution core, both warm and checked",
        batch_against_step,
        {"network": "resnet18", "cores": 64, "node": "conv1"},
        **at_least(100),
    ),
    *(
        BenchRow(
            f"{network}-steady",
            f"{network}, one process, kernel for AVX2, one image: `batch` against `fast`",
            batch_against_fast,
            {"network": network, "cores": cores, "kernel": "Haswell"},
        )
        for network, cores in (("resnet18", 64), ("bert_mini", 64), ("vgg16", 160))
    ),
    BenchRow(
        "crossbar-batch",
        "crossbar kernel, 1000 vectors, best case (one crossbar, contiguous)",
        crossbar_kernel,
        {"batch": 1000},
        **at_least(0.8, 0.95),
    ),
    BenchRow(
        "crossbar-vector",
        "crossbar kernel, one vector, best case (one crossbar, contiguous)",
        crossbar_kernel,
        {"batch": 0},
        **at_least(0.45, 0.6),
    ),
)
