"""ONNX in, one program per core out; of the machine it imports descriptions only, nothing that runs."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any

    from compiler.api import compile
    from compiler.compiling import CompileResult

__all__ = ["CompileResult", "compile"]


def __getattr__(name: str) -> Any:
    """`compile` and `CompileResult`, imported on first use: onnx and xdsl are slow to import."""
    if name in __all__:
        from compiler import api

        return getattr(api, name)
    raise AttributeError(f"module 'compiler' has no attribute {name!r}")
