"""What a core needs from the outside: the requests that it yields and a driver answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Send:
    """Send `data` (a view of local memory: copy it unless the receiver takes it before the core goes on)."""

    peer: int
    data: memoryview


@dataclass(frozen=True, slots=True)
class Recv:
    """Receive from `peer` exactly `len(into)` bytes into `into`, a view of local memory."""

    peer: int
    into: memoryview


@dataclass(frozen=True, slots=True)
class Load:
    """Read `len(into)` bytes at `address` of this sample's global memory into `into`."""

    address: int
    into: memoryview


@dataclass(frozen=True, slots=True)
class Store:
    """Write `data` to `address` of this sample's global memory; done once stored."""

    address: int
    data: memoryview


@dataclass(frozen=True, slots=True)
class Sync:
    """Add one to event register `event` of core `peer`; never blocks."""

    peer: int
    event: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until the own event register `event` is at least (`equal`: exactly) `value`, then subtract `value`."""

    event: int
    value: int
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """A kept buffer is complete: hand `data` (a view, copy it) to whoever compares intermediate tensors."""

    buffer: int  # index into the program's buffers
    data: memoryview


Request = Send | Recv | Load | Store | Sync | Wait | Capture
