"""Files of traces, whose format follows from the suffix."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from emu.errors import InputError, option

if TYPE_CHECKING:
    from launch.tracing.model import Part

# By the end of the name: "module:function", which writes parts to an open file.
FORMATS = MappingProxyType(
    {
        ".pftrace": "launch.tracing.perfetto:write_perfetto",
        ".json.gz": "launch.tracing.chrome:write_chrome_gzip",
        ".json": "launch.tracing.chrome:write_chrome",
    }
)


def format_of(path: Path) -> str:
    """The row of `FORMATS` for a file; raises InputError if there is none."""
    for end, function in FORMATS.items():
        if path.name.lower().endswith(end):
            return function
    raise InputError(
        f"{option('trace')} {path}: the end of the name says what is written: .pftrace for Perfetto's own format,"
        " .json or .json.gz for Chrome's"
    )


def write_trace(path: Path, parts: Iterable[Part]) -> None:
    """Write the parts of a trace to `path` atomically; raises InputError."""
    from emu.output.whole_file import WholeFile
    from launch.system.by_name import named

    write = named(format_of(path))
    with WholeFile(path, streams=True) as file:
        write(file, parts)
