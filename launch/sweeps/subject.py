"""The subject of a sweep: chips alone, a compiled directory, or a model that is compiled for each point."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emu.arch import Arch
from emu.arch.overlay import MAX_OVERLAY, analog_of
from emu.arch.read import load_arch
from emu.errors import ArchError, InputError, option
from emu.files import read_text
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import open_image
from emu.image.segments import refuse_segments
from emu.interop.physics import with_physics
from emu.interop.pim_isa.importing.raw_program import is_imported
from emu.isa.dtypes import DType
from emu.timing.chip.needed import figure
from launch.analog.options import METHOD, chosen_percentile
from launch.sweeps.data import SweepData
from launch.sweeps.keys import ARCH, CHIP, COMPILE, TIME, SweptKey
from launch.sweeps.metrics import METRICS, MetricChoice, chosen_metrics
from launch.sweeps.options import SweepOptions
from launch.sweeps.space import Choice, Space
from launch.sweeps.sweep import Sweep
from launch.sweeps.values import typed_text, value_text
from launch.sweeps.variations import parse_variations
from launch.timing.options import TimeOptions

_OF_DATA = ("input", "labels", "trials", "analog_seed", "method", "percentile")  # options
# What programs are made for: another value takes other programs.
IN_PROGRAMS = frozenset(
    {
        *("crossbar.rows", "crossbar.cols", "crossbar.weight_binding"),
        *("core.registers", "core.events", "core.functions", "global_memory.size"),
    }
)


def make_sweep(
    subject: Path | None,
    options: SweepOptions,
    timing: TimeOptions | None = None,
    compiling: Mapping[str, Any] | None = None,
) -> Sweep:
    """The sweep that a command line asks for; raises InputError.

    `compiling` are the options of `emu compile` by name, of which those count that are not None, empty or False.
    """
    archs = [name.strip() for name in options.arch.split(",")] if options.arch is not None else []
    several = [f"{ARCH}={','.join(map(typed_text, archs))}"] if len(archs) > 1 else []
    space = Space(parse_variations([*several, *options.vary]))
    keys = {key.name: key for variation in space.variations for key in variation.keys}
    if not keys:
        raise InputError(f"nothing is varied: name values by {option('vary')}, or several chips by {option('arch')}")
    given = {name: value for name, value in (compiling or {}).items() if value not in (None, (), False, {})}
    times = timing.given() if timing else {}
    _refuse_twice(keys, {**given, **times, **({ARCH: archs[0]} if len(archs) == 1 else {})})
    varied = next((each.values_of(ARCH) for each in space.variations if ARCH in (k.name for k in each.keys)), [])
    bases = {name: load_arch(name) for name in varied or archs}
    data = tuple(name for name in ("input", "labels") if getattr(options, name) is not None)
    metrics = chosen_metrics(options.metric, subject is not None, data)
    if subject is None:
        _refuse_of_networks(keys, given, times)
        if not bases:
            raise InputError(f"without a network there is no chip yet: name it by {option('arch')}")
    elif not subject.is_file():
        made_for = _arch_of_image(subject, given, keys)
        bases = bases or {"": made_for}
        _refuse_other_programs(subject, made_for, space)
    bases = bases or {"default": load_arch("default")}
    if options.analog is not None:
        bases = {name: _overlaid(arch, options.analog, subject) for name, arch in bases.items()}
    answers = _data_of(options, metrics)
    if answers is not None:  # of chips with their physics, whatever kind of crossbar they name
        bases = {name: analog_of(arch) for name, arch in bases.items()}
    return Sweep(
        subject=subject,
        kind="chip" if subject is None else "model" if subject.is_file() else "image",
        bases=bases,
        space=space,
        metrics=metrics,
        choice=Choice(options.points, options.choice, options.choice_seed),
        timing=times,
        compiling=given,
        data=answers,
    )


def _overlaid(arch: Arch, file: Path, subject: Path | None) -> Arch:
    """A chip with the tables of a file over it; where programs stay as they are, it must leave their weights room."""
    types: set[DType] = set()
    if subject is not None and not subject.is_file():
        image = open_image(subject, verify=False)
        types = {spec.weight for core in image.cores for spec in image.program(core).groups}
    return with_physics(arch, read_text(file, MAX_OVERLAY, ArchError), str(file), types)


def _data_of(options: SweepOptions, metrics: MetricChoice) -> SweepData | None:
    """The data that the network answers; None if no metric asks for answers."""
    of_data = any(METRICS[name].data for name in metrics.compared)
    if options.input is not None and of_data:
        path, trials, method = str(options.input.absolute()), options.trials or 1, options.method or METHOD
        percent = chosen_percentile(method, options.percentile)
        return SweepData(path, options.labels, trials, options.analog_seed, method, percent)
    idle = next((name for name in _OF_DATA if getattr(options, name) is not None), "")
    if idle:
        lacking = [*([option("input", "FILE.npz")] if options.input is None else ())]
        lacking += [] if of_data else [f"{option('metric')} with accuracy, agreement, snr or products"]
        raise InputError(f"{option(idle)} is of a network's answers to data: give {' and '.join(lacking)}, too")
    return None


def _refuse_twice(keys: Mapping[str, SweptKey], given: Mapping[str, Any]) -> None:
    """Raise InputError for an option that is both given and varied."""
    varied = {key.option for key in keys.values() if key.of != CHIP}
    twice = next((name for name in given if name in varied), None)
    if twice is not None:
        raise InputError(f"{option(twice)} is given, and varied by {option('vary')}: name all its values there")


def _refuse_of_networks(keys: Mapping[str, SweptKey], given: Mapping[str, Any], times: Mapping[str, Any]) -> None:
    """Raise InputError for options that mean something for a network, where there is none."""
    named = [option(name) for name in (*given, *times)]
    named += [f"{option('vary')} {key.name}" for key in keys.values() if key.of in (COMPILE, TIME)]
    if named:
        raise InputError(f"{named[0]} is of a network, and none is given: name a model or a compiled directory")


def _arch_of_image(subject: Path, compiling: Mapping[str, Any], keys: Mapping[str, SweptKey]) -> Arch:
    """The chip that a directory was compiled for; raises InputError if it is no image, and for what needs a model."""
    if not (subject / MANIFEST_FILE).exists():
        raise InputError(
            f"{subject}: nothing to sweep over: give a compiled directory, which has a {MANIFEST_FILE}, or an ONNX file"
        )
    compiled = [*map(option, compiling), *(f"{option('vary')} {k.name}" for k in keys.values() if k.of == COMPILE)]
    if compiled:
        raise InputError(
            f"{subject} is compiled already, so {' and '.join(compiled)} {'means' if len(compiled) == 1 else 'mean'}"
            " nothing: give the model to compile it for each chip"
        )
    if is_imported(subject):
        raise InputError(
            f"{subject} holds an imported program, which is timed on a JSON configuration of pimsim-nn and not on an"
            f" architecture file: change the value in copies of the configuration, and time each by emu time {subject}"
            f" {option('arch', 'CONFIG')}"
        )
    image = open_image(subject, verify=False)
    refuse_segments(image)
    return image.arch


def _refuse_other_programs(subject: Path, made_for: Arch, space: Space) -> None:
    """Raise InputError for values of keys that take other programs than a directory has."""
    for variation in space.variations:
        for key in variation.keys:
            if key.name not in IN_PROGRAMS:
                continue
            had = figure(made_for, key.name)
            other = next((value for value in variation.values_of(key.name) if value != had), None)
            if other is not None:
                raise InputError(
                    f"{option('vary')} {key.name}: {subject} was compiled for {value_text(had)}, and"
                    f" {value_text(other)} takes other programs: give the model, which is compiled for each chip"
                )
