"""Whether a model is the one that programs compute: by its digest, or by the names and shapes of its tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import InputError
from emu.image.digest import digest
from emu.image.manifest import Manifest, TensorOrigin, TensorSpec
from emu.wording import nearest

SHOWN = 8  # names in a sentence


def model_digest(model: Path) -> str:
    """SHA-256 (hex) of a model file; raises InputError if it cannot be read."""
    return digest(model).sha256


def check_model(model: Path, manifest: Manifest, where: str) -> None:
    """Reject a model that is not the compiled one or, if that is unknown, whose tensors do not match."""
    known = manifest.network_sha256
    if not known:
        _check_names(model, manifest, where)
    elif model_digest(model) != known:
        raise InputError(f"{model} is not the model that {where} was compiled from (other SHA-256): compile it again")


def of_model(manifest: Manifest, model: Path) -> Manifest:
    """The manifest; where it does not list the tensors of the network, with those of the nodes of the model."""
    if manifest.tensors or manifest.segments:
        return manifest
    from compiler.frontend.graph_checks import node_label  # and with it onnx, which few need here

    origins = (TensorOrigin(name, node_label(node)) for node in _graph(model).node for name in node.output if name)
    return replace(manifest, tensors=tuple(origins))


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor of a model: its shape and its type, as far as they are known."""

    shape: tuple[int | None, ...] | None
    dtype: np.dtype | None

    def fault(self, spec: TensorSpec) -> str:
        """How a tensor of a program differs; empty if it does not."""
        if self.dtype is not None and self.dtype != spec.dtype.numpy:
            return f"is {spec.dtype.numpy.name}, in the model {self.dtype.name}"
        if self.shape is None:
            return ""
        fits = len(self.shape) == len(spec.shape)
        fits = fits and all(a in (None, b) for a, b in zip(self.shape, spec.shape, strict=True))
        return "" if fits else f"has shape {list(spec.shape)}, in the model {_text(self.shape)}"


def _text(shape: Sequence[int | None]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def _check_names(model: Path, manifest: Manifest, where: str) -> None:
    """Check programs of another compiler: their tensors must match those of the model by name."""
    graph = _graph(model)
    constants = {tensor.name for tensor in graph.initializer}
    inputs = {value.name for value in graph.input} - constants
    made = {name for node in graph.node for name in node.output if name}
    tensors = _tensors(graph)
    own = {spec.name for spec in manifest.inputs}
    if missing := sorted(inputs - own):
        raise InputError(f"{where} has no input {missing[0]!r}, which {model} has: its own are {_listed(own)}")
    for kind, specs, known in (("input", manifest.inputs, inputs), ("output", manifest.outputs, made)):
        for spec in specs:
            if spec.name not in known:
                raise InputError(
                    f"{model} has no tensor of the name of {kind} {spec.name!r} of {where}{nearest(spec.name, known)}:"
                    f" its {kind}s are {_listed(value.name for value in getattr(graph, kind))}; name it so in the"
                    " programs (`emu export --to asm`, `emu import`)"
                )
            if fault := tensors[spec.name].fault(spec) if spec.name in tensors else "":
                raise InputError(f"{kind} {spec.name!r} of {where} {fault}: {model} is of another network")


def _listed(names: Any) -> str:
    found = list(names)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return (", ".join(map(repr, found[:SHOWN])) or "none") + more


def _tensors(graph: Any) -> Mapping[str, _Tensor]:
    """Shapes and types by name, as far as ONNX infers them."""
    from onnx import helper

    found: dict[str, _Tensor] = {}
    for value in (*graph.input, *graph.value_info, *graph.output):
        kind = value.type.tensor_type
        dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind.elem_type)) if kind.elem_type else None
        found[value.name] = _Tensor(tuple(dims) if kind.HasField("shape") else None, dtype)
    return found


def _graph(model: Path) -> Any:
    """The graph of an ONNX file, without weights that stand in other files, with the shapes that ONNX infers."""
    import onnx

    try:
        return onnx.shape_inference.infer_shapes(onnx.load(str(model), load_external_data=False)).graph
    except Exception:
        raise InputError(f"{model} is not a readable ONNX file") from None
