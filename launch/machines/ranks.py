"""Which of the agents of a launcher one is, and what its host is called."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from emu.errors import InputError, option, shown
from emu.wording import visible

RANKS = ("SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")  # what launchers of jobs call it
MOST = 1 << 20  # agents


def rank_of(given: int | None, environment: Mapping[str, str] = os.environ) -> int:
    """The rank of this agent: `given`, or what the launcher of a job has set; raises InputError if neither is there."""
    if given is not None:
        if given >= MOST:
            raise InputError(f"{option('rank')} {shown(given)} is no rank of an agent: give one from 0 to {MOST - 1}")
        return given
    for name in RANKS:
        if text := environment.get(name):
            if not text.isdecimal() or len(text) > len(str(MOST)) or int(text) >= MOST:
                raise InputError(f"the variable {name} is {shown(text)}, and should be the rank of this agent")
            return int(text)
    raise InputError(f"nothing says which agent this is: give {option('rank')}, or set one of {', '.join(RANKS)}")


def host_name(given: str) -> str:
    """What this machine is called in sentences: `given`, or its own name."""
    return visible(given or socket.gethostname() or "host")
