"""Global memory of a foreign program: what it loads is its input, what it stores its output.

A byte may be both: as an input it is what memory holds at the begin of a sample. An export of ours tells which tensors
are meant; what else is loaded then, and never stored, is the same for all samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from emu.errors import ProgramError
from emu.image.layout import from_memory
from emu.image.manifest import ReadOnlySpec, TensorSpec, TensorTile
from emu.interop.pim_isa.format.extension import Extension
from emu.interop.pim_isa.importing.resolve import Effective
from emu.interop.pim_isa.isa import among
from emu.intervals import EMPTY, Spans, merge
from emu.isa.dtypes import DType
from emu.program.form import Form

MOST_TENSORS = 64  # regions that are a tensor each; more are one tensor together
MAX_INPUT = 1 << 28  # bytes of global memory that are loaded
GAP = 4096  # bytes between two regions that are made one
INPUT, OUTPUT = "memory", "stored"


@dataclass(frozen=True, slots=True)
class GlobalBytes:
    """The bytes of global memory that a program loads, and those that it stores."""

    loaded: Spans
    stored: Spans

    @staticmethod
    def by(found: Effective) -> GlobalBytes:
        """Those of one core."""
        return GlobalBytes(_spans(found, 1, "ld", "sld"), _spans(found, 0, "st"))

    @staticmethod
    def together(parts: Iterable[GlobalBytes]) -> GlobalBytes:
        """Those of all cores."""
        found = list(parts)
        return GlobalBytes(_union(part.loaded for part in found), _union(part.stored for part in found))


@dataclass(frozen=True, eq=False)
class Content:
    """What global memory holds: tensors in and out, one sample of the former, and what all samples share."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    samples: dict[str, np.ndarray]
    read_only: tuple[tuple[ReadOnlySpec, np.ndarray], ...] = ()
    size: int = 0  # bytes at least


def content_of(
    where: str, accessed: GlobalBytes, extension: Extension | None, memory: np.ndarray | None, seed: int
) -> Content:
    """The content for what is accessed: of `memory` (uint8, from address 0 on), or random.

    Raises ProgramError naming an address that `memory` does not have.
    """
    given = _Given(where, memory, seed)
    if extension is None:
        inputs = _tensors(INPUT, _bridged(accessed.loaded))
        _refuse_too_much(where, sum(spec.nbytes for spec in inputs))
        return Content(inputs, _tensors(OUTPUT, accessed.stored), given.samples(inputs))
    tiles = merge(*_edges(extension.inputs))
    shared = _without(_without(accessed.loaded, tiles), accessed.stored)
    _refuse_too_much(where, shared.size + sum(spec.nbytes for spec in extension.inputs))
    read_only = [
        (ReadOnlySpec(name, DType.u8, (end - begin,), begin, f"{name}.npy"), given.read(begin, end - begin))
        for begin, end in zip(shared.begin.tolist(), shared.end.tolist(), strict=True)
        for name in (f"constants_{begin}",)
    ]
    samples = given.samples(extension.inputs)
    return Content(extension.inputs, extension.outputs, samples, tuple(read_only), extension.global_size)


@dataclass(frozen=True, eq=False)
class _Given:
    """The first content of global memory."""

    where: str
    memory: np.ndarray | None
    seed: int

    def samples(self, specs: Iterable[TensorSpec]) -> dict[str, np.ndarray]:
        """One sample of each tensor, [1, *shape]."""
        return {
            spec.name: from_memory(spec, lambda address, size: self.read(address, size).data)[None] for spec in specs
        }

    def read(self, address: int, size: int) -> np.ndarray:
        """Some bytes."""
        if self.memory is None:
            return np.random.default_rng((self.seed, address)).integers(0, 256, size, np.uint8)
        if address + size > len(self.memory):
            raise ProgramError(
                f"{self.where}: it loads byte {address + size - 1} of global memory, the memory that is given has"
                f" {len(self.memory)} bytes"
            )
        return self.memory[address : address + size]


def _refuse_too_much(where: str, nbytes: int) -> None:
    if nbytes > MAX_INPUT:
        raise ProgramError(f"{where}: it loads {nbytes} bytes of global memory, more than {MAX_INPUT}")


def _spans(found: Effective, place: int, *names: str) -> Spans:
    rows = np.flatnonzero(among(found.columns.op, *names) & found.known(place))
    return merge(found.begin(place)[rows], found.end(place)[rows])


def _union(parts: Iterable[Spans]) -> Spans:
    found = [EMPTY, *parts]
    return merge(np.concatenate([part.begin for part in found]), np.concatenate([part.end for part in found]))


def _edges(specs: Iterable[TensorSpec]) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array([part for spec in specs for part in spec.ranges], np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _without(given: Spans, taken: Spans) -> Spans:
    """The bytes of `given` that are not in `taken`."""
    edges = np.unique(np.concatenate((given.begin, given.end, taken.begin, taken.end)))
    low, high = edges[:-1], edges[1:]
    kept = given.covers(low, high) & ~taken.covers(low, high)
    return merge(low[kept], high[kept])


def _bridged(spans: Spans) -> Spans:
    """The same with small gaps filled: a region of memory is one tensor, even if not all of it is loaded."""
    wide = merge(spans.begin, spans.end + GAP)
    return Spans(wide.begin, wide.end - GAP)


def _tensors(name: str, spans: Spans) -> tuple[TensorSpec, ...]:
    """A tensor of bytes for each region, called by its address; one of all, in tiles, if there are many."""
    regions = list(zip(spans.begin.tolist(), spans.end.tolist(), strict=True))
    if len(regions) > MOST_TENSORS:
        return (_tensor(name, regions),)
    return tuple(_tensor(f"{name}_{begin}", [(begin, end)]) for begin, end in regions)


def _tensor(name: str, regions: list[tuple[int, int]]) -> TensorSpec:
    sizes = [end - begin for begin, end in regions]
    total, first = sum(sizes), 0
    tiles: list[TensorTile] = []
    for (begin, _), size in zip(regions, sizes, strict=True):
        tiles.append(TensorTile(((0, 1), (0, 1), (first, first + size)), begin))
        first += size
    return TensorSpec(name, Form((total,), (total, 1, 1), ("C",)), DType.u8, tuple(tiles))
