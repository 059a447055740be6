"""People and processes: command line, spawning, supervision, golden, reports."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any

    from launch.power import power_on

__all__ = ["power_on"]


def __getattr__(name: str) -> Any:
    """`power_on`, imported on first use: the command line must not import NumPy to print its help."""
    if name in __all__:
        from launch.power import power_on

        return power_on
    raise AttributeError(f"module 'launch' has no attribute {name!r}")
