"""Intermediate tensors: which ones can be kept, their tiles put together, and their golden form."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from emu.errors import InputError
from emu.program.program import BufferSpec

Key = tuple[int, int]  # core, index into the buffers of its program


@dataclass(frozen=True, slots=True)
class KeptTensor:
    """A tensor whose channel tiles are held by buffers of some cores; `extent` is (channels, height, width)."""

    name: str
    extent: tuple[int, int, int]
    tiles: tuple[tuple[Key, BufferSpec], ...]

    def assemble(self, captures: Mapping[Key, bytes]) -> np.ndarray:
        """The tensor [channel][height][width] of one sample from what its cores captured."""
        _, height, width = self.extent
        whole = np.empty(self.extent, self.tiles[0][1].dtype.numpy)
        for key, buffer in self.tiles:
            first, last = buffer.channels
            tile = np.frombuffer(captures[key], buffer.dtype.numpy).reshape(height, width, last - first)
            whole[first:last] = tile.transpose(2, 0, 1)
        return whole


def kept_tensors(buffers: Mapping[int, Sequence[BufferSpec]]) -> dict[str, KeptTensor]:
    """Tensors that `buffers` (by core) hold completely: their channel tiles cover every channel."""
    found: dict[str, list[tuple[Key, BufferSpec]]] = {}
    for core, specs in buffers.items():
        for index, spec in enumerate(specs):
            found.setdefault(spec.tensor, []).append(((core, index), spec))
    return {name: tensor for name, tiles in found.items() if (tensor := _whole(name, tiles))}


def _whole(name: str, tiles: list[tuple[Key, BufferSpec]]) -> KeptTensor | None:
    """The tensor of `tiles`, sorted by channel and each channel range once; None with a gap or odd sizes."""
    first = tiles[0][1]
    unique = {spec.channels: (key, spec) for key, spec in reversed(tiles)}
    ordered = tuple(unique[channels] for channels in sorted(unique))
    reached = 0
    for _, spec in ordered:
        if spec.channels[0] > reached or (spec.height, spec.width, spec.dtype) != (
            first.height,
            first.width,
            first.dtype,
        ):
            return None
        reached = max(reached, spec.channels[1])
    return KeptTensor(name, (reached, first.height, first.width), ordered)


def node_outputs(model: Path) -> dict[str, tuple[str, ...]]:
    """Output tensors of each node of an ONNX file, by node name; unnamed nodes go by their first output."""
    import onnx

    try:
        graph = onnx.load(str(model), load_external_data=False).graph
    except Exception:
        raise InputError(f"{model} is not a readable ONNX file") from None
    return {node.name or node.output[0]: tuple(filter(None, node.output)) for node in graph.node}


def choose(
    keep: Collection[str], tensors: Mapping[str, KeptTensor], nodes: Mapping[str, tuple[str, ...]]
) -> list[KeptTensor]:
    """The tensors that --keep names, by ONNX node or by tensor, in the order of the network where it is known."""
    order = {name: place for place, name in enumerate(name for outputs in nodes.values() for name in outputs)}
    ordered = sorted(tensors, key=lambda name: order.get(name, len(order)))
    if "all" in keep:
        return [tensors[name] for name in ordered]
    wanted: set[str] = set()
    for entry in keep:
        names = {entry, *nodes.get(entry, ())} & set(tensors)
        if not names:
            known = ", ".join(map(repr, ordered[:8])) or "none"
            raise InputError(f"--keep {entry!r}: no core holds it whole; tensors that can be kept are {known}, or all")
        wanted |= names
    return [tensors[name] for name in ordered if name in wanted]


def as_extent(golden: np.ndarray, extent: Sequence[int]) -> list[np.ndarray]:
    """A golden tensor (samples,) + logical shape in its possible forms (samples, channels, height, width).

    Logical forms are (1, C, H, W), (1, C), flattened (1, CHW), and (1, T, D) with tokens as rows of D channels. Where
    the sizes do not tell channels first from channels last, both are given.
    """
    channels, height, width = extent
    samples, shape = len(golden), tuple(size for size in golden.shape[1:] if size != 1)
    if golden[0].size != channels * height * width:
        return []
    found: list[np.ndarray] = []
    if len(shape) == 1 or shape == tuple(size for size in extent if size != 1):
        found.append(golden.reshape(samples, channels, height, width))
    if len(shape) > 1 and golden.shape[-1] == channels:
        found.append(np.moveaxis(golden.reshape(samples, height, width, channels), -1, 1))
    return found


def closest(forms: Sequence[np.ndarray], found: np.ndarray) -> np.ndarray:
    """The form that differs least from what was found: a tensor that is right in one of them is right."""
    with np.errstate(invalid="ignore"):
        return min(forms, key=lambda form: float(np.max(np.abs(form - found), initial=0.0)))


def stack(name_to_samples: Mapping[str, Iterable[np.ndarray]]) -> dict[str, np.ndarray]:
    """Lists of samples as arrays (samples,) + shape."""
    return {name: np.stack(list(values)) for name, values in name_to_samples.items()}
