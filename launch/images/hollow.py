"""Detects images whose verdict would verify nothing of the chip: all their products are left to the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emu.errors import option
from emu.image.manifest import Segment
from emu.image.reader import Image
from emu.image.segments import core_images
from emu.wording import counted

_FEW = 3  # nodes that are named


def hollow(image: Image, where: object) -> str:
    """Why a comparison of the outputs of `image` would verify nothing of its chip, as a sentence; empty if it would.

    No core has a program; or there are products, and the host does all of them, some of which cores can do. `where` is
    what the sentence calls the network.
    """
    segments = image.manifest.segments
    if not any(part.cores for part in core_images(image)):
        nodes = [node for segment in segments for node in segment.nodes]
        if not nodes:
            return f"{where}: no core has a program, so nothing is verified: {_instead()}"
        what = f"all of {counted(len(nodes), 'node')} ({_some(nodes)})" if len(nodes) > 1 else nodes[0]
        return f"{where}: no core has a program, {what} is left to the host, so nothing is verified: {_instead()}"
    left = list(_products(segments))
    if not left or any(segment.work.macs for segment in segments if not segment.on_host):
        return ""
    return (
        f"{where}: no multiplication ran on a core, {_some(left)} {'is' if len(left) == 1 else 'are'} left to the "
        f"host, so nothing of the crossbars is verified: a compilation without host nodes says why; {_instead()}"
    )


def _instead() -> str:
    return f"see docs/operators.md for what cores take, or compare nothing with {option('golden', 'none')}"


def _products(segments: Sequence[Segment]) -> Iterator[str]:
    """The host nodes of operators that multiply, and that cores can do."""
    nodes = [node for segment in segments if segment.on_host for node in segment.nodes]
    if not nodes:
        return
    from compiler.frontend.operators import OPERATORS  # slow to import: only where there are host nodes
    from compiler.host_parts.work import MACS

    known = MACS.keys() & OPERATORS.keys()
    yield from (node for node in nodes if node.rpartition(" (")[2].rstrip(")") in known)


def _some(nodes: Sequence[str]) -> str:
    more = len(nodes) - _FEW
    return ", ".join(nodes[:_FEW]) + (f" and {more} more" if more > 0 else "")
