"""Compares every tensor that stood complete in cores' memories with its golden values, in the order of the network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emu.program.form import box_shape, box_slices
from emu.program.program import BufferSpec
from launch.bisect.finding import Wrong
from launch.bisect.known import KnownTensor
from launch.bisect.scene import Scene


@dataclass(frozen=True, eq=False)
class WrongTile:
    """A tile that differs: who held it in which buffer, and how far each element is off, in the order of memory."""

    core: int
    buffer: BufferSpec
    off: np.ndarray
    got: np.ndarray
    want: np.ndarray

    @property
    def worst(self) -> float:
        """How far the worst element is off; infinite if it is NaN."""
        return float(np.nan_to_num(self.off, nan=np.inf).max())

    @property
    def address(self) -> int:
        """Where that element stands."""
        return self.buffer.address + int(np.nan_to_num(self.off, nan=np.inf).argmax()) * self.buffer.dtype.size


@dataclass(frozen=True, eq=False)
class TensorState:
    """One tensor of the sample: the tiles of it that differ; none if it is right."""

    name: str
    room: float
    tiles: tuple[WrongTile, ...]

    @property
    def off(self) -> float:
        """How far the worst element of a wrong tile is off, as a share of what it may be; 0 if the tensor is right."""
        worst = max((tile.worst for tile in self.tiles), default=0.0)
        return worst / self.room if self.room and worst else float("inf") if worst else 0.0

    @property
    def contents(self) -> list[bytes]:
        """The bytes of the tiles that differ."""
        return [tile.got.tobytes() for tile in self.tiles]

    def wrong(self, node: str) -> Wrong:
        """The worst element of the tile that is furthest off."""
        tile = max(self.tiles, key=lambda each: each.worst)
        off = np.nan_to_num(tile.off, nan=np.inf)
        place = np.unravel_index(int(off.argmax()), off.shape)
        return Wrong(
            self.name,
            node,
            tile.core,
            tile.buffer.box,
            logical_index(tile.buffer, place),
            tile.got[place].item(),
            tile.want[place].item(),
            int(np.count_nonzero(off > self.room)),
            off.size,
            self.room,
            tuple((each.core, each.buffer.box) for each in self.tiles),
        )


def logical_index(buffer: BufferSpec, place: tuple[np.intp, ...]) -> tuple[int, ...]:
    """The logical (ONNX) index of an element of a tile."""
    form = buffer.form
    count = int(np.prod(form.shape))
    numbers = form.physical(np.arange(count).reshape(form.shape))[box_slices(buffer.box)]
    return tuple(int(k) for k in np.unravel_index(int(numbers[place]), form.shape))


def compare_tensors(scene: Scene) -> Iterator[TensorState]:
    """The tensors that were captured and have golden values, in the order of the network."""
    for name in sorted(scene.buffers, key=scene.network.place):
        if name not in scene.golden:
            continue
        want, room = scene.golden[name], scene.room(name)
        tiles = list[WrongTile]()
        seen = False
        for core, index, buffer in scene.buffers[name]:
            content = scene.recording.captures.get((core, index))
            if content is None or buffer.form.shape != want.shape:
                continue
            seen = True
            got = np.frombuffer(content, buffer.dtype.numpy).reshape(box_shape(buffer.box))
            part = buffer.form.physical(want)[box_slices(buffer.box)]
            if not KnownTensor(name, part, room, bool(scene.perturbed)).same(got.reshape(-1), part.reshape(-1)):
                with np.errstate(all="ignore"):
                    off = np.abs(got.astype(np.float64) - part.astype(np.float64))
                tiles.append(WrongTile(core, buffer, off, got, part))
        if seen:
            yield TensorState(name, room, tuple(tiles))
