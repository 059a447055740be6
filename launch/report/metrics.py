"""What cores can be coloured by: one row per metric, used by the page and by pictures alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Metric:
    """The sum of some `fields` of a core in the report; `unit`: count, bytes, ps or pj."""

    name: str
    title: str
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
    "load": Metric("load", "multiplications", "count", ("macs",)),
    "busy": Metric("busy", "busiest unit", "ps", ("busy_ps",)),
    "blocked": Metric("blocked", "waits for other cores", "ps", ("waiting_ps",)),
    "traffic": Metric("traffic", "bytes sent and received", "bytes", ("sent_bytes", "received_bytes")),
    "energy": Metric("energy", "dynamic energy", "pj", ("energy_pj",)),
    "crossbars": Metric("crossbars", "crossbars in use", "count", ("crossbars",)),
    "memory": Metric("memory", "local memory", "bytes", ("memory",)),
}
