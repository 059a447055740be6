"""Windows of an operand: indices `stride * out + dilation * tap`, and padding that becomes that of a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.reader import TextReader
from compiler.nests.linear import Linear, Map


@dataclass(frozen=True, slots=True)
class Slide:
    """Along dimension `axis` of the operand: element offset + stride * out + dilation * tap; -1 is no loop."""

    axis: int
    out: int
    tap: int
    stride: int = 1
    dilation: int = 1
    offset: int = 0

    def span(self, sizes: Sequence[int]) -> int:
        """How many elements all windows meet, from the first one on."""
        outs, taps = (sizes[dim] if dim >= 0 else 1 for dim in (self.out, self.tap))
        return (outs - 1) * self.stride + (taps - 1) * self.dilation + 1


def single(index: Linear, size: int, sizes: Sequence[int]) -> int | None:
    """The loop that goes through a dimension of `size`; -1 if it has one element; None for any other index."""
    if not index.factors:
        return -1 if size == 1 else None
    return index.only if index.only is not None and sizes[index.only] == size else None


def slides_of(source: Map, shape: Sequence[int], sizes: Sequence[int], parallel: Sequence[bool]) -> list[Slide] | None:
    """The windows of an operand of `shape`; None if an index is neither one, nor one loop, nor the only element."""
    found = list[Slide]()
    for axis, (index, size) in enumerate(zip(source, shape, strict=True)):
        factors = list(index.factors)
        if single(index, size, sizes) is not None:
            continue
        outs = [(dim, factor) for dim, factor in factors if parallel[dim]]
        taps = [(dim, factor) for dim, factor in factors if not parallel[dim]]
        if len(outs) > 1 or len(taps) > 1 or index.constant < 0 or any(factor < 1 for _, factor in factors):
            return None
        (out, stride), (tap, dilation) = (outs or [(-1, 1)])[0], (taps or [(-1, 1)])[0]
        found.append(Slide(axis, out, tap, stride, dilation, index.constant))
    return found


def folded_pads(
    reader: TextReader, x: SSAValue, slides: Sequence[Slide], number: float
) -> tuple[SSAValue, list[int], list[int]]:
    """What `number` was put around along the axes of windows alone, and how many; else x itself, and none."""
    none = [0] * len(slides)
    padded = reader.pads.get(x)
    axes = {slide.axis for slide in slides}
    if padded is None or padded.number != number or min((*padded.low, *padded.high), default=0) < 0:
        return x, none, list(none)
    others = [axis for axis in range(len(shape_of(x))) if axis not in axes]
    if any(padded.low[axis] or padded.high[axis] for axis in others):
        return x, none, list(none)
    return padded.source, [padded.low[s.axis] for s in slides], [padded.high[s.axis] for s in slides]
