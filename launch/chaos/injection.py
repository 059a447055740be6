"""Chaos of one powered-on chip: what is injected is planned here, told to the processes, and counted."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from typing import Any

from emu.chaos.plan import plan
from emu.chaos.spec import Chaos
from emu.chaos.tally import Tally
from emu.errors import EmuError
from emu.program.program import Program
from launch.system.shared_memory import resize


class Injection:
    """Shared memory (`descriptor`) in which the processes of a run count the faults that they inject."""

    def __init__(self, chaos: Chaos, descriptor: int) -> None:
        self.descriptor = descriptor
        self._chaos = chaos
        self._tally: Tally | None = None

    def orders(self, programs: Mapping[int, Program]) -> list[list[Any]]:
        """The faults of a run, as plain values; raises InputError for a core that is none of `programs`."""
        faults = plan(self._chaos, programs)
        size = Tally.size(list(programs), faults)
        resize(self.descriptor, size)
        self._tally = Tally(mmap.mmap(self.descriptor, size), list(programs), faults)
        return [list(astuple(fault)) for fault in faults]

    def counts(self) -> dict[str, int] | None:
        """Faults injected so far by kind, 0 included; None before anything was planned."""
        return self._tally.counts() if self._tally else None


@contextmanager
def injection(chaos: Chaos | None) -> Iterator[Injection | None]:
    """What injects `chaos` (None: nothing); an EmuError that comes through learns what was injected until then."""
    if chaos is None:
        yield None
        return
    descriptor = os.memfd_create("emu-chaos", os.MFD_CLOEXEC)
    found = Injection(chaos, descriptor)
    try:
        yield found
    except EmuError as error:
        error.injected = found.counts()
        raise
    finally:
        os.close(descriptor)


def idle_sentence(counts: Sequence[Mapping[str, int]]) -> str:
    """Why runs with these counts of injected faults tested nothing; empty if a fault was injected in one."""
    if any(sum(injected.values()) for injected in counts):
        return ""
    runs = "this run" if len(counts) == 1 else f"{len(counts)} runs"
    kinds = ", ".join(dict.fromkeys(kind for injected in counts for kind in injected)) or "chaos"
    return (
        f"nothing was injected in {runs}: {kinds} never struck, so nothing was tested (choose a smaller N after @, "
        "another core, a larger probability, or more samples)"
    )


def told(chaos: Chaos, injected: Mapping[str, int]) -> str:
    """Seed and counts in one line."""
    return f"chaos, seed {chaos.seed}: {injections(injected)}"


def injections(injected: Mapping[str, int]) -> str:
    """How many faults were injected of each kind, in words."""
    if not any(injected.values()):
        return "injected nothing" + (f" ({', '.join(injected)} never struck)" if injected else "")
    return f"injected {', '.join(f'{kind} {count}' for kind, count in injected.items())}"
