"""What an export tells of the network that its programs were compiled from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from emu.image.manifest import Manifest
from emu.interop.pim_isa.exporting.unroll import UnrolledPiece
from emu.interop.pim_isa.format.source_map import CoreMap, SourceMap, moved
from emu.program.program import Program, Source

_OF_EVALUATION = ("max_length", "shape ")  # how options begin that say what network was compiled


class StatementStarts:
    """Counts with which instruction of the exported program each statement of `main` begins."""

    def __init__(self, statements: Mapping[int, int]) -> None:
        """`statements`: the index into `main` -> the first row of the last template."""
        self._indices, self._rows = list(statements), np.array(list(statements.values()), np.int64)
        self._before = np.zeros(len(self._rows), np.int64)

    def see(self, piece: UnrolledPiece, last: bool) -> None:
        """Count the instructions of a piece, of the last template or of one before it."""
        self._before += np.searchsorted(np.sort(piece.row), self._rows) if last else len(piece.row)

    @property
    def by_index(self) -> dict[int, int]:
        """By index into `main` the number of the instruction, ascending."""
        return dict(zip(self._indices, self._before.tolist(), strict=True))


def core_map(program: Program, places: Mapping[int, int]) -> CoreMap:
    """Buffers and sources of a core by places in the exported program; a loop is of what it does first."""
    found: dict[int, Source] = {}
    for place, source in _sources(program, places):
        if source != next(reversed(found.values()), None):
            found[place] = source
    return CoreMap(moved(program.buffers, places), tuple(found.items()))


def _sources(program: Program, places: Mapping[int, int]) -> Iterator[tuple[int, Source]]:
    sources, indices = program.main.columns["source"], list(places)
    for begin, end in pairwise(indices):
        named = sources[begin:end][sources[begin:end] >= 0]
        if places[begin] < places[end]:
            yield places[begin], program.sources[int(named[0])] if len(named) else Source("")


def network_map(manifest: Manifest, cores: Mapping[int, CoreMap]) -> SourceMap:
    """That of all cores, with what the manifest says of the network."""
    options = {name: text for name, text in manifest.options.items() if name.startswith(_OF_EVALUATION)}
    return SourceMap(manifest.model, options, manifest.tensors, cores)
