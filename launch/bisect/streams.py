"""Tensors that pass through the cores some rows at a time: put together from the messages that carry them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from launch.bisect.finding import Wrong
from launch.bisect.known import KnownTensor
from launch.bisect.recording import RecordedMessage
from launch.bisect.scene import Scene

Box = tuple[tuple[int, int], ...]
SOME = 16  # positions of a tensor that are looked at to see which channels a message may carry


@dataclass(frozen=True, eq=False)
class Stream:
    """All messages from one core to another one that carry results of one node, in order."""

    node: str
    messages: tuple[RecordedMessage, ...]
    partial: bool  # sums that the receiver adds to its own

    @property
    def src(self) -> int:
        """The core that sends."""
        return self.messages[0].src

    @property
    def content(self) -> np.ndarray:
        """All bytes, uint8."""
        return np.frombuffer(b"".join(message.data for message in self.messages), np.uint8)


@dataclass(frozen=True, eq=False)
class WrongStream:
    """A streamed part of a tensor that differs, and the first message with a wrong element."""

    stream: Stream
    message: RecordedMessage
    wrong: Wrong


def streams_of(scene: Scene) -> list[Stream]:
    """The streams of the recorded sample."""
    found: dict[tuple[int, int, str], list[RecordedMessage]] = {}
    for (src, dst), messages in scene.recording.messages.items():
        for message in messages:
            if message.sent[0] == "main":
                found.setdefault((src, dst, scene.node_of(src, message.sent[1])), []).append(message)
    return [
        Stream(node, tuple(messages), _is_partial(scene, node, messages[0]))
        for (_, _, node), messages in found.items()
        if node
    ]


def _is_partial(scene: Scene, node: str, message: RecordedMessage) -> bool:
    """Whether what reads the message first belongs to the same node, as a sum of parts does."""
    if message.received is None:
        return False
    statements = scene.statements(message.dst)
    region = statements.hull(message.received[1], written=True)
    low, high, _ = statements.view.extents
    reads = statements.view.accesses.read & ~statements.view.accesses.is_global
    owners = statements.view.accesses.instruction
    if region is None:
        return False
    hits = owners[reads & (low < region[1]) & (high > region[0]) & (owners > message.received[1])]
    return bool(len(hits)) and scene.node_of(message.dst, int(hits.min())) == node


def compare_streams(scene: Scene, streams: list[Stream]) -> Iterator[tuple[str, list[WrongStream]]]:
    """The tensors that no core held whole but cores sent, in the order of the network, and what of each is wrong.

    What is right is trusted from then on.
    """
    for origin in scene.image.manifest.tensors:
        values = scene.golden.get(origin.tensor)
        if values is None or origin.tensor in scene.buffers or origin.tensor not in _ends(scene):
            continue
        carried = [s for s in streams if not s.partial and s.node in scene.network.fused_with(origin.node)]
        compared = [(stream, _compare(scene, origin.tensor, stream)) for stream in carried]
        known = [(stream, found) for stream, found in compared if found is not None]
        for stream, found in known:
            if not isinstance(found, WrongStream):
                scene.knowledge.trust(origin.tensor, [m.data for m in stream.messages])
        if known:
            yield origin.tensor, [found for _, found in known if isinstance(found, WrongStream)]


def _ends(scene: Scene) -> set[str]:
    """Tensors that are no intermediate step of a fused kernel."""
    return {origin.tensor for origin in scene.image.manifest.tensors if not origin.absent.startswith("fused into")}


def _compare(scene: Scene, name: str, stream: Stream) -> WrongStream | bool | None:
    """What is wrong with a stream that carries a part of tensor `name`; True if nothing; None if it carries none."""
    values, room = scene.golden[name], scene.room(name)
    content = stream.content
    if len(content) % values.dtype.itemsize:
        return None
    got = content.view(values.dtype)
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    numbers = np.arange(values.size).reshape(values.shape)
    for flat, places in _matrices(values, numbers):
        if flat.shape[0] == 0 or len(got) % flat.shape[0] or not 0 < len(got) // flat.shape[0] <= flat.shape[1]:
            continue
        width = len(got) // flat.shape[0]
        for first in _likely(flat, got.reshape(-1, width), room):
            part = flat[:, first : first + width].reshape(-1)
            with np.errstate(all="ignore"):
                off = np.nan_to_num(np.abs(got.astype(np.float64) - part.astype(np.float64)), nan=np.inf)
            share = float(np.mean(off > room))
            if best is None or share < best[0]:
                best = share, off, places[:, first : first + width].reshape(-1)
    if best is None:
        return None
    _, off, places = best
    if KnownTensor(name, got, room, bool(scene.perturbed)).same(got, values.reshape(-1)[places]):
        return True
    worst = int(off.argmax())
    index = tuple(int(k) for k in np.unravel_index(int(places[worst]), values.shape))
    early = int(np.flatnonzero(off > room)[0]) * values.dtype.itemsize
    wrong = Wrong(
        name, scene.network.nodes.get(name, ""), stream.src, (), index, got[worst].item(),
        values[index].item(), int(np.count_nonzero(off > room)), len(off), room,
    )  # fmt: skip
    return WrongStream(stream, _at(stream, early), wrong)


def _likely(flat: np.ndarray, got: np.ndarray, room: float) -> list[int]:
    """The first channels at which `got` [positions, width] may stand in a tensor: where most of some positions agree.

    Tiles begin at multiples of their width, parts of tiles anywhere.
    """
    few = np.linspace(0, len(flat) - 1, SOME).astype(np.int64)
    count, width = flat.shape[1] - got.shape[1] + 1, got.shape[1]
    with np.errstate(all="ignore"):
        shares = [
            np.mean(np.abs(got[few].astype(np.float64) - flat[few, first : first + width]) <= room)
            for first in range(count)
        ]
    best = int(np.argmax(shares))
    return sorted({*range(0, count, width), best})


def _matrices(values: np.ndarray, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """[positions, channels] of a tensor, and the logical number of each element: images first, then rows of tokens."""
    if values.ndim >= 3 and values.shape[0] == 1:
        yield tuple(np.moveaxis(each[0], 0, -1).reshape(-1, values.shape[1]) for each in (values, numbers))
    if values.ndim:
        yield tuple(each.reshape(-1, values.shape[-1]) for each in (values, numbers))


def _at(stream: Stream, byte: int) -> RecordedMessage:
    """The message that holds a byte of the stream."""
    for message in stream.messages:
        if byte < len(message.data):
            return message
        byte -= len(message.data)
    return stream.messages[-1]
