"""Computes outputs of an exported program as its ONNX model, by the evaluators of ONNX."""

# Loaded by path, in the process that computes golden values.
from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compiler.evaluation import SOURCES as OF_ONNX
from compiler.evaluation import Refused, Runner
from compiler.frontend.torch.reading import onnx_of
from emu.errors import CompileError, InputError

__all__ = ["SOURCES", "Refused", "model_of"]
_Shapes = Mapping[str, tuple[int, ...]]
_exported: dict[Path, bytes] = {}  # by path: exporting takes seconds


def _bytes_of(path: Path) -> bytes:
    """The ONNX model of a program; raises Refused."""
    try:
        if path not in _exported:
            _exported[path] = onnx_of(path).SerializeToString()
    except (CompileError, InputError) as error:
        raise Refused(str(error)) from None
    return _exported[path]


def model_of(path: Path) -> Any:
    """The ONNX model of a program; raises Refused."""
    import onnx

    return onnx.load_from_string(_bytes_of(path))


def _by(source: str) -> Any:
    def compute(path: Path, tensors: Sequence[str], shapes: _Shapes, edit: Any = None) -> tuple[str, Runner]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{path.stem}.onnx"
            file.write_bytes(_bytes_of(path))
            return OF_ONNX[source](file, tensors, shapes, edit)

    return compute


SOURCES = {name: _by(name) for name in OF_ONNX}
