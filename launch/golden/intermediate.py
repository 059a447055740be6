"""Intermediate tensors: which ones can be kept, what --keep names, and their tiles put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NoReturn

import numpy as np

from emu.errors import InputError
from emu.image.manifest import Manifest, TensorOrigin
from emu.program.form import Box, Form, box_shape, box_slices, covered
from emu.program.program import BufferSpec
from emu.wording import nearest

Key = tuple[int, int]  # core, index into the buffers of its program
ALL = "all"
SHOWN = 8  # names in a sentence


@dataclass(frozen=True, slots=True)
class KeptTensor:
    """A tensor whose boxes are held by buffers of some cores; the image says how it stands in them."""

    name: str
    form: Form
    tiles: tuple[tuple[Key, BufferSpec], ...]

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.tiles[0][1].dtype.numpy

    def assemble(self, captures: Mapping[Key, bytes]) -> np.ndarray:
        """The tensor of one sample, in its logical shape, from what its cores captured."""
        whole = np.empty(self.form.sizes, self.dtype)
        for key, buffer in self.tiles:
            tile = np.frombuffer(captures[key], self.dtype)
            whole[box_slices(buffer.box)] = tile.reshape(box_shape(buffer.box))
        return self.form.logical(whole)


def kept_tensors(buffers: Mapping[int, Sequence[BufferSpec]]) -> dict[str, KeptTensor]:
    """Tensors that `buffers` (by core) hold completely: their boxes cover all of it."""
    tiles_of: dict[str, list[tuple[Key, BufferSpec]]] = {}
    for core, specs in buffers.items():
        for index, spec in enumerate(specs):
            tiles_of.setdefault(spec.tensor, []).append(((core, index), spec))
    return {name: tensor for name, tiles in tiles_of.items() if (tensor := _whole(name, tiles))}


def _whole(name: str, tiles: list[tuple[Key, BufferSpec]]) -> KeptTensor | None:
    """The tensor of `tiles`, each box once, in order, none inside of another; None with a gap or tiles that differ."""
    form, dtype = tiles[0][1].form, tiles[0][1].dtype
    if any((spec.form, spec.dtype) != (form, dtype) for _, spec in tiles):
        return None
    unique = {spec.box: (key, spec) for key, spec in reversed(tiles)}
    if not covered(unique, form.sizes, once=False):
        return None
    boxes = sorted(unique)
    if sum(prod(box_shape(box)) for box in boxes) > prod(form.sizes):
        boxes = [box for box in boxes if not _is_part(box, boxes)]
    return KeptTensor(name, form, tuple(unique[box] for box in boxes))


def _is_part(box: Box, others: Collection[Box]) -> bool:
    """Whether another box contains this one, which is then a partial copy."""
    pairs = (zip(box, other, strict=True) for other in others if other != box)
    return any(all(low <= first and last <= high for (first, last), (low, high) in pair) for pair in pairs)


def choose(keep: Collection[str], tensors: Mapping[str, KeptTensor], manifest: Manifest) -> list[KeptTensor]:
    """The tensors that --keep names, by ONNX node or by tensor, in the order of the network where it is known.

    Raises InputError saying why there is none: no such name, or what became of its tensor.
    """
    order = {origin.tensor: place for place, origin in enumerate(manifest.tensors)}
    ordered = sorted(tensors, key=lambda name: order.get(name, len(order)))
    if ALL in keep:
        return [tensors[name] for name in ordered]
    wanted: set[str] = set()
    for entry in keep:
        named = [origin for origin in manifest.tensors if entry in (origin.node, origin.tensor)]
        names = {entry, *(origin.tensor for origin in named)} & set(tensors)
        if not names:
            _refuse(entry, named, ordered, manifest)
        wanted |= names
    return [tensors[name] for name in ordered if name in wanted]


def _refuse(entry: str, named: Sequence[TensorOrigin], ordered: Sequence[str], manifest: Manifest) -> NoReturn:
    nodes = {origin.tensor: origin.node for origin in manifest.tensors}
    more = f" and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    known = f"can be kept: {', '.join(nodes.get(name) or name for name in ordered[:SHOWN]) or 'none'}{more}, or all"
    if any(entry == spec.name for spec in manifest.inputs):
        raise InputError(f"--keep {entry!r}: it is an input of the network, not the output of a node; {known}")
    if not named:
        guess = nearest(entry, [*nodes.values(), *nodes, *ordered]).removeprefix("; ").removesuffix("?")
        raise InputError(f"--keep {entry!r}: no node or tensor called {entry}{f' ({guess})' if guess else ''}; {known}")
    why = "; ".join(sorted({origin.absent for origin in named if origin.absent})) or _scattered(manifest)
    raise InputError(f"--keep {entry!r}: {why}; {known}")


def _scattered(manifest: Manifest) -> str:
    if manifest.options.get("granularity", "").startswith("rows"):
        return "it passes through its cores some rows at a time, none holds it whole (compile with --granularity image)"
    return "no core holds it whole"


def tensors_of(model: Path) -> frozenset[str]:
    """The tensors that the nodes of a network's file make."""
    import onnx

    from compiler.front_ends import front_end_of
    from compiler.frontend.front_end import NamesTensors

    front_end = front_end_of(model)
    if isinstance(front_end, NamesTensors):
        return front_end.tensors(model)

    try:
        graph = onnx.load(str(model), load_external_data=False).graph
    except Exception:
        raise InputError(f"{model} is not a readable ONNX file") from None
    return frozenset(name for node in graph.node for name in node.output if name)


def stack(name_to_samples: Mapping[str, Iterable[np.ndarray]]) -> dict[str, np.ndarray]:
    """Lists of samples as arrays (samples,) + shape."""
    return {name: np.stack(list(values)) for name, values in name_to_samples.items()}
