"""What cores can be coloured by: one row per metric, used by the page and by pictures alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Metric:
    """The sum of some `fields` of a core in the report; `unit`: count, bytes, ps, pj or seconds."""

    name: str
    title: str
    short: str  # of a column of text
    unit: str
    fields: tuple[str, ...]

    def of(self, core: Mapping[str, Any]) -> float | None:
        """The value of a core of the report; None if it is not known."""
        parts = [core[field] for field in self.fields]
        return None if any(part is None for part in parts) else sum(parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"fields": list(self.fields)}


METRICS: Mapping[str, Metric] = {
    "load": Metric("load", "multiplications", "MACs", "count", ("macs",)),
    "busy": Metric("busy", "busiest unit", "busy", "ps", ("busy_ps",)),
    "blocked": Metric("blocked", "waits for other cores", "waits", "ps", ("waiting_ps",)),
    "traffic": Metric("traffic", "bytes sent and received", "traffic", "bytes", ("sent_bytes", "received_bytes")),
    "energy": Metric("energy", "dynamic energy", "energy", "pj", ("energy_pj",)),
    "real": Metric("real", "computes, on this host", "real", "seconds", ("real_seconds",)),
    "real-blocked": Metric(
        "real-blocked", "in requests, on this host", "real waits", "seconds", ("real_request_seconds",)
    ),
    "crossbars": Metric("crossbars", "crossbars in use", "crossbars", "count", ("crossbars",)),
    "wear": Metric("wear", "cells of crossbars written", "written cells", "count", ("written_cells",)),
    "memory": Metric("memory", "local memory", "memory", "bytes", ("memory",)),
}
