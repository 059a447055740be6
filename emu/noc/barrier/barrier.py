"""The barrier of a run, without I/O: all bind, learn addresses, say hello, and start together."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from typing import Any

from emu.noc.wire.frames import Header, Kind, MalformedFrame, decode_control, encode_control, encode_header

HOST = -1  # whoever feeds inputs and takes outputs
Reply = tuple[bytes, ...]  # routing identity, then frames


class Barrier:
    """Collects `members` (the cores and HOST); `networked` are the cores that exchange messages.

    `receive` takes a message and returns what to send; `open` turns true when all may start.
    """

    def __init__(self, token: bytes, networked: Collection[int], idle: Collection[int]) -> None:
        self._token = token
        self._networked, self._members = set(networked), {*networked, *idle, HOST}
        self._identities: dict[int, bytes] = {}
        self._cores: dict[bytes, int] = {}
        self._endpoints: dict[int, str] = {}
        self._peers: dict[int, list[int]] = {}
        self._ready: set[int] = set()
        self.open = False

    def core(self, identity: bytes) -> int | None:
        """The core (or HOST) behind a routing identity; None for strangers."""
        return self._cores.get(identity)

    def identity(self, core: int) -> bytes:
        """The routing identity of a member."""
        return self._identities[core]

    def receive(self, identity: bytes, header: Header, payload: bytes) -> list[Reply]:
        """Handle BIND and READY; strangers, repetitions and anything malformed are ignored."""
        if header.kind is Kind.BIND and self._bind(identity, header.src, payload):
            return self._tables() if len(self._identities) == len(self._members) else []
        if header.kind is Kind.READY and self.core(identity) == header.src:
            self._ready.add(header.src)
            return self._go() if self._ready >= self._networked else []
        return []

    def _bind(self, identity: bytes, core: int, payload: bytes) -> bool:
        try:
            token, endpoint, peers = _strict(decode_control(payload))
        except MalformedFrame:
            return False
        if not hmac.compare_digest(token, self._token) or core not in self._members or core in self._identities:
            return False
        self._identities[core], self._cores[identity] = identity, core
        if core in self._networked:
            self._endpoints[core], self._peers[core] = endpoint, peers
        return True

    def _tables(self) -> list[Reply]:
        incoming: dict[int, list[int]] = {core: [] for core in self._networked}
        for core, peers in self._peers.items():
            for peer in peers:
                if peer in incoming:
                    incoming[peer].append(core)
        replies = [(self.identity(core), *self._table(core, incoming[core])) for core in sorted(self._networked)]
        return replies or self._go()

    def _table(self, core: int, incoming: list[int]) -> tuple[bytes, bytes]:
        outgoing = {peer: self._endpoints[peer] for peer in self._peers[core] if peer in self._endpoints}
        return encode_header(Kind.TABLE, HOST), encode_control([outgoing, incoming])

    def _go(self) -> list[Reply]:
        self.open = True
        return [(self.identity(core), encode_header(Kind.GO, HOST)) for core in sorted(self._members)]


def _strict(value: Any) -> tuple[bytes, str, list[int]]:
    match value:
        case [bytes(token), str(endpoint), list(peers)] if all(type(peer) is int for peer in peers):
            return token, endpoint, peers
        case _:
            raise MalformedFrame("BIND holds no token, endpoint and peers")
