"""Compiles a network of which the compiler refuses some nodes: these are left to the host, in segments of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import cast

from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from compiler.basis.chips import ARCH
from compiler.basis.options import OF_ONE_CHIP
from compiler.compiling import CompileResult, Finish, compile_model
from compiler.evaluation import Refused
from compiler.frontend.front_end import ImportedModel
from compiler.frontend.model import load_model
from compiler.host_parts.cut import NetworkPart, cut
from compiler.host_parts.evaluators import evaluator
from compiler.host_parts.survey import NodeSurvey, survey
from compiler.host_parts.value_types import of_machine, type_of
from compiler.request import CompileRequest
from compiler.session.context import CompilerContext, NetworkIdentity, make_context
from compiler.session.provenance import Provenance
from compiler.settings import settings_of
from emu.errors import CompileError, InputError, option
from emu.image.digest import digest
from emu.image.manifest import Manifest, ModelInfo, Segment, TensorOrigin, TensorSpec, TensorTile
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.writer import ImageWriter
from emu.program.form import LEAST, MOST, Form, axis_names

ON_HOST = "computed on the host"
_ALIGNMENT = 64  # bytes


@dataclass(frozen=True, slots=True)
class _Written:
    """A part in its place: its segment, and what came of its compilation unless it is for the host."""

    segment: Segment
    result: CompileResult | None


class _Refusal(Exception):
    """A node that can be read, but that a later pass refuses."""

    def __init__(self, node: str, why: str) -> None:
        super().__init__(why)
        self.node = node


def compile_with_host(request: CompileRequest, out: Path, finish: Finish | None = None) -> CompileResult:
    """Compile the model of `request` into `out`; what no core can do is left to the host. Raises as `compile` does.

    A network of which nothing is refused is compiled as by `compile_model`. Any other becomes an image in segments.
    """
    try:
        return compile_model(request, out, finish)
    except CompileError as error:
        first = error
    for name in OF_ONE_CHIP:
        if getattr(request.options, name):
            raise InputError(
                f"{first}; {option('host_fallback', True)} cannot help: {option(name)} is about one chip, and a "
                "network with host nodes runs on several, so leave one of them out"
            ) from first
    loaded = load_model(cast("Path | ModelProto", request.model))
    refused: dict[str, str] = {}
    while True:
        context = make_context(request.arch, request.options)
        surveyed = survey(loaded, context, request.options.shapes, refused)
        if not surveyed.refused:
            culprit = _culprit(first.node, [node.name for node in surveyed.nodes])
            if not culprit:
                raise first  # it is not about one node
            refused[culprit] = str(first)
            continue
        try:
            return _write(request, surveyed, out, finish)
        except _Refusal as error:
            refused[error.node] = str(error)


def _write(request: CompileRequest, surveyed: NodeSurvey, out: Path, finish: Finish | None) -> CompileResult:
    where, loaded, context, cuts = surveyed.loaded.where, surveyed.loaded, surveyed.context, cut(surveyed)
    context.kinds = {node.name: node.proto.op_type for node in surveyed.nodes}
    graph = loaded.proto.graph
    name = graph.name or (request.model.stem if isinstance(request.model, Path) else "model")
    context.network = NetworkIdentity(name, loaded.sha256)
    inputs, end = _specs(surveyed, list(surveyed.inputs), 0)
    outputs, end = _specs(surveyed, [value.name for value in graph.output], end)
    if end > request.arch.global_memory.size:
        raise CompileError(
            f"{where}: inputs and outputs need {end} bytes of global memory, but {request.arch.title} has"
            f" {request.arch.global_memory.size}: raise [global_memory] size"
        )
    with ImageWriter(out) as writer:
        parts = [_write_part(request, writer, part, place, surveyed) for place, part in enumerate(cuts)]
        results = [part.result for part in parts if part.result is not None]
        hosts = {node.name for node in surveyed.nodes if node.refusal}
        of_parts = (warning for result in results for warning in result.warnings)
        warnings = tuple(dict.fromkeys((*surveyed.context.warnings, *of_parts)))
        manifest = Manifest(
            request.arch,
            (),
            inputs,
            outputs,
            end,
            ModelInfo(name, loaded.sha256),
            options={name: text for name, text in settings_of(request).items() if name != ARCH} | {"host": "fallback"},
            tensors=tuple(
                TensorOrigin(tensor, node.name, ON_HOST if node.name in hosts else "")
                for node in surveyed.nodes
                for tensor in node.proto.output
                if tensor
            ),
            warnings=warnings,
            segments=tuple(part.segment for part in parts),
        )
        manifest = writer.finish(finish(writer, manifest) if finish is not None else manifest)
    seconds = Counter[str]()
    for result in results:
        seconds.update(result.seconds)
    return CompileResult(
        out,
        ModuleOp([]),
        context,
        request.arch,
        sum(result.cores for result in results),
        sum(result.crossbars for result in results),
        sum(result.instructions for result in results),
        warnings,
        dict(seconds),
        segments=manifest.segments,
    )


def _write_part(
    request: CompileRequest, writer: ImageWriter, part: NetworkPart, place: int, surveyed: NodeSurvey
) -> _Written:
    nodes = tuple(f"{name} ({kind})" for name, kind in part.stands_for)
    if part.model is not None:
        file = f"segment_{place:02d}.onnx"
        with writer.add_file(file) as stream:
            stream.write(part.model.SerializeToString())
        path = writer.add_folder(file)
        who = _evaluator(path, part, part.model, surveyed)
        sha256 = digest(path).sha256
        return _Written(Segment(file, sha256, part.inputs, part.outputs, nodes, part.work, who), None)
    file = f"segment_{place:02d}"
    folder = writer.add_folder(file)
    options = replace(request.options, shapes={}, host_fallback=False)
    own = replace(request, model=None, options=options)
    try:
        result = compile_model(own, folder, read=partial(_take, part, surveyed, place))
    except CompileError as error:
        culprit = _culprit(error.node, part.names)
        if culprit:
            raise _Refusal(culprit, str(error)) from error
        raise
    sha256 = digest(folder / MANIFEST_FILE).sha256
    return _Written(Segment(file, sha256, part.inputs, part.outputs, nodes, part.work), result)


def _take(part: NetworkPart, surveyed: NodeSurvey, place: int, context: CompilerContext) -> ImportedModel:
    """The operations of a part, with their weights in `context`, under a digest of its own: it is no file."""
    assert part.imported is not None
    known = surveyed.context
    context.weights = known.weights.copy()
    context.provenance = Provenance(
        dict(known.provenance.fusions), dict(known.provenance.views), dict(known.provenance.losses)
    )
    own = sha256(f"segment {place} of {part.imported.sha256}".encode()).hexdigest()
    return replace(part.imported, sha256=own)


def _evaluator(path: Path, part: NetworkPart, model: ModelProto, surveyed: NodeSurvey) -> str:
    """Who computes a host part; raises CompileError if nobody can."""
    try:
        return evaluator(path, part.outputs, input_shapes(model))[0]
    except Refused as error:
        refusals = {node.name: node.refusal for node in surveyed.nodes}
        where, first = surveyed.loaded.where, part.names[0]
        why = refusals[first].removeprefix(f"{where}: ")
        raise CompileError(f"{where}: neither cores ({why}) nor the host can compute node '{first}': {error}") from None


def input_shapes(model: ModelProto) -> dict[str, tuple[int, ...]]:
    """The shapes of the inputs of a host part, of those that are fixed."""
    kinds = {value.name: of_machine(value.type) for value in model.graph.input}
    return {name: kind[0] for name, kind in kinds.items() if kind is not None}


def _culprit(node: str, names: Sequence[str]) -> str:
    """That of `names` of which a refusal's `node` is a part, or which it is; empty if there is none."""
    found = [name for name in names if node == name or node.startswith(f"{name}/")]
    return max(found, key=len, default="")


