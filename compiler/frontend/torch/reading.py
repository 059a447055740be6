"""Programs of `torch.export` as ONNX: in memory, or from their files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.frontend.torch.archive import harmless_copy
from compiler.frontend.torch.exporting import quiet, to_onnx
from compiler.frontend.torch.needs import INSTALL, torch_for
from emu.errors import CompileError, InputError
from emu.files import shown

if TYPE_CHECKING:
    from onnx import ModelProto


def onnx_of(source: Any) -> ModelProto:
    """The ONNX model of a program, or of the file of one; raises CompileError, InputError with one sentence."""
    if not isinstance(source, Path):
        return to_onnx(source, "the exported program")[0]
    torch_for(shown(source))
    return to_onnx(load_program(source), source.stem)[0]


# Operators of a name of their own are known once the module that defines them is imported.
_DEFINED_BY = {
    "quantized_decomposed": "torch.ao.quantization.fx._decomposed",
    "torchao": "torchao",
    "torchvision": "torchvision",
}


def load_program(path: Path) -> Any:
    """The program in a file of `torch.export.save`, of which nothing is unpickled; raises CompileError."""
    copy = harmless_copy(path)
    torch = torch_for(shown(path))
    for library, module in _DEFINED_BY.items():
        if f'"torch.ops.{library}.'.encode() in copy.getvalue():
            _import(module, path)
    try:
        with quiet():
            return torch.export.load(copy)
    except Exception as error:  # of a file that is damaged, or from another version
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CompileError(
            f"{shown(path)} cannot be read by torch {torch.__version__} ({first[:200]}): export the module again"
        ) from error


def _import(module: str, path: Path) -> None:
    try:
        with quiet():
            import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise InputError(f"{shown(path)} uses operators of {name}, which is not installed here: {INSTALL}") from None
