"""Hosts that several runs have, one after the other: their agents are started once."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.machines.hosts.hosts import Hosts


class _KeptHosts:
    """Agents on the hosts that `text` names, from the first run that wants them to `close`."""

    def __init__(self, text: str) -> None:
        self._text, self._owner = text, os.getpid()
        self._in_use = threading.Lock()
        self._hosts: Hosts | None = None

    def fits(self, text: str) -> bool:
        """Whether these are the hosts that a run names so, in this process and not in a fork of it."""
        return text == self._text and self._owner == os.getpid()

    @contextmanager
    def lent(self, join_timeout: float) -> Generator[Hosts | None]:
        """The hosts, for one run; None if another one has them. Where an agent is gone all are started anew."""
        if not self._in_use.acquire(blocking=False):
            yield None
            return
        try:
            if self._hosts is not None and not self._hosts.whole:
                self._end()
            if self._hosts is None:
                self._hosts = _hosts(self._text, join_timeout).__enter__()
            yield self._hosts
        finally:
            self._in_use.release()

    def close(self) -> None:
        """End the agents; waits for a run that has them."""
        with self._in_use:
            self._end()

    def _end(self) -> None:
        hosts, self._hosts = self._hosts, None
        if hosts is not None:
            hosts.__exit__(None, None, None)


_kept: list[_KeptHosts] = []


@contextmanager
def kept_hosts(hosts: str | None) -> Generator[None]:
    """Inside, runs on these `hosts`, a text as for `--hosts`, have the same agents, one run after the other.

    They are started by the first run, and end with the block. A run that begins while another one has them gets agents
    of its own; after one in which a host was lost, all are started anew. With None there are none to keep. Raises
    InputError if the text names no hosts.
    """
    if hosts is None:
        yield
        return
    from launch.machines.engines.table import engine_of

    engine_of(hosts)
    kept = _KeptHosts(hosts)
    _kept.append(kept)
    try:
        yield
    finally:
        _kept.remove(kept)
        kept.close()


@contextmanager
def hosts_of_run(hosts: str, join_timeout: float) -> Generator[Hosts]:
    """The hosts of one run: those that are kept and free, or its own, which end with it."""
    for kept in reversed(_kept):
        if kept.fits(hosts):
            with kept.lent(join_timeout) as lent:
                if lent is not None:
                    yield lent
                    return
    with _hosts(hosts, join_timeout) as own:
        yield own


def _hosts(text: str, join_timeout: float) -> Hosts:
    from launch.machines.hosts.hosts import Hosts  # most runs have none, and it imports much

    return Hosts(text, join_timeout)
