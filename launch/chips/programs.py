"""The programs of an image, read on demand: in most runs never."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from emu.image.reader import Image
from emu.program.program import Program


class LazyPrograms(Mapping[int, Program]):
    """core -> program; each is decoded once."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._known: dict[int, Program] = {}

    def __getitem__(self, core: int) -> Program:
        if core not in self._image.cores:
            raise KeyError(core)
        if core not in self._known:
            self._known[core] = self._image.program(core)
        return self._known[core]

    def __iter__(self) -> Iterator[int]:
        return iter(self._image.cores)

    def __len__(self) -> int:
        return len(self._image.cores)
