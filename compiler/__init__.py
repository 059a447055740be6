"""ONNX in, one program per core out; imports the machine's descriptions only."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiler.api import CompileResult, compile

__all__ = ["CompileResult", "compile"]


def __getattr__(name: str) -> Any:
    """`compile` and `CompileResult`, imported on first use: onnx and xdsl are slow to import."""
    if name in __all__:
        from compiler import api

        return getattr(api, name)
    raise AttributeError(f"module 'compiler' has no attribute {name!r}")
