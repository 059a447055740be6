"""People and processes: command line, spawning, supervision, golden, reports."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any

    from launch.power import power_on
    from launch.validation import validate

__all__ = ["power_on", "validate"]
_MODULES = {"power_on": "launch.power", "validate": "launch.validation"}


def __getattr__(name: str) -> Any:
    """`power_on` and `validate`, imported on first use: the command line must not import NumPy to print its help."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'launch' has no attribute {name!r}")
