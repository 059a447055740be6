"""Global memory of a foreign program: what it loads is its input, what it stores its output.

A byte may be both. As an input it is what memory holds at the begin of a sample.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from emu.errors import ProgramError
from emu.foreign.importing.resolve import Effective
from emu.foreign.pimsim.ops import among
from emu.image.manifest import TensorSpec, TensorTile
from emu.intervals import EMPTY, Spans, merge
from emu.isa.dtypes import DType
from emu.program.form import Form

MOST_TENSORS = 64  # regions that are a tensor each; more are one tensor together
MAX_INPUT = 1 << 30  # bytes
GAP = 4096  # bytes between two regions that are made one
INPUT, OUTPUT = "memory", "stored"


def loaded(found: Effective) -> Spans:
    """The bytes that a core loads."""
    return _spans(found, 1, "ld", "sld")


def stored(found: Effective) -> Spans:
    """The bytes that a core stores."""
    return _spans(found, 0, "st")


def _spans(found: Effective, place: int, *names: str) -> Spans:
    rows = np.flatnonzero(among(found.columns.op, *names) & found.known(place))
    return merge(found.begin(place)[rows], found.end(place)[rows])


def together(parts: Iterable[Spans]) -> Spans:
    """The union of sets of bytes."""
    found = list(parts)
    if not found:
        return EMPTY
    return merge(np.concatenate([part.begin for part in found]), np.concatenate([part.end for part in found]))


def bridged(spans: Spans) -> Spans:
    """The same with small gaps filled: a region of memory is one tensor, even if not all of it is loaded."""
    wide = merge(spans.begin, spans.end + GAP)
    return Spans(wide.begin, wide.end - GAP)


def as_tensors(name: str, spans: Spans) -> tuple[TensorSpec, ...]:
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


def contents(where: str, specs: Iterable[TensorSpec], memory: np.ndarray | None, seed: int) -> dict[str, np.ndarray]:
    """The bytes of the input tensors, one sample: of `memory` (uint8, from address 0 on), or random.

    Raises ProgramError naming an address that `memory` does not have.
    """
    found: dict[str, np.ndarray] = {}
    for place, spec in enumerate(specs):
        if spec.nbytes > MAX_INPUT:
            raise ProgramError(f"{where}: it loads {spec.nbytes} bytes of global memory, more than {MAX_INPUT}")
        if memory is None:
            rng = np.random.default_rng((seed, place))
            found[spec.name] = rng.integers(0, 256, (1, spec.nbytes), np.uint8)
            continue
        if (last := max(end for _, end in spec.ranges)) > len(memory):
            raise ProgramError(
                f"{where}: it loads byte {last - 1} of global memory, the given memory has {len(memory)} bytes"
            )
        parts = [memory[begin:end] for begin, end in spec.ranges]
        found[spec.name] = np.concatenate(parts)[None]
    return found
