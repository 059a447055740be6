"""Dimensions cut into the axes that they are made of: how the loops of a nest index tiles in any layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from compiler.nests.linear import Linear, Map
from emu.program.form import Form

Cuts = Mapping[int, tuple[int, ...]]  # dimension of the space -> sizes of its parts, outermost first


def refined(cuts: Cuts, indices: Map, form: Form) -> Cuts | None:
    """`cuts`, finer where dimensions of a tensor are made of several axes; None if its axes do not nest with them."""
    result = dict(cuts)
    for index, axes in zip(indices, form.layout, strict=True):
        if len(axes) < 2 or index.only is None:
            continue
        wanted = tuple(form.size(axis) for axis in axes)
        known = result.get(index.only, (prod(wanted),))
        ends = sorted(_ends(known) | _ends(wanted))
        if any(large % small for small, large in pairwise(ends)):
            return None
        result[index.only] = tuple(large // small for small, large in pairwise(ends))[::-1]
    return result


def _ends(sizes: Sequence[int]) -> set[int]:
    """The products of the last 0, 1, 2, ... sizes."""
    return {prod(sizes[at:]) for at in range(len(sizes) + 1)}


@dataclass(frozen=True, slots=True)
class Digits:
    """What a dimension is cut into: (new dimension, size, what it counts in the old one), outermost first."""

    parts: tuple[tuple[int, int, int], ...]

    @property
    def value(self) -> Linear:
        """The old counter."""
        return Linear.of(0, {dim: unit for dim, _, unit in self.parts})

    def digit(self, unit: int, size: int) -> Linear:
        """Which of `size` steps of `unit` the old counter is in: what an axis of that size counts."""
        within = {dim: step // unit for dim, _, step in self.parts if unit <= step < unit * size}
        return Linear.of(0, within)


def digits_of(sizes: Sequence[int], cuts: Cuts) -> list[Digits]:
    """What each dimension of a space is cut into; the parts are the dimensions of the new one, from left to right."""
    made, count = list[Digits](), 0
    for dim, size in enumerate(sizes):
        parts, unit = list[tuple[int, int, int]](), 1
        pieces = cuts.get(dim, (size,))
        for place in reversed(range(len(pieces))):
            parts.insert(0, (count + place, pieces[place], unit))
            unit *= pieces[place]
        made.append(Digits(tuple(parts)))
        count += len(pieces)
    return made


def tile_map(indices: Map, form: Form, digits: Sequence[Digits]) -> Map:
    """The index of each axis, in the order of memory."""
    values = [part.value for part in digits]
    by_axis = dict[str, Linear]()
    for index, axes in zip(indices, form.layout, strict=True):
        if len(axes) == 1:
            by_axis[axes] = index.substituted(values)
        elif axes:
            assert index.only is not None  # separable
            unit = 1
            for axis in reversed(axes):
                by_axis[axis] = digits[index.only].digit(unit, form.size(axis))
                unit *= form.size(axis)
    return tuple(by_axis.get(axis, Linear()) for axis in form.names)
