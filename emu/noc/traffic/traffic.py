"""The traffic of programs, read from their columns before a run: peers, bytes per pair, and which core syncs which."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from emu.isa.codes import asking
from emu.isa.instruction import RequestKind
from emu.program.nesting import executions
from emu.program.program import Program
from emu.program.section import Section

MEMORY = -1  # the number of the global memory among the nodes of the network
Syncers = Callable[[int, int], Collection[int]]  # (core, event) -> the cores whose programs sync it


@dataclass(frozen=True, slots=True)
class Peers:
    """The cores that a program sends to (including syncs) and receives from, ascending."""

    outgoing: tuple[int, ...]
    incoming: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many they are, each counted once."""
        return len({*self.outgoing, *self.incoming})


def peers_of(program: Program) -> Peers:
    """The peers of `program`, over `init` and `main`."""
    sections = (program.init, program.main)
    outgoing = {core for section in sections for core in _named(section, RequestKind.SEND, RequestKind.SYNC)}
    incoming = {core for section in sections for core in _named(section, RequestKind.RECV)}
    return Peers(tuple(sorted(outgoing)), tuple(sorted(incoming)))


def _named(section: Section, *kinds: RequestKind) -> set[int]:
    return set(section.columns["arg0"][asking(section.columns["op"], *kinds)].tolist())


def traffic(programs: Mapping[int, Program]) -> dict[tuple[int, int], int]:
    """Bytes that each (sender, receiver) exchanges per sample."""
    return {pair: size for pair, (_, size) in messages_and_bytes(programs).items()}


def exchanged(section: Section, kind: RequestKind) -> np.ndarray:
    """Messages, and their bytes, that each instruction sends (or receives) in one pass, int64 [2, instructions]."""
    times = np.where(asking(section.columns["op"], kind), executions(section), 0)
    return np.stack((times, times * section.columns["n"]))


def messages_and_bytes(programs: Mapping[int, Program]) -> dict[tuple[int, int], tuple[int, int]]:
    """Messages, and their bytes, that each (sender, receiver) exchanges per sample."""
    total: dict[tuple[int, int], tuple[int, int]] = {}
    for core, program in programs.items():
        sends = np.nonzero(asking(program.main.columns["op"], RequestKind.SEND))[0]
        times, sizes = exchanged(program.main, RequestKind.SEND)[:, sends].tolist()
        peers = program.main.columns["arg0"][sends].tolist()
        for peer, count, size in zip(peers, times, sizes, strict=True):
            messages, nbytes = total.get((core, peer), (0, 0))
            total[core, peer] = messages + count, nbytes + size
    return total


def with_memory(programs: Mapping[int, Program]) -> dict[tuple[int, int], tuple[int, int]]:
    """As `messages_and_bytes`; loads are messages of the global memory, stores those to it (node `MEMORY`)."""
    total = messages_and_bytes(programs)
    for core, program in programs.items():
        for kind, pair in ((RequestKind.LOAD, (MEMORY, core)), (RequestKind.STORE, (core, MEMORY))):
            messages, nbytes = exchanged(program.main, kind).sum(axis=1).tolist()
            if messages:
                total[pair] = messages, nbytes
    return total


def event_sources(programs: Mapping[int, Program]) -> Syncers:
    """Which cores have a `sync` for (core, event); programs are read only when asked."""

    @cache
    def table() -> dict[tuple[int, int], Collection[int]]:
        sources: dict[tuple[int, int], set[int]] = {}
        for core, program in programs.items():
            for section in (program.init, program.main):
                rows = asking(section.columns["op"], RequestKind.SYNC)
                for target in zip(*(section.columns[name][rows].tolist() for name in ("arg0", "arg1")), strict=True):
                    sources.setdefault(target, set()).add(core)
        return {target: frozenset(cores) for target, cores in sources.items()}

    return lambda core, event: table().get((core, event), ())
