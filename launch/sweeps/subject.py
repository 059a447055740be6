"""The subject of a sweep: a compiled directory, or a model that is compiled for each chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.errors import InputError, option
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import open_image
from emu.image.segments import refuse_segments
from emu.interop.pim_isa.importing.raw_program import is_imported
from emu.timing.chip.needed import figure
from launch.runs.repeating import arguments
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import Variation, combinations, parse_variations, value_text
from launch.timing.options import TimeOptions

# What programs are made for: another value takes other programs.
IN_PROGRAMS = frozenset(
    {
        *("crossbar.rows", "crossbar.cols", "crossbar.weight_binding"),
        *("core.registers", "core.events", "core.functions", "global_memory.size"),
    }
)


def make_sweep(
    subject: Path,
    vary: Sequence[str],
    arch: str | None,
    timing: TimeOptions | None = None,
    compiling: Mapping[str, Any] | None = None,
) -> Sweep:
    """The sweep that a command line asks for; raises InputError.

    `compiling` are the options of `emu compile` by name, of which those count that are not None, empty or False.
    """
    variations = parse_variations(vary)
    given = {name: value for name, value in (compiling or {}).items() if value not in (None, (), False, {})}
    is_model = subject.is_file()
    base = load_arch(arch or "default") if is_model else _base_of_image(subject, arch, variations, given)
    return Sweep(
        subject=subject,
        is_model=is_model,
        base=base,
        combinations=combinations(variations),
        timing=tuple(arguments(timing.given() if timing else {})),
        compiling=tuple(arguments(given)),
    )


def _base_of_image(
    subject: Path, arch: str | None, variations: Sequence[Variation], compiling: Mapping[str, Any]
) -> Arch:
    """The chip that is changed; raises InputError for a directory that is no image, and for what needs a model."""
    if not (subject / MANIFEST_FILE).exists():
        raise InputError(
            f"{subject}: nothing to sweep over: give a compiled directory, which has a {MANIFEST_FILE}, or an ONNX file"
        )
    if compiling:
        names = " and ".join(map(option, compiling))
        raise InputError(
            f"{subject} is compiled already, so {names} {'means' if len(compiling) == 1 else 'mean'} nothing: give the"
            " model to compile it for each chip"
        )
    if is_imported(subject):
        raise InputError(
            f"{subject} holds an imported program, which is timed on a JSON configuration of pimsim-nn and not on an"
            f" architecture file: change the value in copies of the configuration, and time each by emu time {subject}"
            f" {option('arch', 'CONFIG')}"
        )
    image = open_image(subject, verify=False)
    refuse_segments(image)
    made_for = image.arch
    for variation in variations:
        had = figure(made_for, variation.key)
        other = next((value for value in variation.values if value != had), None)
        if variation.key in IN_PROGRAMS and other is not None:
            raise InputError(
                f"{option('vary')} {variation.key}: {subject} was compiled for {value_text(had)}, and"
                f" {value_text(other)} takes other programs: give the model, which is compiled for each chip"
            )
    return made_for if arch is None else load_arch(arch)
