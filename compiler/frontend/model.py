"""Reads an ONNX file into its structure (a small ModelProto) and its arrays (views into the file)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from google.protobuf.message import DecodeError, EncodeError, Message
from onnx import GraphProto, ModelProto, TensorProto, helper

from compiler.basis.limits import MAX_DESCRIBED, MAX_NODES, MAX_OPERANDS
from compiler.basis.weights import Array
from compiler.evaluation.graphs import put
from compiler.frontend.functions import inlined
from compiler.frontend.tensors import external_array, inline_array, is_external, raw_array, sparse_array
from compiler.frontend.wire import BudgetError, ByteRange, WireError, count_fields, split_model
from emu.errors import CompileError
from emu.files import Mapped, map_file, shown

_NAMES_OPERATOR_SETS, _FREE_INITIALISERS = 3, 4  # versions of the file format
NOT_ONNX = "is not an ONNX model, or is truncated or damaged"


@dataclass(frozen=True)
class LoadedModel:
    """A model that was read; `proto` lacks the elements of large initialisers, which are inputs of its graph instead.

    `arrays` are the initialisers by name, `inputs` the names of the real inputs, `where` names the file in errors.
    """

    proto: ModelProto
    arrays: dict[str, Array]
    inputs: tuple[str, ...]
    sha256: str
    where: str


def load_model(model: Path | ModelProto) -> LoadedModel:
    """Read a model from its path or from memory; raises CompileError if it is no readable ONNX model."""
    where = where_of(model)
    buffer = _bytes_of(model, where)
    try:
        split = split_model(memoryview(buffer))
        count_fields(split.structure)
        proto = ModelProto.FromString(split.structure)
        _check_text(proto)
    except BudgetError as error:
        raise CompileError(f"{where}: {error}") from error
    except (WireError, DecodeError, UnicodeDecodeError) as error:
        raise CompileError(f"{where} {NOT_ONNX}: {error}") from error
    if not proto.ir_version or not proto.graph.output:
        raise CompileError(f"{where} {NOT_ONNX}: it has no graph with outputs")
    folder = model.resolve().parent if isinstance(model, Path) else None
    arrays = _arrays(proto.graph, buffer, split.raw, folder, where)
    inputs = tuple(value.name for value in proto.graph.input if value.name not in arrays)
    _detach(proto.graph, split.raw)
    _modernise(proto)
    proto = inlined(proto, where)
    check_size(proto.graph, where)
    return LoadedModel(proto, arrays, inputs, hashlib.sha256(buffer).hexdigest(), where)


def _modernise(proto: ModelProto) -> None:
    """Raise the version of the file format: before the fourth, initialisers had to be inputs, which few files heed.

    Before the third a file did not say which operator set it uses: there was one.
    """
    if proto.ir_version < _NAMES_OPERATOR_SETS and not proto.opset_import:
        proto.opset_import.add(version=1)
    proto.ir_version = max(proto.ir_version, _FREE_INITIALISERS)


def check_size(graph: GraphProto, where: str) -> None:
    """Raise CompileError for a graph of more nodes, or inputs of nodes, than the compiler has time for."""
    operands = sum(len(node.input) for node in graph.node)
    for count, what, limit in ((len(graph.node), "nodes", MAX_NODES), (operands, "inputs of nodes", MAX_OPERANDS)):
        if count > limit:
            raise CompileError(f"{where}: its graph has {count} {what}; a network may have {limit}")


def where_of(model: Path | ModelProto) -> str:
    """What errors call a model: its path, or the name of its graph."""
    return shown(model) if isinstance(model, Path) else f"model '{model.graph.name or 'unnamed'}'"


def _check_text(message: Message) -> None:
    """Raise WireError or UnicodeDecodeError unless every string is UTF-8: protobuf checks one only when it is read."""
    for field, value in message.ListFields():
        items = [value] if isinstance(value, str | bytes | Message) else value  # repeated fields are containers
        if field.type == field.TYPE_STRING and not all(isinstance(item, str) for item in items):
            raise WireError(f"'{field.name}' is no text")
        if field.type == field.TYPE_MESSAGE:
            for item in items:
                _check_text(cast(Message, item))


def _bytes_of(model: Path | ModelProto, where: str) -> Mapped:
    try:
        return map_file(model, CompileError) if isinstance(model, Path) else model.SerializeToString()
    except (EncodeError, ValueError) as error:
        raise CompileError(
            f"{where} cannot be serialised ({error}): save it with external data, give its path"
        ) from error


def _arrays(
    graph: GraphProto, buffer: Mapped, raw: dict[int, ByteRange], folder: Path | None, where: str
) -> dict[str, Array]:
    """The array of each initialiser, by name; `raw` are the bytes of the large ones in `buffer`."""
    arrays: dict[str, Array] = {}
    opened: dict[Path, Mapped] = {}
    left = MAX_DESCRIBED
    for sparse in graph.sparse_initializer:
        _check_name(sparse.values.name, arrays, where)
        arrays[sparse.values.name] = array = sparse_array(sparse, where, left)
        left -= array.nbytes
    for index, tensor in enumerate(graph.initializer):
        _check_name(tensor.name, arrays, where)
        if index in raw:
            arrays[tensor.name] = raw_array(tensor, buffer, raw[index], where)
        elif is_external(tensor):
            arrays[tensor.name] = external_array(tensor, folder, where, opened)
        else:
            arrays[tensor.name] = inline_array(tensor, where)
    return arrays


def _check_name(name: str, arrays: Mapping[str, Array], where: str) -> None:
    if name in arrays or not name:
        raise CompileError(f"{where} has two initialisers, or a nameless one, called '{name}'")


def _detach(graph: GraphProto, raw: dict[int, ByteRange]) -> None:
    """Turn initialisers whose numbers are elsewhere into typed inputs: checker and shape inference accept those."""
    declared = {value.name for value in graph.input}
    kept: list[TensorProto] = []
    for index, tensor in enumerate(graph.initializer):
        if index not in raw and not is_external(tensor):
            kept.append(tensor)
        elif tensor.name not in declared:
            graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    for sparse in graph.sparse_initializer:
        if sparse.values.name not in declared:
            dims = list(sparse.dims)
            graph.input.append(helper.make_tensor_value_info(sparse.values.name, sparse.values.data_type, dims))
    del graph.sparse_initializer[:]
    put(graph.initializer, kept)
