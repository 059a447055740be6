"""What becomes of the tensors of a network that no core holds: noted where it happens, listed in the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from emu.image.manifest import TensorOrigin

CONSTANT = "a constant, computed by the compiler"
UNUSED = "no output depends on it"
JOINED = "its parts stay on the cores that made them"


@dataclass
class Provenance:
    """What is noted of tensors, by name; a tensor of which nothing is noted may stand in buffers."""

    fusions: dict[str, str] = field(default_factory=dict[str, str])  # tensor -> the one that is made in its place
    views: dict[str, str] = field(default_factory=dict[str, str])  # tensor -> the one whose elements it shows
    losses: dict[str, str] = field(default_factory=dict[str, str])  # tensor -> reason

    def fused(self, tensor: str, into: str) -> None:
        """Note that nobody makes `tensor`: its node became part of the one that makes `into`."""
        self.fusions[tensor] = into

    def view(self, tensor: str, of: str) -> None:
        """Note that `tensor` is `of` in another shape, or the same: no data moves. An empty `of` is an input."""
        self.views[tensor] = of

    def lost(self, tensor: str, reason: str) -> None:
        """Note that no core holds `tensor`, for one of the reasons above."""
        self.losses[tensor] = reason

    def origins(self, nodes: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[TensorOrigin, ...]:
        """The tensors of `nodes` (name and outputs) in order, each with what became of it."""
        listed = [(tensor, node) for node, outputs in nodes for tensor in outputs]
        makers = dict(listed)
        return tuple(TensorOrigin(tensor, node, self._absent(tensor, makers)) for tensor, node in listed)

    def _absent(self, tensor: str, makers: Mapping[str, str]) -> str:
        if tensor in self.fusions:
            last = _end(tensor, self.fusions)
            return f"fused into node {makers.get(last, last)!r}"
        if tensor in self.views:
            source = _end(tensor, self.views)
            rest = f", which is {self._absent(source, makers)}" if source in self.fusions else ""
            return f"shows {f'tensor {source!r}' if source else 'an input'}{rest}, no data of its own"
        return self.losses.get(tensor, "")


def _end(tensor: str, steps: Mapping[str, str]) -> str:
    """Where the steps from `tensor` on lead; no further than there are steps, whatever they say."""
    for _ in steps:
        if tensor not in steps:
            break
        tensor = steps[tensor]
    return tensor
