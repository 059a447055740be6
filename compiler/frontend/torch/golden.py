"""Computes outputs of an exported program as its ONNX model, by the evaluators of ONNX."""

# Loaded by path in the process that computes golden values.
from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compiler.frontend.golden import SOURCES as OF_ONNX
from compiler.frontend.golden import Refused, Runner
from compiler.frontend.golden import perturbed as perturbed_of_onnx
from compiler.frontend.torch.reading import onnx_of
from emu.errors import CompileError, InputError

__all__ = ["SOURCES", "Refused", "perturbed"]
_Shapes = Mapping[str, tuple[int, ...]]
_exported: dict[Path, bytes] = {}  # by path: exporting takes seconds


def _written(path: Path, folder: str) -> Path:
    """The ONNX file of a program."""
    try:
        if path not in _exported:
            _exported[path] = onnx_of(path).SerializeToString()
    except (CompileError, InputError) as error:
        raise Refused(str(error)) from None
    file = Path(folder) / f"{path.stem}.onnx"
    file.write_bytes(_exported[path])
    return file


def _by(source: str) -> Any:
    def compute(path: Path, tensors: Sequence[str], shapes: _Shapes, edit: Any = None) -> tuple[str, Runner]:
        with tempfile.TemporaryDirectory() as folder:
            return OF_ONNX[source](_written(path, folder), tensors, shapes, edit)

    return compute


def perturbed(source: str, path: Path, tensors: Sequence[str], shapes: _Shapes) -> list[Runner]:
    """As of ONNX."""
    with tempfile.TemporaryDirectory() as folder:
        return perturbed_of_onnx(source, _written(path, folder), tensors, shapes)


SOURCES = {name: _by(name) for name in OF_ONNX}
