"""People and processes: the command line, runs and their processes, supervision, golden values, reports."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which the command line must not import before it catches signals
if TYPE_CHECKING:
    from typing import Any

    from launch.chips.power import power_on
    from launch.devices.device import device
    from launch.golden.attach import AttachGolden
    from launch.machines.hosts.keeping import kept_hosts
    from launch.processes.warm_zygotes import warm_zygotes
    from launch.runs.validation import validate

__all__ = ["AttachGolden", "device", "kept_hosts", "power_on", "validate", "warm_zygotes"]
_MODULES = {
    "AttachGolden": "launch.golden.attach",
    "device": "launch.devices.device",
    "kept_hosts": "launch.machines.hosts.keeping",
    "power_on": "launch.chips.power",
    "validate": "launch.runs.validation",
    "warm_zygotes": "launch.processes.warm_zygotes",
}


def __getattr__(name: str) -> Any:
    """One of `__all__`, imported on first use: the command line must not import NumPy to print its help."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'launch' has no attribute {name!r}")
