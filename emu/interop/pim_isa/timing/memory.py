"""A memory with one port: whoever asks first is served first, and a gap in between is not used."""

from __future__ import annotations


class MemoryPort:
    """Busy until some time, in ps."""

    __slots__ = ("busy_until",)

    def __init__(self) -> None:
        self.busy_until = 0

    def request(self, now: int, ps: int) -> int:
        """Reserve `ps` of the port; the picoseconds from now until they are over."""
        self.busy_until = (now if now > self.busy_until else self.busy_until) + ps
        return self.busy_until - now
