"""Differences that may be rounding: tensors that are a little off, and nothing that is computed from them shows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from launch.bisect.network import OnnxNetwork
from launch.bisect.scene import FINE
from launch.golden.verdict import KEPT_SLACK

SURE = KEPT_SLACK / FINE  # times as far off as an element may be here: what every tolerance leaves
ALIKE = 16.0  # times as far off as what it is computed from may a tensor be because of that


def doubtful(network: OnnxNetwork, off: Mapping[str, float], outputs: Collection[str]) -> set[str]:
    """The tensors that are a little off for themselves. `off` is of all tensors how far, as a share of their room.

    An activation that clips, such as Relu6, hides how large the numbers were that were rounded. Such a difference dies
    out in the next tensors, or in outputs that are right within their tolerance; or what follows is far more wrong
    than it explains, so that something else must be wrong there.
    """
    following: dict[str, list[str]] = {name: [] for name in off}
    for name in off:
        for given in network.inputs_of(name, off):
            following[given].append(name)
    found = set[str]()
    for name in sorted(off, key=network.place, reverse=True):
        shown = [other for other in following[name] if 1 < off[other] <= ALIKE * off[name] and other not in found]
        limit = SURE if following[name] else 1 / FINE if name in outputs else 0.0
        if 1 < off[name] <= limit and not shown:
            found.add(name)
    return found
