"""Windows that slide over images of any number of dimensions: the attributes that convolution and pooling share."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.basis.limits import MAX_SIZE
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of


@dataclass(frozen=True, slots=True)
class Window:
    """How a kernel slides over an image: one number per dimension of kernel, strides, dilations and of the `output`.

    `pads`, before every dimension, then after every, are the attributes, or what auto_pad and ceil_mode stand for.
    """

    kernel: Shape
    strides: Shape
    dilations: Shape
    pads: Shape
    output: Shape
    given: Shape  # the pads before ceil mode made those at the ends larger

    @property
    def properties(self) -> dict[str, Shape]:
        """The properties of operations of the `onnx` dialect that slide windows."""
        return {
            "kernel_shape": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "pads": self.pads,
        }


def pixels_of(node: Node, scope: Scope) -> SSAValue:
    """The first input, samples of channels of pixels [N,C,...,H,W]; anything else is refused."""
    x = scope.value(node)
    if len(shape_of(x)) < 3:
        node.refuse(f"has an input of shape {list(shape_of(x))}, which has no dimension beside samples and channels")
    return x


def window(node: Node, image: Shape, kernel: Shape) -> Window:
    """The window of `node` over an `image`, of the sizes [...,H,W]; auto_pad and ceil_mode become explicit pads.

    Refuses attributes that do not fit.
    """
    rank = len(kernel)
    strides, dilations = node.integers("strides", (1,) * rank), node.integers("dilations", (1,) * rank)
    pads = node.integers("pads", (0,) * (2 * rank))
    if not len(image) == rank == len(strides) == len(dilations) or len(pads) != 2 * rank:
        node.refuse("does not have as many dimensions in kernel_shape, strides, dilations and pads as its input")
    if min((*kernel, *strides, *dilations)) < 1 or min(pads) < 0:
        node.refuse(f"has kernel {kernel}, strides {strides}, dilations {dilations}, pads {pads}: out of range")
    if max((*kernel, *strides, *dilations, *pads)) > MAX_SIZE:
        node.refuse(f"has a kernel, stride, dilation or pad larger than {MAX_SIZE}, which nothing needs")
    spans = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True))
    pads = _explicit_pads(node, image, spans, strides, pads)
    given = pads
    if node.integer("ceil_mode", 0):
        pads = _ceil_pads(image, spans, strides, pads)
    sizes = zip(image, pads, pads[rank:], spans, strides, strict=False)
    output = tuple((size + begin + end - span) // stride + 1 for size, begin, end, span, stride in sizes)
    if min(output) < 1:
        node.refuse(f"has an image of shape {list(output)} as output: it is empty, check kernel, strides, input shape")
    return Window(kernel, strides, dilations, pads, output, given)


def _explicit_pads(node: Node, image: Shape, spans: Shape, strides: Shape, pads: Shape) -> Shape:
    """The pads that `auto_pad` stands for (ONNX specification of Conv): SAME gives ceil(size / stride) outputs."""
    mode = node.text("auto_pad", "NOTSET")
    if mode == "NOTSET":
        return pads
    if mode == "VALID":
        return (0,) * len(pads)
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
    """Pads with larger ends, for which rounding down gives as many outputs as ceil mode.

    Its last window must begin in the image or in the pad before it (ONNX specification of MaxPool).
    """
    ends, rank = list[int](), len(image)
    for size, span, stride, begin, end in zip(image, spans, strides, pads[:rank], pads[rank:], strict=True):
        last = -(-(size + begin + end - span) // stride)
        if last * stride >= size + begin:
            last -= 1
        ends.append(max(end, last * stride + span - size - begin))
    return (*pads[:rank], *ends)
