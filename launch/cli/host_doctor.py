"""`emu doctor --hosts`: what every host grants a run, and what must change first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from emu.wording import counted
from launch.machines.examining import HostExamined
from launch.system.doctor import FAIL, OK, WARN
from launch.text.answer import Answer, Part
from launch.text.columns import Column, listed

COLUMNS = (
    Column("name", "host"),
    Column("address", "address"),
    Column("cpus", "CPUs", "count"),
    Column("memory", "memory", "bytes"),
    Column("nofile", "open files", "count", unknown="no limit"),
    Column("emu", "emu"),
    Column("python", "Python"),
    Column("numpy", "NumPy"),
    Column("pyzmq", "pyzmq"),
    Column("state", ""),
)


def host_answer(cores: int, hosts: Sequence[HostExamined]) -> Answer:
    """The hosts as a table, and what must change on which; exit code 2 if something must before they run a chip."""
    ready = not any(check.status == FAIL for host in hosts for check in host.checks)
    return Answer(
        {"cores": cores, "ready": ready, "hosts": [host.to_dict() for host in hosts]},
        _parts(cores, hosts, ready),
        exit_code=0 if ready else 2,
    )


def _parts(cores: int, hosts: Sequence[HostExamined], ready: bool) -> Iterator[Part]:
    yield listed("", COLUMNS, map(_row, hosts))
    for host in hosts:
        for check in host.checks:
            if check.status != OK:
                yield f"host {host.name}: {check.name}: {check.found}" + (f": {check.advice}" if check.advice else "")
    where = f"{counted(cores, 'core process')} on {counted(len(hosts), 'host')}"
    yield f"{'ready' if ready else 'not ready'} for {where}"


def _row(host: HostExamined) -> dict[str, Any]:
    state = next((state for state in (FAIL, WARN) if any(check.status == state for check in host.checks)), OK)
    return {**host.to_dict(), **host.facts.versions, "state": state}
