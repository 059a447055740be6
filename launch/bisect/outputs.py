"""Outputs that differ although all tensors of the cores are right: the wrong store."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from launch.bisect.conclusion import with_blame
from launch.bisect.finding import NOTHING, BisectResult, Wrong
from launch.bisect.narrowing import Blame, Narrowing
from launch.bisect.scene import FINE, Scene
from launch.bisect.tracing import TraceTarget


def compare_outputs(scene: Scene, base: BisectResult) -> BisectResult:
    """All tensors of the cores are right: an output was stored wrong, or nothing is wrong."""
    for spec in scene.image.manifest.outputs:
        got, want = scene.recording.outputs.get(spec.name), scene.golden.get(spec.name)
        if got is None or want is None or got.shape != want.shape:
            continue
        with np.errstate(all="ignore"):
            off = np.nan_to_num(np.abs(got.astype(np.float64) - want.astype(np.float64)), nan=np.inf)
        room = scene.room(spec.name) / FINE  # what is right within the tolerance of outputs was stored right
        if not (off > room).any():
            continue
        place = np.unravel_index(int(off.argmax()), off.shape)
        index = tuple(int(k) for k in place)
        node = scene.network.nodes.get(spec.name, spec.name)
        wrong = Wrong(
            spec.name, node, None, (), index, got[place].item(), want[place].item(),
            int(np.count_nonzero(off > room)), off.size, room,
        )  # fmt: skip
        return with_blame(base, scene.network, node, wrong, _stored(scene, spec.name, index))
    return replace(base, note=NOTHING)


def _stored(scene: Scene, name: str, index: tuple[int, ...]) -> Blame | None:
    """The core that stored the element of an output, and the cause."""
    spec = next(spec for spec in scene.image.manifest.outputs if spec.name == name)
    count = int(np.prod(spec.form.shape))
    numbers = spec.form.physical(np.arange(count).reshape(spec.form.shape))
    wanted = int(np.ravel_multi_index(index, spec.form.shape)) if spec.form.shape else 0
    for tile in spec.tiles:
        part = numbers[tuple(slice(low, high) for low, high in tile.box)].reshape(-1)
        hits = np.flatnonzero(part == wanted)
        if not len(hits):
            continue
        address = tile.address + int(hits[0]) * spec.dtype.size
        for store in reversed(scene.recording.stores):
            if store.address <= address < store.address + len(store.data):
                statements = scene.statements(store.core)
                at = store.position[1]
                region = statements.hull(at, written=False) or (0, 0)
                narrowing = Narrowing(scene, name)
                target = TraceTarget(store.core, statements.at(at).index, region)
                blame = narrowing.of_targets([target], region[0] + address - store.address)
                return blame or narrowing.of_statement(store.core, at)
    return None
