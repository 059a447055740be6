"""People and processes: command line, spawning, supervision, golden, reports."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from launch.power import power_on
    from launch.validation import validate

__all__ = ["power_on", "validate"]
_MODULES = {"power_on": "launch.power", "validate": "launch.validation"}


def __getattr__(name: str) -> Any:
    """`power_on` and `validate`, imported on first use: the command line must not import NumPy to print its help."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'launch' has no attribute {name!r}")
