"""Imports torch, which is an extra: whatever needs it asks here, and nothing else does."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from emu.errors import InputError

INSTALL = "pip install 'reram-emu[torch]'"
_PARTS = ("torch", "onnxscript")  # the exporter of torch writes with the latter


def torch_for(what: str) -> Any:
    """The module `torch`, with what exports from it; raises InputError, which says how to install it."""
    try:
        torch, *_ = [import_module(part) for part in _PARTS]
    except ImportError as error:
        name = error.name or "torch"
        raise InputError(f"{what} needs {name}, which is not installed here: {INSTALL}") from None
    return torch
