"""Text of a stage with its weights beside it, as `emu compile --until STAGE --dump FOLDER` writes them."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from onnx import ModelProto

from compiler.compiling import lower
from compiler.request import CompileRequest
from compiler.session.context import make_context

_KNOWN: dict[tuple[bytes, str], dict[str, bytes]] = {}  # files of dumps, by what was asked for


def dump_stage(folder: Path, request: CompileRequest) -> Path:
    """The path of the text that the last pass of the request left in `folder`; what was asked before is not lowered."""
    assert isinstance(request.model, ModelProto)
    asked = request.model.SerializeToString(), repr(replace(request, model=None))
    if asked not in _KNOWN:
        _KNOWN[asked] = _dumped(request)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in _KNOWN[asked].items():
        (folder / name).write_bytes(content)
    return max(folder.glob("*.mlir"))


def _dumped(request: CompileRequest) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        lower(replace(request, dump=Path(name)), make_context(request.arch, request.options))
        return {path.name: path.read_bytes() for path in Path(name).iterdir()}
