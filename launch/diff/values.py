"""The tensors of a sample as two images have them: those that stood complete in memories, and the outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from emu.image.reader import Image
from emu.isa.dtypes import DType
from emu.program.form import Form, box_shape, box_slices
from launch.bisect.recording import SampleRecording
from launch.golden.verdict import FLOAT_TOLERANCE, FLOOR_UNITS, KEPT_SLACK


@dataclass(frozen=True, eq=False)
class Values:
    """A tensor in logical shape, as far as it is known; `is_output`: it was stored, not captured."""

    array: np.ndarray
    known: np.ndarray
    is_output: bool


@dataclass(frozen=True, eq=False)
class FirstDifference:
    """A tensor that differs: the first element, `index` in logical shape, and how many of those compared do."""

    tensor: str
    index: tuple[int, ...]
    a: float | int
    b: float | int
    elements: int
    of: int
    limit: float


def tensors_of(image: Image, recording: SampleRecording) -> dict[str, Values]:
    """All tensors of the recorded sample, by name; an output that is also captured counts as captured."""
    specs = {spec.name: spec for spec in image.manifest.outputs}
    found = {
        name: Values(array, np.ones(array.shape, np.bool_), True)
        for name, array in recording.outputs.items()
        if name in specs
    }
    tiles: dict[str, list[tuple[Form, DType, tuple[tuple[int, int], ...], bytes]]] = defaultdict(list)
    for (core, index), content in recording.captures.items():
        spec = image.program(core).buffers[index]
        tiles[spec.tensor].append((spec.form, spec.dtype, spec.box, content))
    for name, parts in tiles.items():
        form, dtype = parts[0][:2]
        whole, known = np.zeros(form.sizes, dtype.numpy), np.zeros(form.sizes, np.bool_)
        for _, _, box, content in (part for part in parts if part[:2] == (form, dtype)):
            whole[box_slices(box)] = np.frombuffer(content, dtype.numpy).reshape(box_shape(box))
            known[box_slices(box)] = True
        found[name] = Values(form.logical(whole), form.logical(known), False)
    return found


def first_differences(
    a: Mapping[str, Values], b: Mapping[str, Values], order: Mapping[str, int], tolerance: float | None
) -> Iterator[FirstDifference]:
    """The tensors of both that differ, in the order of the network."""
    for name in common(a, b, order):
        mine, theirs = a[name], b[name]
        both = mine.known & theirs.known
        limit = _limit(mine.array[both], theirs.array[both], tolerance, 1 if mine.is_output else KEPT_SLACK)
        differs = both & _beyond(mine.array, theirs.array, limit)
        if differs.any():
            place = tuple(int(k) for k in np.argwhere(differs)[0])
            yield FirstDifference(
                name,
                place,
                mine.array[place].item(),
                theirs.array[place].item(),
                int(np.count_nonzero(differs)),
                int(np.count_nonzero(both)),
                limit,
            )


def common(a: Mapping[str, Values], b: Mapping[str, Values], order: Mapping[str, int]) -> list[str]:
    """The tensors of which both know elements of the same shape, in the order of the network; outputs are last."""
    names = [n for n in a if n in b and a[n].array.shape == b[n].array.shape and (a[n].known & b[n].known).any()]
    return sorted(names, key=lambda name: (order.get(name, len(order)), a[name].is_output, name))


def _limit(a: np.ndarray, b: np.ndarray, tolerance: float | None, slack: float) -> float:
    """How far apart elements may be: as golden values may, relative to the largest magnitude of both; integers not."""
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        return 0.0
    size = min(a.dtype.itemsize, b.dtype.itemsize)
    share = slack * (FLOAT_TOLERANCE[size] if tolerance is None else tolerance)
    finite = [array[np.isfinite(array)] for array in (a, b)]
    largest = max((float(np.abs(array).max(initial=0)) for array in finite), default=0.0)
    return share * largest or min(share, FLOOR_UNITS * float(np.finfo(a.dtype).eps))


def _beyond(a: np.ndarray, b: np.ndarray, limit: float) -> np.ndarray:
    """Which elements are further apart than the limit, or NaN or infinite on one side alone."""
    if not limit and a.dtype.kind != "f" and b.dtype.kind != "f":
        return a != b
    mine, theirs = a.astype(np.float64), b.astype(np.float64)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        return ~same & ~(np.abs(mine - theirs) <= limit)
