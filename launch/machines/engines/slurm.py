"""Agents on the nodes of an allocation of Slurm, one each, started by `srun`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from emu.errors import InputError, option, shown
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.engine import Placed
from launch.machines.engines.route import address_towards_all
from launch.machines.engines.started import Started, ended_with
from launch.system.cleanup import Cleaning
from launch.system.process_end import end_words

_NODES, _LAUNCHER = "SLURM_JOB_NODELIST", "SLURM_LAUNCH_NODE_IPADDR"
_SRUN = [
    "srun",
    "--input=all",  # the secret goes to every agent
    "--ntasks-per-node=1",
    "--kill-on-bad-exit=1",
    "--label",  # who says it
    "--overlap",  # the launcher may be a step of the same allocation
    "--cpu-bind=none",  # an agent's cores are to have all processors that the job has there,
    "--mem=0",  # and all memory
    "--mpi=none",
]
_SAID = re.compile(r"(\d+): (?!slurmstepd)(.+)")  # by an agent, not by who runs it
# Each agent is called as Slurm calls its node, whatever name the node has for itself.
_CALLED = ["/bin/sh", "-c", 'exec "$@" --name "$SLURMD_NODENAME"', "sh"]
_FAULTS = ("srun: error:", "srun: fatal:")
_ENDED = re.compile(
    r"srun: error: (?:Node failure on (?P<failed>[^\s:]+)|(?P<host>[^\s:]+): tasks? (?P<rank>\d+)[^:]*: (?P<how>.+))"
)
_SECONDS = 10


@dataclass(frozen=True)
class Slurm:
    """One agent on each of the nodes that Slurm has given to this job."""

    nodes: Sequence[str]
    form: ClassVar[str] = "slurm (the nodes of this allocation)"

    @classmethod
    def parse(cls, rest: str) -> Slurm:
        """Of nothing: Slurm says by variables which nodes there are; raises InputError."""
        if rest:
            raise InputError(
                f"{option('hosts')} slurm:{shown(rest)[1:-1]}: slurm takes nothing, the allocation says all"
            )
        given = os.environ.get(_NODES)
        if not given:
            raise InputError(
                f"{option('hosts')} slurm works inside an allocation only, where {_NODES} is set: start it by sbatch, "
                "or within `salloc -N NODES`"
            )
        return cls(_expanded(given))

    @property
    def count(self) -> int:
        """One for each node."""
        return len(self.nodes)

    def listen_address(self) -> str:
        """The address on the way to the nodes; what Slurm says of itself, where their names tell none."""
        try:
            return address_towards_all(self.nodes)
        except InputError:
            if address := os.environ.get(_LAUNCHER):
                return address
            raise

    def place(self, bootstrap: Bootstrap) -> Placed:
        """Start them by one step, each of which finds its rank in what Slurm sets for it."""
        many = len(self.nodes)
        command = [*_SRUN, f"--nodes={many}", f"--ntasks={many}", *_CALLED, *bootstrap.command()]
        return _Step(self.nodes, command, bootstrap.line())


class _Step(Placed):
    """The agents of one step: `srun` says which of them has ended badly, and ends with the last."""

    def __init__(self, names: Sequence[str], command: Sequence[str], line: bytes) -> None:
        self.names = names
        self._step: Started | None = Started(command, line)
        self._ended: dict[str, str] = {}

    def ended(self) -> list[tuple[str, str]]:
        """Those that srun has told of; once it has ended, all of which it has told nothing."""
        if self._step:
            status, lines = self._step.status(), self._step.lines()
            reported = dict(_reported(lines))
            if status is not None:
                own = [line for line in lines if line.startswith(_FAULTS)]
                words = f"is gone with its step: srun {ended_with(end_words(status), own)}"
                reported.update({name: words for name in self.names if name not in reported})
            for name, words in reported.items():
                self._ended.setdefault(name, f"the agent of host {name} {words}")
        return list(self._ended.items())

    def close(self) -> None:
        """End the step."""
        with Cleaning():
            self.ended()
            if self._step:
                Started.end([self._step])
                self._step = None


def _reported(lines: Sequence[str]) -> Mapping[str, str]:
    """How agents have ended, by host, as lines of srun tell it, each with the last of what the agent itself said."""
    said = {int(found[1]): found[2] for line in lines if (found := _SAID.fullmatch(line))}
    reported: dict[str, str] = {}
    for found in filter(None, map(_ENDED.fullmatch, lines)):
        last = said.get(int(found["rank"] or -1))
        how = f"has ended ({found['how'] or 'its node has failed'})"
        reported.setdefault(found["host"] or found["failed"], ended_with(how, [last] if last else []))
    return reported


def _expanded(nodes: str) -> Sequence[str]:
    """The names in a list of Slurm's, as h[1-3,7]; raises InputError."""
    command = ["scontrol", "show", "hostnames", nodes]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
        names = done.stdout.decode(errors="replace").split()
        why = "" if names and not done.returncode else f"ended with exit code {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        names, why = [], getattr(error, "strerror", None) or "does not answer"
    if why:
        raise InputError(f"{option('hosts')} slurm: scontrol, which says what {_NODES}={shown(nodes)} means, {why}")
    return names
