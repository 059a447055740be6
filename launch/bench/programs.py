"""Images of programs that rows about messages, starts and idle cores run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from emu.arch import Arch
from emu.image.manifest import Manifest
from emu.image.writer import ImageWriter
from emu.program.builder import SectionBuilder
from emu.program.program import Program


def halting(count: int) -> Iterator[Program]:
    """Programs of the cores from 0 on that only halt."""
    for core in range(count):
        builder = SectionBuilder()
        builder.emit("halt")
        yield Program(core, main=builder.finish())


def write_programs(folder: Path | str, programs: Iterable[Program], cores: int) -> Path:
    """An image of `programs` for a chip of `cores` cores, in `folder`."""
    image = Path(folder) / "image"
    with ImageWriter(image) as writer:
        for program in programs:
            writer.add_core(program, [])
        writer.finish(Manifest(Arch(name="benchmark", cores=cores), (), (), (), 0))
    return image
