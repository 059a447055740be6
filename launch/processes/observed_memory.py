"""Memory that observers share with the processes of a machine: behind its board, a row for each core with a program."""

from __future__ import annotations

import hashlib
import os
import weakref
from collections.abc import Iterator, Sequence
from itertools import pairwise
from mmap import ALLOCATIONGRANULARITY, MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any, NamedTuple

from emu.errors import InputError, option
from emu.noc.watch.board import Board
from launch.processes.observer import ProcessObserver
from launch.processes.orders import Orders
from launch.system.by_name import named
from launch.system.memory import resize

PIECE = 1 << 20  # bytes that are carried to other memory at once
DIGEST = 16  # bytes
Memories = Sequence[mmap | None]  # of all observers of a run, in their order; None: without memory


class Piece(NamedTuple):
    """The bytes `data`, from byte `at` on, of the memory of observer number `observer`."""

    observer: int
    at: int
    data: bytes


class ObservedMemory:
    """The `memories` of the observers of a run in the memory file `descriptor`, which is made large enough.

    Pages that nobody writes cost nothing. Raises InputError if there is no room.
    """

    def __init__(self, orders: Orders, descriptor: int) -> None:
        self._places = _places(orders)
        resize(descriptor, self._places[-1][1])
        self.memories: Memories = [_mapped(descriptor, begin, end) for begin, end in self._places[1:]]
        self._parts = parts_of(orders)
        self._given: dict[tuple[int, int], bytes] = {}  # digests of pieces
        self._file = -1
        if orders.here is not None and any(self.memories):
            self._file = os.dup(descriptor)
            weakref.finalize(self, os.close, self._file)

    def pieces(self, whole: bool = False) -> Iterator[Piece]:
        """What cores that this machine forks by its orders have written: pieces that have changed since the last time.

        With `whole` also those that have not.
        """
        if whole:
            self._given.clear()
        for observer, ((begin, _), parts) in enumerate(zip(self._places[1:], self._parts, strict=True)):
            for first, end in parts:
                for at in self._written(begin + first, begin + end):
                    data = os.pread(self._file, min(PIECE, begin + end - at), at)
                    digest = hashlib.blake2b(data, digest_size=DIGEST).digest()
                    if self._given.get((observer, at)) != digest:
                        self._given[observer, at] = digest
                        yield Piece(observer, at - begin, data)

    def _written(self, begin: int, end: int) -> Iterator[int]:
        """Where the pieces of a part of the file begin that somebody has written to."""
        at = begin
        while at < end:
            try:
                data = os.lseek(self._file, at, os.SEEK_DATA)
            except OSError:  # there is no more of it
                return
            at = begin + (data - begin) // PIECE * PIECE
            if at < end:
                yield at
            at += PIECE


def private_memories(rows: Sequence[int], cores: int) -> Memories:
    """Memory of this process alone for observers with so many bytes per core; raises InputError if there is no room."""
    return [_mapped(-1, 0, row * max(1, cores)) for row in rows]


def parts_of(orders: Orders) -> list[list[tuple[int, int]]]:
    """Of the memory of each observer, begin and end of what the cores write that a machine forks by `orders`."""
    own = set(orders.forked(orders.programs))
    here = [False, *(core in own for core in orders.programs), False]
    bounds = [k for k, (before, after) in enumerate(pairwise(here)) if before != after]
    runs = list(zip(bounds[::2], bounds[1::2], strict=True))  # of neighbours
    return [[(row * first, row * end) for first, end in runs if row] for _, _, row in orders.observers]


def put(pieces: Any, memories: Memories, parts: Sequence[Sequence[tuple[int, int]]], sender: str) -> None:
    """Write `pieces`, as the machine `sender` has sent them, to `memories`.

    Raises InputError unless they lie in its `parts`.
    """
    for piece in pieces if isinstance(pieces, list) else [None]:
        match piece:
            case [int(observer), int(at), bytes(data)] if (
                0 <= observer < len(memories)
                and (memory := memories[observer]) is not None
                and any(begin <= at and at + len(data) <= end for begin, end in parts[observer])
            ):
                memory[at : at + len(data)] = data
            case _:
                raise InputError(
                    f"{sender} has sent what no observer of its cores has written: install the same version on both"
                )


def observers_of(orders: Orders) -> list[ProcessObserver]:
    """The observers of a run, made anew in a process that has inherited the memory of the board."""
    return [
        named(name)(values, _mapped(orders.board, begin, end), orders.programs)
        for (name, values, _), (begin, end) in zip(orders.observers, _places(orders)[1:], strict=True)
    ]


def _places(orders: Orders) -> list[tuple[int, int]]:
    """First and last but one byte, in the memory file, of the board, and of the memory of each observer."""
    cores = len(orders.programs)
    places = [(0, Board.size(cores))]
    for _, _, row in orders.observers:
        begin = -(-places[-1][1] // ALLOCATIONGRANULARITY) * ALLOCATIONGRANULARITY
        places.append((begin, begin + row * max(1, cores)))
    return places


def _mapped(descriptor: int, begin: int, end: int) -> mmap | None:
    """The bytes of a memory file (-1: of fresh memory); None if there are none."""
    if begin == end:
        return None
    try:
        if descriptor < 0:
            return mmap(-1, end - begin, MAP_PRIVATE | MAP_ANONYMOUS)
        return mmap(descriptor, end - begin, offset=begin)
    except (OSError, OverflowError, ValueError):
        raise InputError(
            f"no memory of {end - begin} bytes for what observes the run: use fewer cores, or keep fewer events of a"
            f" trace by {option('trace_events')}"
        ) from None
