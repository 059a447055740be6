"""Observers that share no memory: one message of a core to each peer never leaves it, or leaves it damaged."""

from __future__ import annotations

from launch.processes.observer import Observation, ProcessObserver

FRAMES = 2  # of a message: header and payload


class _Spoiling:
    """A connected socket whose message `number` is not sent, or `damaged`: its header begins with another byte."""

    def __init__(self, socket, number, damaged):
        self._socket, self._damaged = socket, damaged
        self._frames = range(FRAMES * number, FRAMES * (number + 1))
        self._sent = 0

    def __getattr__(self, name):
        return getattr(self._socket, name)

    def send(self, frame, *more):
        number, self._sent = self._sent, self._sent + 1
        if number not in self._frames:
            self._socket.send(frame, *more)
        elif self._damaged:
            first = number == self._frames[0]
            self._socket.send(b"\0" + bytes(frame)[1:] if first else frame, *more)


class SpoilingCore(ProcessObserver):
    def ports(self, core, make):
        victim, number, damaged = self.values
        if core != victim:
            return make
        return lambda core, flow, inbox, peers, *more: make(
            core,
            flow,
            inbox,
            {peer: _Spoiling(socket, number, damaged) for peer, socket in peers.items()},
            *more,
        )


class Losing(Observation):
    """Core `core` loses message `number` to each peer."""

    observer = SpoilingCore
    damaged = False

    def __init__(self, core, number=0):
        self._core, self._number = core, number

    def plan(self, programs):
        return [self._core, self._number, self.damaged]


class Damaging(Losing):
    """Core `core` sends message `number` to each peer with a damaged header."""

    damaged = True
