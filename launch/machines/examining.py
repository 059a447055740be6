"""What each of several hosts grants a run, and what stands in the way of one over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from emu.errors import InputError
from launch.machines.agreement import LAUNCHER, Bits, agree
from launch.machines.content.store import ContentStore
from launch.machines.facts import MachineFacts, differing
from launch.system.doctor import FAIL, OK, WARN, DoctorCheck, examine
from launch.text.units import size_text

_LEAST_FREE = 1 << 30  # bytes of the disk that images come to


@dataclass(frozen=True, slots=True)
class HostExamined:
    """A host: what it is called, what its agent tells of it, and what was found there; which may be nothing."""

    name: str
    facts: MachineFacts
    checks: Sequence[DoctorCheck]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; None for what the agent does not tell."""
        known = {**self.facts.to_dict(), "address": self.facts.address or None}
        del known["bits"]
        return {"name": self.name, **known, "checks": [check.to_dict() for check in self.checks]}


def own_checks(cores: int, run: int) -> list[DoctorCheck]:
    """What an agent finds on its machine, of which `cores` of the `run` cores of a chip are to be processes."""
    return [*examine(cores, run), _files()]


def examined(own: MachineFacts, hosts: Iterable[HostExamined]) -> list[HostExamined]:
    """The hosts, with checks of each against the launcher's machine, whose facts are `own`, and against the others."""
    found = list[HostExamined]()
    agreed = {LAUNCHER: own.bits}
    for host in hosts:
        across = [_versions(own, host)]
        if across[0].status == OK:  # what others say is worth a comparison
            across.append(_products(agreed, host))
        found.append(HostExamined(host.name, host.facts, [*across, *host.checks]))
    return found


def _versions(own: MachineFacts, host: HostExamined) -> DoctorCheck:
    if what := differing(own.versions, host.facts.versions):
        return DoctorCheck("versions", FAIL, what, "install the same on both")
    return DoctorCheck("versions", OK, f"those of {LAUNCHER}")


def _products(agreed: dict[str, Bits], host: HostExamined) -> DoctorCheck:
    """Whether there is a way of multiplying with the same bits on `host` and all of `agreed`, which it joins then."""
    name = f"host {host.name}"
    try:
        way = agree({**agreed, name: host.facts.bits}).get(name)
    except InputError as error:
        return DoctorCheck("equal bits", FAIL, str(error), "a run over these hosts is refused")
    agreed[name] = host.facts.bits
    return DoctorCheck("equal bits", OK, f"floats can be multiplied {way}" if way else "floats are multiplied as ever")


def _files() -> DoctorCheck:
    """Room for files of images that launchers send here."""
    try:
        facts = ContentStore().facts()
    except InputError as error:
        return DoctorCheck("files of images", FAIL, str(error), "set XDG_CACHE_HOME there, or share the image")
    state = f"{size_text(facts.bytes)} of {size_text(facts.most)} kept, {size_text(facts.free)} free in {facts.path}"
    if facts.free >= _LEAST_FREE:
        return DoctorCheck("files of images", OK, state)
    return DoctorCheck("files of images", WARN, state, "free some, or set XDG_CACHE_HOME there to another disk")
