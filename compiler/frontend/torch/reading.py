"""Programs of `torch.export` as ONNX: in memory, or from their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.frontend.torch.archive import harmless_copy
from compiler.frontend.torch.exporting import quiet, to_onnx
from compiler.frontend.torch.needs import torch_for
from emu.errors import CompileError
from emu.files import shown

if TYPE_CHECKING:
    from onnx import ModelProto


def onnx_of(source: Any) -> ModelProto:
    """The ONNX model of a program, or of the file of one; raises CompileError, InputError with one sentence."""
    if not isinstance(source, Path):
        return to_onnx(source, "the exported program")[0]
    torch_for(str(shown(source)))
    return to_onnx(load_program(source), source.stem)[0]


def load_program(path: Path) -> Any:
    """The program in a file of `torch.export.save`, of which nothing is unpickled; raises CompileError."""
    copy = harmless_copy(path)
    torch = torch_for(str(shown(path)))
    try:
        with quiet():
            return torch.export.load(copy)
    except Exception as error:  # of a file that is damaged, or from another version
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise CompileError(
            f"{shown(path)} cannot be read by torch {torch.__version__}: {lines[0][:200]}; export the module again"
        ) from error
