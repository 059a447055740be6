"""Observers whose victim, a core of a run, never joins it: it is silent, deaf, stopped or dead."""

from __future__ import annotations

import os
import signal

from emu.noc.between_processes import join
from launch.processes.observer import Observation, ProcessObserver


class Victim(ProcessObserver):
    """`values` is the core, and what becomes of it when its process begins."""

    def begins(self, core: int) -> None:
        victim, fate = self.values
        if core == victim:
            FATES[fate]()


def be_silent() -> None:
    while True:
        signal.pause()


def be_deaf() -> None:
    """Never answer a greeting."""
    join.Joining.answer = lambda self, inbox: [inbox.meet() for _ in range(1) if inbox.socket.poll(0)]


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


FATES = {"silent": be_silent, "deaf": be_deaf, "stopped": stop, "dead": die}


class Fate(Observation):
    observer = Victim

    def __init__(self, core: int, fate: str) -> None:
        self._values = [core, fate]

    def plan(self, programs):
        return self._values
