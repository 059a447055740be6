"""How many cores each host of a run takes: as its processors weigh, and as its memory holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.census.footprint import memory_high_water
from emu.errors import InputError, option
from emu.image.reader import Image
from emu.noc.domains.graph import Numbers
from emu.program.program import Program
from emu.wording import counted
from launch.text.units import ranges, size_text

# Bytes, as they were measured: what a forked core has for itself, and more if it multiplies by weights. What a program
# touches of local memory it has twice, roughly: products gather what they multiply, and messages are copies.
OWN, MULTIPLYING = 5_000_000, 3_000_000
COPIES = 2


@dataclass(frozen=True, slots=True)
class HostCapacity:
    """A host that takes cores, as many as `cpus` weigh among those of all hosts, if `memory` bytes are enough for them.

    `near`: on the launcher's machine. Hosts of one `machine` share what it has (empty: it is alone on one), of which
    each may have its `memory` (None: nobody knows).
    """

    name: str
    cpus: int
    near: bool = False
    memory: int | None = None
    machine: str = ""


def needs_of(image: Image, programs: Mapping[int, Program], idle: Iterable[int]) -> dict[int, int]:
    """Bytes of memory that each core takes, roughly: for itself, its program, its weights and its local memory."""
    needs = dict.fromkeys((*programs, *idle), OWN)
    for files in image.manifest.cores:
        touched = min(memory_high_water(programs[files.core]), image.arch.core.local_memory)
        weights = image.manifest.files[files.xbar].size + MULTIPLYING if files.xbar else 0
        needs[files.core] += image.manifest.files[files.program].size + weights + COPIES * touched
    return needs


def memories(hosts: Sequence[HostCapacity], most: int) -> Numbers:
    """The bytes that each host may use, up to `most`: its own, and an equal part of what its machine has.

    A host without processors takes no cores by itself, and gets none.
    """
    found = np.zeros(len(hosts), np.int64)
    for number, host in enumerate(hosts):
        if host.cpus:
            there = [other for other in hosts if other.cpus and _machine(other) == _machine(host)]
            shared = _most([other for other in hosts if _machine(other) == _machine(host)])
            known = [bytes_ for bytes_ in (host.memory, shared and shared // len(there)) if bytes_ is not None]
            found[number] = min([most, *known])
    return found


def shares_of(needs: Sequence[int], hosts: Sequence[HostCapacity]) -> Numbers:
    """How many cores each host takes, of cores with these `needs` of memory, in blocks in their order.

    In the ratio of processors; a host whose memory holds fewer takes what fits, and the others more. If all together
    have too little, the ratio alone counts: `check_memory` tells.
    """
    count, cpus = len(needs), np.array([host.cpus for host in hosts])
    ends = np.concatenate(([0], np.cumsum(needs, dtype=np.int64)))
    room = memories(hosts, int(ends[-1]))

    def fitting(begins: Numbers, bytes_: Numbers) -> Numbers:
        """How many cores from each of `begins` on fit so many bytes."""
        return np.searchsorted(ends, ends[begins] + bytes_, side="right") - 1 - begins

    most = np.where(cpus > 0, count, 0)
    while most.sum() >= count:
        shares = _by_processors(count, cpus, most)
        fits = fitting(np.cumsum(shares) - shares, room)
        if (fits >= shares).all():
            return shares
        most = np.where(fits < shares, fits, most)
    shares = np.zeros(len(hosts), np.int64)
    for host in range(len(hosts)):  # each takes all that fits: if there is a way in this order, this is one
        shares[host] = fitting(shares.sum(keepdims=True), room[host : host + 1])[0] if cpus[host] else 0
    return shares if shares.sum() == count else _by_processors(count, cpus, np.full(len(hosts), count))


def check_memory(needs: Mapping[int, int], domains: Mapping[int, int], hosts: Sequence[HostCapacity]) -> None:
    """Raise InputError if cores, each in its domain of `hosts`, need more than their host has, or their machine."""
    held: dict[int, list[int]] = {number: [] for number in range(len(hosts))}
    for core in needs:
        held[domains[core]].append(core)
    for number, host in enumerate(hosts):
        _check([host], held[number], needs)
    for machine in dict.fromkeys(map(_machine, hosts)):
        there = [number for number, host in enumerate(hosts) if held[number] and _machine(host) == machine]
        _check([hosts[number] for number in there], [core for number in there for core in held[number]], needs)


def _check(hosts: Sequence[HostCapacity], cores: Sequence[int], needs: Mapping[int, int]) -> None:
    have, need = _most(hosts), sum(needs[core] for core in cores)
    if have is not None and need > have:
        raise InputError(
            f"{size_text(have)} of memory on host {' and '.join(host.name for host in hosts)} are too little for "
            f"{counted(len(cores), 'core')} ({ranges(sorted(cores))}) with about {size_text(need)}: free some, use "
            f"more hosts, or give others more cores by {option('host_cores', 'FILE')}"
        )


def _most(hosts: Sequence[HostCapacity]) -> int | None:
    """What hosts of one machine can have together, as the one knows that is limited least; None if none knows."""
    return max((host.memory for host in hosts if host.memory is not None), default=None)


def _machine(host: HostCapacity) -> str:
    return host.machine or f"of host {host.name}"


def _by_processors(count: int, cpus: Numbers, most: Numbers) -> Numbers:
    """Shares of `count` in the ratio of processors, none above `most`, which sum up to no less; rests where largest."""
    full = np.zeros(len(cpus), bool)
    while True:
        left, weights = count - int(most[full].sum()), np.where(full, 0, cpus)
        if not weights.any():
            return np.where(full, most, 0)
        exact = left * weights / weights.sum()
        shares = np.floor(exact).astype(np.int64)
        shares[np.argsort(shares - exact, kind="stable")[: left - int(shares.sum())]] += 1
        shares = np.where(full, most, shares)
        over = ~full & (shares > most)
        if not over.any():
            return shares
        full |= over
