"""Which of the agents of a launcher one is, and what its host is called."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from emu.errors import InputError, option, shown

RANKS = ("SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")  # what launchers of jobs call it


def rank_of(given: int | None, environment: Mapping[str, str] = os.environ) -> int:
    """The rank of this agent: `given`, or what the launcher of a job has set; raises InputError if neither is there."""
    if given is not None:
        return given
    for name in RANKS:
        if text := environment.get(name):
            if not text.isdecimal():
                raise InputError(f"the variable {name} is {shown(text)}, and should be the rank of this agent")
            return int(text)
    raise InputError(f"nothing says which agent this is: give {option('rank')}, or set one of {', '.join(RANKS)}")


def host_name(given: str) -> str:
    """What this machine is called in sentences: `given`, or its own name."""
    return given or socket.gethostname() or "host"
