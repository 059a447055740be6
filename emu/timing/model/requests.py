"""What requests take: set-up, flits on links, and words of the global memory with what lies off the chip before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.isa.instruction import RequestKind
from emu.timing.basis.units import MEMORY, PS_PER_NS
from emu.timing.chip.needed import figure
from emu.timing.model.subject import ModelSubject


def wire_times(subject: ModelSubject) -> np.ndarray:
    """Time (ps) that the bytes of each message occupy a link; counts flits, where they go, and receive buffers."""
    network = subject.network
    flits = np.where(
        subject.asks(RequestKind.SEND, RequestKind.LOAD, RequestKind.STORE),
        -(-subject.raw_bytes // network.flit_bytes),
        0,
    )
    hops, crossings = _by_peer(subject, network.hops), _by_peer(subject, network.crossings)
    subject.count("transfer", "flit", flits)
    subject.count("link", "flit", flits * hops)
    subject.count("router", "flit", flits * (hops + 1 + (crossings > 0)))
    subject.count("chip_link", "byte", subject.raw_bytes * crossings)
    received = np.where(subject.asks(RequestKind.RECV), subject.raw_bytes, 0)
    words = -(-received // subject.whole("timing.local_memory.width_bytes"))
    for action in ("read", "write"):
        subject.count("receive_buffer", action, words)
    return subject.lasting(flits, _by_peer(subject, network.spacing))


def _by_peer(subject: ModelSubject, figure: Callable[[int, int], int]) -> np.ndarray:
    """A figure of the way that the message of each instruction takes, by its ends; 0 for what sends none."""
    core, peers, found = subject.view.program.core, subject.section.columns["arg0"], subject.zeros()
    sends = np.flatnonzero(subject.asks(RequestKind.SEND))
    known = {peer: figure(core, peer) for peer in set(peers[sends].tolist())}
    found[sends] = [known[peer] for peer in peers[sends].tolist()]
    found[subject.asks(RequestKind.STORE)] = figure(core, MEMORY)
    found[subject.asks(RequestKind.LOAD)] = figure(MEMORY, core)
    return found


def service_times(subject: ModelSubject) -> np.ndarray:
    """Time (ps) of each `ld`, `sld` and `st` at a port of the global memory; counts words, and bytes off the chip."""
    width, service = subject.whole("timing.global_memory.width_bytes"), subject.zeros()
    for kind, action in ((RequestKind.LOAD, "read"), (RequestKind.STORE, "write")):
        words = np.where(subject.asks(kind), -(-subject.raw_bytes // width), 0)
        subject.count("global_memory", action, words)
        service += subject.lasting(words, subject.ps(f"timing.global_memory.{action}_ns"))
    outside = np.where(subject.asks(RequestKind.LOAD, RequestKind.STORE), subject.raw_bytes, 0)
    subject.count("offchip", "byte", outside)
    packets = -(-outside // subject.whole("timing.offchip.packet_bytes", 1 << 62))
    speed = figure(subject.arch, "timing.offchip.bandwidth_gb_per_s")
    moving = np.floor(outside * PS_PER_NS / speed + 0.5) if speed else np.zeros(len(service))
    subject.refuse(moving)
    return service + subject.lasting(packets, subject.ps("timing.offchip.latency_ns")) + moving.astype(np.int64)
