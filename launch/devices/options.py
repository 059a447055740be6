"""The options of a device, as fields: the command line and Python power it on by them."""

from __future__ import annotations

from dataclasses import dataclass

from emu.options import Number, Text, Whole, opt

CORES = 4
TIMEOUT = 60.0  # seconds for one call


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOptions:
    """How a device is powered on; `timeout` None is no limit."""

    cores: int = opt(CORES, Whole(), "Cores to power on.")
    backend: str = opt(
        "processes",
        Text("NAME|MODULE:BOARD"),
        "What has the crossbars: processes (one per core), sequential (in this process), numpy, an installed back end,"
        " or the import path of one.",
    )
    timeout: float | None = opt(
        TIMEOUT,
        Number("S"),
        f"Seconds that one call may take (default: {TIMEOUT:g}; 0: no limit).",
        shown=False,
    )
