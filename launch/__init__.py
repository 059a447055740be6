"""People and processes: command line, spawning, supervision, golden, reports."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from launch.power import power_on

__all__ = ["power_on"]


def __getattr__(name: str) -> Any:
    """`power_on`, imported on first use: the command line must not import NumPy to print its help."""
    if name in __all__:
        from launch.power import power_on

        return power_on
    raise AttributeError(f"module 'launch' has no attribute {name!r}")
