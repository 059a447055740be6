"""The barrier of a run, without I/O: all bind, learn addresses, say hello, and start together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from emu.noc.barrier.identity import identity_of
from emu.noc.wire.frames import FrameHeader, FrameKind, MalformedFrame, decode_control, encode_control, encode_header

HOST = -1  # whoever feeds inputs and takes outputs
Reply = tuple[bytes, *tuple[bytes | memoryview, ...]]  # routing identity, then frames


class Barrier:
    """Collects `members` (the cores and HOST); `networked` are the cores that exchange messages.

    `receive` takes a message and returns what to send; `open` turns true when all may start. Members say again what
    was not answered, as it may be lost with its connection: what was answered before is answered again, and changes
    nothing.
    """

    def __init__(self, token: bytes, networked: Collection[int], idle: Collection[int]) -> None:
        self._networked, self._members = set(networked), {*networked, *idle, HOST}
        self._identities = {member: identity_of(token, member) for member in sorted(self._members)}
        self._cores = {identity: member for member, identity in self._identities.items()}
        self._unbound, self._unready = set(self._members), set(networked)
        self._endpoints: dict[int, str] = {}
        self._peers: dict[int, list[int]] = {}
        self._incoming: dict[int, list[int]] = {core: [] for core in networked}
        self.open = False

    def core(self, identity: bytes) -> int | None:
        """The core (or HOST) behind a routing identity; None for strangers."""
        return self._cores.get(identity)

    def identity(self, core: int) -> bytes:
        """The routing identity of a member."""
        return self._identities[core]

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self._members)

    @property
    def binding(self) -> bool:
        """Whether some have not said yet where they listen."""
        return bool(self._unbound)

    @property
    def missing(self) -> Collection[int]:
        """Who has not bound yet, or if all have, who is not ready."""
        return self._unbound or self._unready

    def receive(self, identity: bytes, header: FrameHeader, payload: bytes) -> list[Reply]:
        """Handle BIND and READY; strangers and anything malformed are ignored."""
        member = self.core(identity)
        if member is None or member != header.src:
            return []
        if header.kind is FrameKind.BIND:
            return self._bind(member, payload)
        if header.kind is FrameKind.READY and member in self._networked and not self._unbound:
            return self._ready(member)
        return []

    def _bind(self, member: int, payload: bytes) -> list[Reply]:
        if member not in self._unbound:
            return self._answer(member)
        try:
            endpoint, peers = _strict(decode_control(payload))
        except MalformedFrame:
            return []
        self._unbound.discard(member)
        if member in self._networked:
            self._endpoints[member], self._peers[member] = endpoint, peers
            for peer in self._networked.intersection(peers):
                self._incoming[peer].append(member)
        if self._unbound:
            return []
        return [self._table(core) for core in sorted(self._networked)] or self._go()

    def _answer(self, member: int) -> list[Reply]:
        """What there is to say to a member that has bound, and says so again."""
        if self.open:
            return [self._start(member)]
        return [self._table(member)] if member in self._networked and not self._unbound else []

    def _ready(self, member: int) -> list[Reply]:
        if self.open:
            return [self._start(member)]
        self._unready.discard(member)
        return [] if self._unready else self._go()

    def _table(self, core: int) -> Reply:
        outgoing = {peer: self._endpoints[peer] for peer in self._peers[core] if peer in self._endpoints}
        table = encode_control([outgoing, sorted(self._incoming[core])])
        return self.identity(core), encode_header(FrameKind.TABLE, HOST), table

    def _go(self) -> list[Reply]:
        self.open = True
        return [self._start(member) for member in sorted(self._members)]

    def _start(self, member: int) -> Reply:
        return self.identity(member), encode_header(FrameKind.GO, HOST)


def _strict(value: Any) -> tuple[str, list[int]]:
    match value:
        case [str(endpoint), list(peers)] if all(type(peer) is int for peer in peers):
            return endpoint, peers
        case _:
            raise MalformedFrame("BIND holds no endpoint and peers")
