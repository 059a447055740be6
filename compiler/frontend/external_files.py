"""Which other files an ONNX file takes weights from, without reading a weight."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto

from compiler.frontend.model import NOT_ONNX, where_of
from compiler.frontend.tensors import external_path, is_external
from compiler.frontend.wire import BudgetError, WireError, count_fields, split_model
from emu.errors import CompileError
from emu.files import map_file


def external_files(model: Path) -> list[Path]:
    """The files that the initialisers of `model` stand in, each once, sorted; raises CompileError as `load_model`."""
    where, folder = where_of(model), model.resolve().parent
    try:
        structure = split_model(memoryview(map_file(model, CompileError))).structure
        count_fields(structure)
        graph = ModelProto.FromString(structure).graph
    except BudgetError as error:
        raise CompileError(f"{where}: {error}") from error
    except (WireError, DecodeError, UnicodeDecodeError) as error:
        raise CompileError(f"{where} {NOT_ONNX}: {error}") from error
    return sorted({external_path(tensor, folder, where) for tensor in graph.initializer if is_external(tensor)})
