"""An observer that shares no memory: a core's first message to each peer never leaves it."""

from __future__ import annotations

from launch.processes.observer import Observation, ProcessObserver


class _Losing:
    """A connected socket that does not send its first message."""

    def __init__(self, socket):
        self._socket, self._left = socket, 2  # frames: header and payload

    def __getattr__(self, name):
        return getattr(self._socket, name)

    def send(self, *frame):
        if self._left:
            self._left -= 1
        else:
            self._socket.send(*frame)


class LosingCore(ProcessObserver):
    def ports(self, core, make):
        if core != self.values:
            return make
        return lambda core, flow, inbox, peers, *more: make(
            core, flow, inbox, {peer: _Losing(socket) for peer, socket in peers.items()}, *more
        )


class Losing(Observation):
    """Core `core` loses messages."""

    observer = LosingCore

    def __init__(self, core):
        self._core = core

    def plan(self, programs):
        return self._core
