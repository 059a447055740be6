"""Networks in, one program per core out; of the machine it imports descriptions only, nothing that runs."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any

    from compiler.api import compile
    from compiler.compiled_model import CompiledModel, load
    from compiler.compiling import CompileResult
    from compiler.torch_model import from_torch

__all__ = ["CompileResult", "CompiledModel", "compile", "from_torch", "load"]
_MODULES = {
    "CompileResult": "compiler.compiling",
    "CompiledModel": "compiler.compiled_model",
    "compile": "compiler.api",
    "from_torch": "compiler.torch_model",
    "load": "compiler.compiled_model",
}


def __getattr__(name: str) -> Any:
    """One of `__all__`, imported on first use: onnx and xdsl are slow to import."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'compiler' has no attribute {name!r}")
