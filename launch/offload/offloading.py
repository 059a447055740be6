"""Runs a host program with a device and without one, and compares what comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import (
    DEEPEST,
    RECIPES,
    TO_CALLS,
    check_scripts,
    entries_until,
    parse_passes,
    with_script,
)
from compiler.offload.program import HostProgram, Lowered
from compiler.text import MAX_TEXT
from emu.arch_file import load_arch
from emu.files import read_bytes
from emu.output.whole_file import write_whole
from launch.devices.device import check_cores, device
from launch.devices.options import DeviceOptions
from launch.offload.comparing import Compared, compare
from launch.offload.crossbars import DeviceCrossbars
from launch.offload.inputs import inputs_of, sized_inputs
from launch.supervision.stalls import Notice

if TYPE_CHECKING:
    from launch.devices.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done with a text, that of the file `path` if there is no `text`, which is called so then.

    Passes are those that are given, or else of a recipe; a program that calls a device already needs neither. Outputs
    may deviate by `tolerance`, a share of their largest element (None: they have to be equal).
    """

    path: Path
    arch: str
    options: DeviceOptions
    recipe: str
    passes: str | None
    given: Sequence[Path | tuple[str, str]] = ()
    seed: int = 0
    text: str | None = None
    shapes: Sequence[tuple[str, tuple[int, ...]]] = ()
    script: Path | None = None
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Offloaded:
    """What has come of it; `simulation` is None where nothing was called."""

    lowered: Lowered
    arch: str
    passes: tuple[str, ...]
    compared: Sequence[Compared]
    counters: dict[str, Any]
    simulation: Simulation | None

    @property
    def right(self) -> bool:
        """Whether all outputs are those of the interpretation."""
        return all(each.right for each in self.compared)


@dataclass(frozen=True, slots=True)
class _Lowering:
    """A program after passes, with its inputs and its results without a device, if these are known already."""

    lowered: Lowered
    passes: tuple[str, ...]
    arrays: list[np.ndarray] | None = None
    golden: list[np.ndarray] | None = None


def lower(request: Request, level: str | None = None) -> tuple[Lowered, tuple[str, ...]]:
    """The program after its passes up to a level, and those passes; raises InputError before anything runs.

    Without a level all passes that are given are run, of a recipe those to the level `cim`: what comes behind makes
    the same calls, in another form.
    """
    done = _lower(request, level)
    return done.lowered, done.passes


def _lower(request: Request, level: str | None = None) -> _Lowering:
    if request.passes is not None:
        passes, level = parse_passes(request.passes), level or DEEPEST
    else:
        passes, level = RECIPES[request.recipe], level or "cim"
    chip = load_arch(request.arch)
    check_cores(chip, request.options.cores)
    context = OffloadContext(chip, request.options.cores)
    data = read_bytes(request.path, MAX_TEXT) if request.text is None else request.text.encode()
    program = HostProgram.read(request.path, data, context)
    if request.script is not None or (request.passes is None and program.has_script):
        passes = with_script(passes, request.script)
    elif request.passes is None and program.calls_device:
        passes = TO_CALLS
    passes = entries_until(level, passes)
    check_scripts(passes, context)
    inputs = sized_inputs(program.inputs, request.shapes)
    if not program.is_open:
        return _Lowering(program.lowered(passes, context, level), passes)
    arrays = inputs_of(inputs, request.given, request.seed)
    sized, golden = program.sized(arrays)
    return _Lowering(sized.lowered(passes, context, level), passes, arrays, golden)


def offload(request: Request, out: Path | None, notice: Notice) -> Offloaded:
    """Run it; the outputs with the device go to the .npz `out`. Raises InputError, and what devices raise."""
    done = _lower(request)
    lowered, program, options = done.lowered, done.lowered.program, request.options
    arrays = done.arrays or inputs_of(program.inputs, request.given, request.seed)
    golden = done.golden or program.run(arrays)
    settings = {"backend": options.backend, "timeout": options.timeout or None, "notice": notice}
    with device(request.arch, options.cores, **settings) as chip:
        made = lowered.run(arrays, DeviceCrossbars(chip))
        chip.barrier()
        counters = chip.counters.to_dict() | {"crossbars": len(chip.crossbars)}
        simulation = chip.simulate() if counters["writes"] else None
        title = chip.arch.name
    names = program.outputs
    if out is not None:
        write_whole(out, _npz(dict(zip(names, made, strict=True))))
    compared = [compare(*row, request.tolerance) for row in zip(names, made, golden, strict=True)]
    return Offloaded(lowered, title, done.passes, compared, counters, simulation)


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    import io

    stream = io.BytesIO()
    np.savez(stream, **arrays)  # pyright: ignore[reportArgumentType]
    return stream.getvalue()
