"""Who starts agents, by the text of `--hosts`: an engine per row, and those of installed packages."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

from emu.errors import InputError, option, shown
from emu.wording import nearest, visible
from launch.machines.engines.engine import Engine
from launch.system.by_name import named

ENTRY_POINTS = "reram_emu.engines"
ENGINES: Mapping[str, str] = {
    "local": "launch.machines.engines.local:Local",
    "ssh": "launch.machines.engines.ssh:Ssh",
    "slurm": "launch.machines.engines.slurm:Slurm",
    "dask": "launch.machines.engines.dask:Dask",
}
OF_NAMES = "ssh"  # of a text that names no engine, but hosts


def engine_of(text: str) -> Engine:
    """The engine of `--hosts TEXT`: NAME, NAME:REST or, for ssh, HOST,HOST...; raises InputError if it is none."""
    rows = {**{entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}, **ENGINES}
    name, colon, rest = text.partition(":")
    if name not in rows:
        if colon or not text.strip():
            guess = nearest(name, rows)
            raise InputError(f"{option('hosts')} {shown(text)} names no engine: use {_forms(rows)}{guess}")
        name, rest = OF_NAMES, text
    return _made(name, rows[name]).parse(rest)


def _made(name: str, where: str) -> type[Engine]:
    try:
        return named(where)
    except Exception as error:  # of a foreign module
        why = visible(str(error)) or type(error).__name__
        raise InputError(f"engine {name!r} of {option('hosts')} cannot be imported: {why}") from None


def _forms(rows: Mapping[str, str]) -> str:
    """How engines are written, those of installed packages by their names."""
    ours = [named(where).form for where in ENGINES.values()]
    return ", ".join([*ours, *(name for name in rows if name not in ENGINES)])
