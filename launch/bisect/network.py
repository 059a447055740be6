"""The network as the search sees it: nodes of the ONNX file, tensors in order, what was fused with what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.image.manifest import Manifest

FORMS = ("Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten")  # what exporters put behind weights
_SHOWS = re.compile(r"^shows tensor '(.*)', no data of its own$")
_FUSED = re.compile(r"^fused into node '(.*)'$")


@dataclass(frozen=True, eq=False)
class OnnxNetwork:
    """The ONNX file `path` that was compiled into `manifest`."""

    path: Path
    manifest: Manifest

    @cached_property
    def _graph(self) -> Any:
        import onnx

        try:
            return onnx.load(str(self.path)).graph
        except Exception:
            raise InputError(f"{self.path} is not a readable ONNX file") from None

    @cached_property
    def order(self) -> dict[str, int]:
        """The place of each tensor in the network's own order."""
        return {origin.tensor: place for place, origin in enumerate(self.manifest.tensors)}

    def place(self, tensor: str) -> int:
        """The place of a tensor; after all others if it is none of the network."""
        return self.order.get(tensor, len(self.order))

    @cached_property
    def nodes(self) -> dict[str, str]:
        """The node that makes each tensor."""
        return {origin.tensor: origin.node for origin in self.manifest.tensors}

    @cached_property
    def makers(self) -> dict[str, Any]:
        """The ONNX node (NodeProto) that makes each tensor, as the file has it."""
        return {name: node for node in self._graph.node for name in node.output if name}

    @cached_property
    def initializers(self) -> dict[str, Any]:
        """The constants of the file (TensorProto), by name."""
        return {each.name: each for each in self._graph.initializer}

    def constant(self, name: str) -> np.ndarray | None:
        """A constant of the file, or one in another form (`FORMS`); None if it is none, or not stored in it."""
        from onnx import numpy_helper

        if name in self.initializers:
            return numpy_helper.to_array(self.initializers[name], str(self.path.parent))
        node = self.makers.get(name)
        if node is None:
            return None
        if node.op_type == "Constant" and node.attribute[0].HasField("t"):
            return numpy_helper.to_array(node.attribute[0].t)
        given = [self.constant(each) for each in node.input] if node.op_type in FORMS else [None]
        return None if any(array is None for array in given) else _evaluated(node, given)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(self.nodes.values())

    def owner(self, source: str) -> str:
        """The ONNX node of a name in the source map: parts of a node are called NODE/PART."""
        owner = source
        while owner and owner not in self._named:
            owner = owner.rpartition("/")[0]
        return owner or source

    def fused_with(self, node: str) -> list[str]:
        """The nodes that are computed together with `node`, in order, `node` among them."""
        last = self._last_of.get(node, node)
        return [name for name, other in self._last_of.items() if other == last]

    @cached_property
    def _last_of(self) -> dict[str, str]:
        """The last node of those that are computed together, by node."""
        into = dict[str, str]()
        for origin in self.manifest.tensors:
            if match := _FUSED.match(origin.absent):
                into[origin.node] = self.owner(match[1])

        def end(name: str) -> str:
            seen = {name}
            while name in into and into[name] not in seen:
                name = into[name]
                seen.add(name)
            return name

        return {name: end(name) for name in dict.fromkeys(self.nodes.values())}

    def shown(self, tensor: str) -> str:
        """The tensor whose data `tensor` shows; itself if it has its own."""
        absent = {origin.tensor: origin.absent for origin in self.manifest.tensors}
        seen = set[str]()
        while tensor not in seen and (match := _SHOWS.match(absent.get(tensor, ""))):
            seen.add(tensor)
            tensor = match[1]
        return tensor

    def inputs_of(self, tensor: str, has: Iterable[str]) -> list[str]:
        """The nearest tensors of `has` that `tensor` is computed from."""
        known, found, seen = set(has), dict[str, None](), {tensor}
        waiting = [tensor]
        while waiting:
            node = self.makers.get(waiting.pop())
            for name in node.input if node is not None else ():
                if name in seen or not name:
                    continue
                seen.add(name)
                if name in known:
                    found[name] = None
                else:
                    waiting.append(name)
        return list(found)


def _evaluated(node: Any, given: Sequence[Any]) -> np.ndarray | None:
    """What a node makes of constants; None if it refuses them."""
    from onnx.reference import ReferenceEvaluator

    try:
        (array,) = ReferenceEvaluator(node).run(None, dict(zip(node.input, given, strict=True)))
    except Exception:  # of a file that cannot be evaluated: the search goes on without this constant
        return None
    return np.asarray(array)
