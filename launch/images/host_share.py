"""How much of a network is left to the host: its operators, multiplications and bytes, with their shares of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from emu.image.manifest import Segment, Work
from emu.wording import counted


@dataclass(frozen=True, slots=True)
class HostShare:
    """The work of host nodes, and of the whole network, for one sample; `segments` are all of them, in order."""

    segments: Sequence[Segment]
    host: Work
    all: Work

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; shares are from 0 to 1, of nothing 0."""
        host, whole = asdict(self.host), asdict(self.all)
        return {
            **host,
            "shares": {name: host[name] / whole[name] if whole[name] else 0.0 for name in whole},
            "all": whole,
            "segments": [
                {
                    "file": segment.file,
                    "evaluator": segment.evaluator or None,
                    "nodes": list(segment.nodes),
                    "inputs": list(segment.inputs),
                    "outputs": list(segment.outputs),
                    **asdict(segment.work),
                }
                for segment in self.segments
            ],
        }


def host_share(segments: Sequence[Segment]) -> HostShare:
    """The work of the segments of a network on the host."""
    return HostShare(segments, _sum([s.work for s in segments if s.on_host]), _sum([s.work for s in segments]))


def _sum(parts: Sequence[Work]) -> Work:
    return Work(*(sum(getattr(part, name) for part in parts) for name in ("operators", "macs", "bytes")))


def host_lines(share: Mapping[str, Any]) -> list[str]:
    """The values of `HostShare.to_dict` as lines: one per segment on the host, and one for all."""
    lines = [
        f"host: {segment['file']}: {', '.join(segment['nodes'])}; by {segment['evaluator']}"
        for segment in share["segments"]
        if segment["evaluator"]
    ]
    shares, whole = share["shares"], share["all"]
    parts = [
        f"{share['operators']} of {counted(whole['operators'], 'operator')} ({shares['operators']:.1%})",
        f"{share['macs']} of {whole['macs']} MACs ({shares['macs']:.1%})",
        f"{share['bytes']} of {whole['bytes']} bytes of results ({shares['bytes']:.1%})",
    ]
    return [*lines, f"host: {', '.join(parts)}"]
