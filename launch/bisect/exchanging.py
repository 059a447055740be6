"""Swapped messages: with another message of the same size in its place, the result is right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from launch.bisect.known import KnownTensor
from launch.bisect.recording import RecordedMessage
from launch.bisect.replaying import CoreReplayer
from launch.bisect.scene import Scene
from launch.bisect.tracing import TraceTarget

MOST_PAIRS = 24  # pairs of messages that are exchanged to see whether that makes it right


@dataclass(frozen=True, slots=True)
class BlamedExchange:
    """The send or receive that is to blame, and what was tried."""

    core: int
    index: int
    said: str


def find_exchange(scene: Scene, target: TraceTarget) -> BlamedExchange | None:
    """Try other messages for the core of a target: two of its own exchanged, then others of the same sender."""
    core = target.core
    every = [m for each in scene.recording.messages.values() for m in each]
    known = {id(m): scene.knowledge.find(np.frombuffer(m.data, np.uint8)) for m in every if m.dst == core}
    right = [m for m in every if m.dst == core and known[id(m)] is not None and _is_before(m, target)]
    alone = CoreReplayer(scene.image, scene.statements(core), scene.recording, scene.engine, target.index)
    pairs = [(a, b) for a, b in combinations(right, 2) if len(a.data) == len(b.data) and a.data != b.data]
    for a, b in pairs[:MOST_PAIRS]:
        if _is_right(scene, alone, target, {id(a): b, id(b): a}):
            return _of_pair(a, b, known)
    for a in right:
        others = {m.data: m for m in every if m.src == a.src and len(m.data) == len(a.data) and m.data != a.data}
        for b in list(others.values())[:MOST_PAIRS]:
            if _is_right(scene, alone, target, {id(a): b}):
                said = f"with what core {b.src} sends at main[{b.sent[1]}] in place of it, the result is right"
                return BlamedExchange(a.src, a.sent[1], said)
    return None


def _is_before(message: RecordedMessage, target: TraceTarget) -> bool:
    """Whether the core of the target has received a message before the statement at which it is looked at."""
    return message.received is not None and message.received[0] == "main" and message.received[1] < target.index


def _is_right(scene: Scene, alone: CoreReplayer, target: TraceTarget, instead: dict[int, RecordedMessage]) -> bool:
    """Whether the bytes of a target are known to be right when its core gets other messages."""
    memory = alone.replay(instead).before(target.index)
    return memory is not None and scene.knowledge.find(memory[slice(*target.region)]) is not None


def _of_pair(a: RecordedMessage, b: RecordedMessage, known: dict[int, KnownTensor | None]) -> BlamedExchange:
    """The receiver is to blame if two senders cannot both be, or if one sends tiles in order; else the sender."""
    first, second = known[id(a)], known[id(b)]
    assert first is not None and second is not None and a.received is not None and b.received is not None
    in_order = a.src != b.src or first.name != second.name or first.box <= second.box
    core, index = (a.dst, a.received[1]) if in_order else (a.src, a.sent[1])
    places = f"main[{a.received[1]}] and main[{b.received[1]}]"
    return BlamedExchange(
        core, index, f"with the messages that core {a.dst} receives at {places} exchanged, the result is right"
    )