def _specs(surveyed: NodeSurvey, names: Sequence[str], address: int) -> tuple[tuple[TensorSpec, ...], int]:
    """Inputs or outputs of the whole network, from `address` on; and the address behind them."""
    specs: list[TensorSpec] = []
    for name in names:
        kind = of_machine(type_of(name, surveyed.scope, surveyed.others))
        assert kind is not None  # `cut` refuses others
        form = _form(name, kind[0], surveyed)
        size = prod(kind[0]) * kind[1].size
        specs.append(TensorSpec(name, form, kind[1], (TensorTile(form.whole, address),) if size else ()))
        address += -(-size // _ALIGNMENT) * _ALIGNMENT
    return tuple(specs), address


def _form(name: str, shape: tuple[int, ...], surveyed: NodeSurvey) -> Form:
    """A tensor in row-major order: its elements are neighbours along its last dimension."""
    if len(shape) >= MOST:
        raise CompileError(
            f"{surveyed.loaded.where}: '{name}' has {len(shape)} dimensions; inputs and outputs of a network with host "
            f"nodes may have {MOST - 1}"
        )
    names = axis_names(max(LEAST, len(shape) + 1))
    axes = names[len(names) - len(shape) :]
    sizes: Mapping[str, int] = dict(zip(axes, shape, strict=True))
    return Form(shape, tuple(sizes.get(axis, 1) for axis in names), tuple(axes))
