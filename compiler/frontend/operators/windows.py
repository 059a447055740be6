"""Windows that slide over an image: the attributes that convolution and pooling share, and their output sizes."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.frontend.node import Node

Shape = tuple[int, ...]
SPATIAL = 2  # rows and columns


@dataclass(frozen=True, slots=True)
class Window:
    """`pads` are (top, left, bottom, right) and explicit; `output` is (rows, columns) by the floor formula on them."""

    kernel: Shape
    strides: Shape
    dilations: Shape
    pads: Shape
    output: Shape
    extended: bool = False  # whether ceil mode made the end pads larger than given

    @property
    def properties(self) -> dict[str, Shape]:
        """The dialect's properties."""
        return {
            "kernel_shape": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "pads": self.pads,
        }


def window(node: Node, image: Shape, kernel: Shape) -> Window:
    """The window of `node` over an image of (rows, columns); auto_pad and ceil_mode become explicit pads."""
    ones = (1,) * SPATIAL
    strides, dilations = node.integers("strides", ones), node.integers("dilations", ones)
    pads = node.integers("pads", (0,) * (2 * SPATIAL))
    if not len(kernel) == len(strides) == len(dilations) == SPATIAL or len(pads) != 2 * SPATIAL:
        node.refuse("does not have two spatial dimensions in kernel_shape, strides, dilations and pads")
    if min((*kernel, *strides, *dilations)) < 1 or min(pads) < 0:
        node.refuse(f"has kernel {kernel}, strides {strides}, dilations {dilations}, pads {pads}: out of range")
    spans = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True))
    pads = _explicit_pads(node, image, spans, strides, pads)
    given = pads
    if node.integer("ceil_mode", 0):
        pads = _ceil_pads(image, spans, strides, pads)
    output = tuple(
        (image[axis] + pads[axis] + pads[axis + SPATIAL] - spans[axis]) // strides[axis] + 1 for axis in range(SPATIAL)
    )
    return Window(kernel, strides, dilations, pads, output, pads != given)


def _explicit_pads(node: Node, image: Shape, spans: Shape, strides: Shape, pads: Shape) -> Shape:
    """The pads that `auto_pad` stands for; SAME gives ceil(size / stride) outputs."""
    mode = node.text("auto_pad", "NOTSET")
    if mode == "NOTSET":
        return pads
    if mode == "VALID":
        return (0,) * (2 * SPATIAL)
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        node.refuse(f"has auto_pad '{mode}', which ONNX does not define")
    begin: list[int] = []
    end: list[int] = []
    for size, span, stride in zip(image, spans, strides, strict=True):
        total = max((-(-size // stride) - 1) * stride + span - size, 0)
        small, large = total // 2, total - total // 2
        begin.append(small if mode == "SAME_UPPER" else large)
        end.append(large if mode == "SAME_UPPER" else small)
    return (*begin, *end)


def _ceil_pads(image: Shape, spans: Shape, strides: Shape, pads: Shape) -> Shape:
    """End pads such that floor gives ceil mode's size, whose last window starts inside the image or begin pad."""
    ends: list[int] = []
    for size, span, stride, begin, end in zip(image, spans, strides, pads[:SPATIAL], pads[SPATIAL:], strict=True):
        last = -(-(size + begin + end - span) // stride)
        if last * stride >= size + begin:
            last -= 1
        ends.append(max(end, last * stride + span - size - begin))
    return (*pads[:SPATIAL], *ends)
