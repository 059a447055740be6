"""Compiles a network, runs it and compares: `emu validate`, and the same from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compiler.frontend.onnx_golden import SOURCES
from emu.arch import Arch
from emu.errors import InputError, option
from emu.output.scratch import ScratchFolder
from launch.golden.values import ALIASES
from launch.images.compilation import CompileReport, compile_image
from launch.processes.options import RunOptions, takes_run_options
from launch.processes.zygote_process import Zygotes, started_ahead
from launch.runs.job import Job, run_job
from launch.runs.report import Report
from launch.supervision.stalls import Notice

GOLDEN = (*SOURCES, *ALIASES, "none")


@takes_run_options("chaos")
def validate(
    model: str | Path,
    arch: str | Arch = "default",
    *,
    cores: int | None = None,
    packing: str = "dense",
    placement: str = "spread",
    granularity: str = "image",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    golden: str = "onnxruntime",
    seed: int = 0,
    samples: int = 1,
    tolerance: float | None = None,
    allow_nan: bool = False,
    zygotes: Zygotes | None = None,
    **named: Any,
) -> Report:
    """Compile the ONNX file `model`, run `samples` inputs drawn from `seed`, and compare with golden outputs.

    `arch` to `shapes` are as in `compiler.compile`, `golden` "onnxruntime", "reference" or "none", all others as the
    options of `emu validate`; `zygotes` are those of `launch.warm_zygotes`, for many runs.
    The report is what that command prints: `exit_code` 0 is right, 1 differs;
    `lines()` is its text. Everything is made in a temporary directory. Raises EmuErrors, each with one sentence.
    """
    from compiler.api import checked_shapes

    if golden not in GOLDEN:
        raise InputError(f"{option('golden')} {golden!r} is unknown: use one of {', '.join(GOLDEN)}")
    _check_number("seed", seed, 0)
    _check_number("samples", samples, 1)
    _, report = compile_and_run(
        Path(model),
        RunOptions(**named),
        tolerance,
        allow_nan,
        recorded=True,
        zygotes=zygotes,
        arch=arch,
        cores=cores,
        packing=packing,
        placement=placement,
        granularity=granularity,
        shapes=tuple(checked_shapes(shapes).items()),
        golden=golden,
        seed=seed,
        samples=samples,
    )
    return report


def _check_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{option(name)} {value!r} is impossible: give an int, at least {least}")


def compile_and_run(
    model: Path,
    options: RunOptions,
    tolerance: float | None = None,
    allow_nan: bool = False,
    *,
    recorded: bool = False,
    command: tuple[str, ...] = (),
    quiet: bool = True,
    notice: Notice | None = None,
    zygotes: Zygotes | None = None,
    **mapping: Any,
) -> tuple[CompileReport, Report]:
    """What was compiled, with the options `mapping` of `compile_image`, and how its run compares; nothing is kept.

    `recorded`: the report tells all that is needed to repeat the run, `command` among it.
    """
    with ScratchFolder("validate") as folder:
        out = folder / "image"
        compiled = compile_image(model, out, quiet=quiet, **mapping)
        with started_ahead(options.ahead, zygotes) as source:
            job = Job(
                out=out,
                golden="none" if mapping.get("golden") == "none" else "",  # else the stored ones
                tolerance=tolerance,
                allow_nan=allow_nan,
                recorded=recorded,
                command=command,
                compiled_from=model,
                warnings=tuple(compiled.warnings),
                options=options,
                quiet=quiet,
                check=False,  # the compilation has checked
                notice=notice,
            )
            return compiled, run_job(job, source)
