"""How many open files the processes of a run need, checked against the limit before any of them starts."""

from __future__ import annotations

import resource
from collections.abc import Callable

from emu.errors import InputError, option
from emu.wording import counted

FILES = 24  # of any process: streams, pipes, board, crossbar file, ZeroMQ's own
FILES_PER_CORE = 1  # of the memory node, which every core connects to
FILES_PER_PEER = 3  # of a core, for each core that it exchanges messages with (and the memory node)


def files_needed(cores: int, peers: int, mapped: int = 0) -> int:
    """The open files of the process that needs most, for `cores` processes with at most `peers` peers each.

    The memory node keeps `mapped` files open besides: one per read-only tensor.
    """
    return FILES + max(FILES_PER_CORE * cores + mapped, FILES_PER_PEER * (peers + 1))


def open_files_limit() -> int | None:
    """The limit of the processes of a run, which raise their soft limit to the hard one; None: no limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if hard == resource.RLIM_INFINITY else hard


def check_open_files(cores: int, peers: Callable[[], int], mapped: int = 0) -> None:
    """Raise InputError if the limit is too low; `peers` is asked only if not every core could talk to every other."""
    limit = open_files_limit()
    if limit is None or limit >= files_needed(cores, cores - 1, mapped):
        return
    need = files_needed(cores, peers(), mapped)
    if limit < need:
        raise InputError(
            f"{counted(cores, 'core process needs', 'core processes need')} {need} open files each"
            f" and the limit is {limit}: "
            f"raise ulimit -n to {need}, use fewer cores, or {option('sequential', True)}"
        )
