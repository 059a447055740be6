"""Runs a host program with a device and without one, and compares the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from compiler.basis.entries import name_of
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
from compiler.offload.transform_interpreter import TransformInterpreterPass
from compiler.session.source_text import MAX_TEXT
from emu.arch.read import load_arch
from emu.errors import option
from emu.files import read_bytes
from emu.image.npz import write_npz
from emu.output.whole_file import WholeFile
from launch.devices.device import check_cores, device
from launch.devices.options import DeviceOptions
from launch.offload.comparing import OutputDifference, compare
from launch.offload.crossbars import DeviceCrossbars
from launch.offload.inputs import inputs_of, sized_inputs
from launch.supervision.stopped_processes import Notice

if TYPE_CHECKING:
    from launch.devices.simulation import Simulation


@dataclass(frozen=True, slots=True)
class OffloadRequest:
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
    """The result; `simulation` is None if there were no calls, `asides` are notes for people."""

    lowered: Lowered
    arch: str
    passes: tuple[str, ...]
    compared: Sequence[OutputDifference]
    counters: dict[str, Any]
    simulation: Simulation | None
    asides: Sequence[str]

    @property
    def right(self) -> bool:
        """Whether all outputs are those of the interpretation."""
        return all(each.right for each in self.compared)


@dataclass(frozen=True, slots=True)
class _Read:
    """A program for inputs of known sizes, with these inputs and its results without a device, if there are any yet."""

    program: HostProgram
    passes: tuple[str, ...]
    context: OffloadContext
    arrays: list[np.ndarray] | None = None
    golden: list[np.ndarray] | None = None

    def lowered(self, level: str) -> Lowered:
        """The program after its passes up to a level."""
        return self.program.lowered(self.passes, self.context, level)

    @property
    def asides(self) -> list[str]:
        """Notes on surprises: a transform script in the program that no pass applies."""
        if not self.program.has_script or TransformInterpreterPass.name in map(name_of, self.passes):
            return []
        return [
            f"note: the transform script in the text is not carried out: {option('recipe')} neuroboard does that, or"
            f" the pass {TransformInterpreterPass.name}"
        ]


def lower(request: OffloadRequest, level: str | None = None) -> tuple[Lowered, tuple[str, ...], list[str]]:
    """The program after its passes up to a level, those passes, and notes; raises InputError before anything runs.

    Without a level it is that of execution: all passes that are given, of a recipe those to the level `cim`, as what
    comes behind makes the same calls in another form.
    """
    read = _read(request)
    level = level or _executed(request)
    return read.lowered(level), entries_until(level, read.passes), read.asides


def _executed(request: OffloadRequest) -> str:
    return "cim" if request.passes is None else DEEPEST


def _read(request: OffloadRequest) -> _Read:
    passes = parse_passes(request.passes) if request.passes is not None else RECIPES[request.recipe]
    chip = load_arch(request.arch)
    check_cores(chip, request.options.cores)
    context = OffloadContext(chip, request.options.cores)
    data = read_bytes(request.path, MAX_TEXT) if request.text is None else request.text.encode()
    program = HostProgram.read(request.path, data, context)
    if request.script is not None or (request.passes is None and program.has_script):
        passes = with_script(passes, request.script)
    elif request.passes is None and program.calls_device:
        passes = TO_CALLS
    check_scripts(passes, context)
    inputs = sized_inputs(program.inputs, request.shapes)
    if not program.is_open:
        return _Read(program, passes, context)
    arrays = inputs_of(inputs, request.given, request.seed)
    sized, golden = program.sized(arrays)
    return _Read(sized, passes, context, arrays, golden)


def offload(request: OffloadRequest, out: Path | None, notice: Notice) -> Offloaded:
    """Run it; the outputs with the device go to the .npz `out`. Raises InputError, and what devices raise."""
    read = _read(request)
    level = _executed(request)
    lowered, passes = read.lowered(level), entries_until(level, read.passes)
    program, options = read.program, request.options
    arrays = read.arrays or inputs_of(program.inputs, request.given, request.seed)
    golden = read.golden or program.run(arrays)
    settings: dict[str, Any] = {"backend": options.backend, "timeout": options.timeout or None, "notice": notice}
    with device(request.arch, options.cores, **settings) as chip:
        made = lowered.run(arrays, DeviceCrossbars(chip))
        chip.barrier()
        counters = chip.counters.to_dict() | {"crossbars": len(chip.crossbars)}
        simulation = chip.simulate() if counters["writes"] else None
        title = chip.arch.name
    names = program.outputs
    if out is not None:
        with WholeFile(out) as file:
            write_npz(file, dict(zip(names, made, strict=True)))
    compared = [compare(*row, request.tolerance) for row in zip(names, made, golden, strict=True)]
    return Offloaded(lowered, title, passes, compared, counters, simulation, read.asides)
