"""Where the programs and weights of two images differ, core by core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from emu.image.reader import Image
from emu.program.program import Program
from launch.bisect.differences import differences

SECTIONS = ("init", "main")


@dataclass(frozen=True, slots=True)
class CoreDifference:
    """The first difference of a core: `place` is an instruction such as `main[3]`, or what else of it differs."""

    core: int | None  # None: it is of no core, but of the global memory
    place: str
    a: str
    b: str

    def __str__(self) -> str:
        where = "global memory" if self.core is None else f"core {self.core}"
        return f"{where} {self.place}: {self.a} in A, {self.b} in B"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def program_differences(a: Image, b: Image) -> list[CoreDifference]:
    """The first difference of every core that has one, ascending, and at last that of the global memory."""
    found = [found for core in sorted({*a.cores, *b.cores}) for found in islice(_of_core(core, a, b), 1)]
    return [*found, *islice(_of_global(a, b), 1)]


def _of_global(a: Image, b: Image) -> Iterator[CoreDifference]:
    """Where tensors stand, and what read-only ones hold."""
    for kind in ("inputs", "outputs", "read_only"):
        have, want = ({spec.name: spec for spec in getattr(each.manifest, kind)} for each in (a, b))
        for name in (*have, *(name for name in want if name not in have)):
            if have.get(name) != want.get(name):
                texts = ("one place", "another") if name in have and name in want else ("there", "none")
                yield CoreDifference(None, f"{kind} {name!r}", *(texts if name in have else texts[::-1]))
    holds = [{name: bytes(content) for name, _, content in each.read_only()} for each in (a, b)]
    for name, content in holds[0].items():
        if content != holds[1].get(name):
            yield CoreDifference(None, f"read_only {name!r}", "some elements", "others")


def _of_core(core: int, a: Image, b: Image) -> Iterator[CoreDifference]:
    if core not in a.cores or core not in b.cores:
        texts = ("no program", "a program") if core not in a.cores else ("a program", "no program")
        yield CoreDifference(core, "as a whole", *texts)
        return
    mine, theirs = a.program(core), b.program(core)
    for name in SECTIONS:
        for found in differences(getattr(mine, name), getattr(theirs, name)):
            place = name if found.index is None else f"{name}[{found.index}]"
            yield CoreDifference(core, place, found.got, found.expected)
    yield from _of_memory(mine, theirs)
    yield from _of_weights(core, a, b)


def _of_memory(mine: Program, theirs: Program) -> Iterator[CoreDifference]:
    """Constants, and what keeps its content from sample to sample."""
    have, want = ({data.address: data.content for data in each.data} for each in (mine, theirs))
    for address in sorted({*have, *want}):
        contents = have.get(address), want.get(address)
        if contents[0] != contents[1]:
            texts = ("none" if content is None else f"bytes {content[:4].hex()}..." for content in contents)
            yield CoreDifference(mine.core, f"constant at l[{address:#x}]", *texts)
    if mine.state != theirs.state:
        yield CoreDifference(mine.core, "state", str(list(mine.state)), str(list(theirs.state)))


def _of_weights(core: int, a: Image, b: Image) -> Iterator[CoreDifference]:
    held = zip_longest(a.multiplied(core), b.multiplied(core))
    for number, (group, (mine, theirs)) in enumerate(zip_longest(a.program(core).groups, held)):
        if mine is None or theirs is None or group is None:
            if mine is not theirs:
                texts = ["none" if each is None else f"{each.shape[0]} rows" for each in (mine, theirs)]
                yield CoreDifference(core, f"group {number}", *texts)
        elif mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            yield CoreDifference(core, f"group {number}", *(f"{each.shape} {each.dtype}" for each in (mine, theirs)))
        elif not np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"):
            row, column = (int(k) for k in np.argwhere(~((mine == theirs) | ((mine != mine) & (theirs != theirs))))[0])
            texts = [str(each[row, column]) for each in (mine, theirs)]
            yield CoreDifference(core, f"group {number}, row {row}, column {column}", *texts)
