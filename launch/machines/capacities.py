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

LEAST_OWN = 5 << 20  # bytes that a forked core has for itself at least, before its program needs any (measured)


@dataclass(frozen=True, slots=True)
class HostCapacity:
    """A host that takes cores, as many as `cpus` weigh among those of all hosts, if `memory` bytes are enough for them.

    `near`: on the launcher's machine. Hosts of one `machine` share its memory, which may be unknown; empty: it has one.
    """

    name: str
    cpus: int
    near: bool = False
    memory: int | None = None
    machine: str = ""


def needs_of(image: Image, programs: Mapping[int, Program], idle: Iterable[int]) -> dict[int, int]:
    """Bytes of memory that each core takes, at least: for itself, its program, its weights and its local memory."""
    sizes = {
        files.core: sum(image.manifest.files[name].size for name in (files.program, files.xbar) if name)
        for files in image.manifest.cores
    }
    local = {core: min(memory_high_water(program), image.arch.core.local_memory) for core, program in programs.items()}
    return {core: LEAST_OWN + sizes.get(core, 0) + local.get(core, 0) for core in (*programs, *idle)}


def memories(hosts: Sequence[HostCapacity], most: int) -> Numbers:
    """The bytes of each host, up to `most`: those on one machine get equal parts of it; one without processors none."""
    on_machine = [sum(other.cpus > 0 and _machine(other) == _machine(host) for other in hosts) for host in hosts]
    return np.array(
        [
            0 if not host.cpus else most if host.memory is None else min(most, host.memory // count)
            for host, count in zip(hosts, on_machine, strict=True)
        ],
        np.int64,
    )


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
    """Raise InputError if the cores that stand on a machine, each in its domain of `hosts`, need more than it has."""
    for machine in dict.fromkeys(map(_machine, hosts)):
        there = [number for number, host in enumerate(hosts) if _machine(host) == machine]
        known = [memory for number in there if (memory := hosts[number].memory) is not None]
        cores = sorted(core for core in needs if domains[core] in there)
        need = sum(needs[core] for core in cores)
        if known and need > min(known):
            held = {domains[core] for core in cores}
            names = [hosts[number].name for number in there if number in held]
            raise InputError(
                f"{size_text(min(known))} of memory on host {' and '.join(names)} are too little for "
                f"{counted(len(cores), 'core')} ({ranges(cores)}) with about {size_text(need)}: free some, use more "
                f"hosts, or give others more cores by {option('host_cores', 'FILE')}"
            )


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
