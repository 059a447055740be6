"""Runs as the command lines that repeat them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from emu.arch import Arch
from launch.processes.options import RunOptions

if TYPE_CHECKING:
    from launch.runs.job import Job

SPELLED = {"shapes": "shape", "input_file": "input", "specs": "chaos"}  # parameters that options call otherwise


def launch_arguments(job: Job) -> list[str]:
    """The options of `emu launch` for `job`, without its image, inputs and golden values; it knows no budgets."""
    kept = {"model": job.model, "keep": job.keep, "keep_informs": job.keep_informs} if job.keep else {}
    labels = {"labels": job.labels, "min_accuracy": job.min_accuracy} if job.labels else {}
    values = {
        **run_options(job.options),
        "runs": job.runs or None,
        "repeat": job.repeat if job.repeat > 1 else None,
        "tolerance": job.tolerance,
        "allow_nan": job.allow_nan,
        **kept,
        **labels,
    }
    return arguments(values)


def run_options(options: RunOptions) -> dict[str, object]:
    """Those of `options` that are not as by default, by parameter of the command; `seed` and logs are left out."""
    plain = RunOptions()
    left_out = ("seed", "log_dir", "chaos")
    names = [field.name for field in fields(RunOptions) if field.name not in left_out]
    values = {name: getattr(options, name) for name in names if getattr(options, name) != getattr(plain, name)}
    if options.chaos is not None:
        values |= {"specs": options.chaos.specs, "chaos_seed": str(options.chaos.seed)}
    return values


def arguments(values: Mapping[str, object]) -> list[str]:
    """Options with their values as a shell's words: None and False are left out, True is a flag, tuples repeat."""
    words: list[str] = []
    for name, value in values.items():
        flag = _flag(name)
        for each in _each(value):
            words += [flag] if each is True else [flag, _text(each)]
    return words


def _flag(name: str) -> str:
    return f"--{SPELLED.get(name, name).replace('_', '-')}"


def _each(value: object) -> list[object]:
    """The values that an option is given with, one after the other."""
    if value is None or value is False or value == "":
        return []
    if isinstance(value, Mapping):
        return [f"{name}={','.join(map(str, sizes))}" for name, sizes in value.items()]
    return list(value) if isinstance(value, tuple | list) else [value]


def _text(value: object) -> str:
    if isinstance(value, Path):
        return str(value.absolute())
    return value.origin or value.name if isinstance(value, Arch) else str(value)


def without(command: Sequence[str], name: str) -> list[str]:
    """A command line without the option of the parameter `name`, which takes a value."""
    flag = _flag(name)
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == flag:
            next(words, None)
        elif not word.startswith(f"{flag}="):
            kept.append(word)
    return kept
