"""Runs as the command lines that repeat them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from emu.arch import Arch
from emu.arch.read import load_arch, preset_names
from emu.errors import ArchError
from emu.options import given
from launch.processes.options import NO_LIMIT, RunOptions
from launch.system.spelling import flag_of


def run_options(options: RunOptions) -> dict[str, object]:
    """Those of `options` that are not as by default, by parameter of the command; `seed` and logs are left out."""
    values = {name: value for name, value in given(options).items() if name != "log_dir"}
    if options.timeout is None:
        values["timeout"] = NO_LIMIT
    if options.chaos is not None:
        values |= {"specs": options.chaos.specs, "chaos_seed": str(options.chaos.seed)}
    return values


def arguments(values: Mapping[str, object]) -> list[str]:
    """Options with their values as a shell's words: None and False are left out, True is a flag, tuples repeat."""
    words: list[str] = []
    for name, value in values.items():
        flag = flag_of(name)
        for each in _each(value):
            words += [flag] if each is True else [flag, _text(each)]
    return words


def _each(value: object) -> list[object]:
    """The values that an option is given with, one after the other."""
    if value is None or value is False or value == "":
        return []
    if isinstance(value, Mapping):
        return list(value.items())
    return list(value) if isinstance(value, tuple | list) else [value]


def _text(value: object) -> str:
    """One word: pairs, such as the shape of an input, are NAME=VALUES."""
    if isinstance(value, tuple):
        name, values = value
        return f"{name}={values if isinstance(values, str) else ','.join(map(str, values))}"
    if isinstance(value, Arch):
        return arch_word(value) or f"{value.name}.toml"
    return str(value.absolute()) if isinstance(value, Path) else str(value)


def arch_word(arch: Arch) -> str:
    """The preset or the file that describes `arch`; empty for one that was made or changed in Python."""
    file = [str(Path(arch.origin).absolute())] if arch.origin else []
    preset = [arch.name] if arch.name in preset_names() else []
    return next((word for word in (*file, *preset) if _reads_as(word, arch)), "")


def _reads_as(word: str, arch: Arch) -> bool:
    try:
        return load_arch(word) == arch
    except ArchError:
        return False


def without(command: Sequence[str], name: str) -> list[str]:
    """A command line without the option of the parameter `name`, which takes a value."""
    flag = flag_of(name)
    kept: list[str] = []
    words = iter(command)
    for word in words:
        if word == flag:
            next(words, None)
        elif not word.startswith(f"{flag}="):
            kept.append(word)
    return kept
