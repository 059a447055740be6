"""Windows that slide over an image: the attributes that convolution and pooling share, and their output sizes.

Signals of one dimension become images of one row, by an Unsqueeze before and a Squeeze after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.basis.limits import MAX_SIZE
from compiler.dialects.onnx import SqueezeOp, UnsqueezeOp
from compiler.dialects.onnx_op import OnnxOp, PropertyValue
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of

IMAGE_RANK, SIGNAL_RANK = 4, 3  # dimensions of images [N,C,H,W] and of signals [N,C,L]
ROW_AXIS = 2  # H of an image: the dimension that a signal does not have


@dataclass(frozen=True, slots=True)
class Window:
    """How a kernel slides over an image: (rows, columns) of kernel, strides, dilations and of the `output` it makes.

    `pads` are (top, left, bottom, right): of the attributes, or what auto_pad and ceil_mode stand for.
    """

    kernel: Shape
    strides: Shape
    dilations: Shape
    pads: Shape
    output: Shape
    extended: bool = False  # whether ceil mode made the end pads larger than given

    @property
    def properties(self) -> dict[str, Shape]:
        """The properties of operations of the `onnx` dialect that slide windows."""
        return {
            "kernel_shape": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "pads": self.pads,
        }


def image_of(node: Node, scope: Scope) -> SSAValue:
    """The first input as an image [N,C,H,W]: a signal [N,C,L] becomes one of one row, anything else is refused."""
    x = scope.value(node)
    shape = shape_of(x)
    if len(shape) == SIGNAL_RANK:
        image = (*shape[:ROW_AXIS], 1, *shape[ROW_AXIS:])
        return scope.emit(UnsqueezeOp, node, [x], image, {"axes": (ROW_AXIS,)}, part="image")
    if len(shape) != IMAGE_RANK:
        node.refuse(f"has an input of shape {list(shape)}; only one or two spatial dimensions are supported")
    return x


def emit_window(
    kind: type[OnnxOp],
    node: Node,
    scope: Scope,
    operands: Sequence[SSAValue],
    shape: Shape,
    properties: Mapping[str, PropertyValue] | None = None,
) -> SSAValue:
    """Emit an operation whose result is an image of `shape`, or the signal that it is if the input was a signal."""
    if len(scope.shape(node.inputs[0])) == IMAGE_RANK:
        return scope.emit(kind, node, operands, shape, properties)
    rows = scope.emit(kind, node, operands, shape, properties, part="row")
    return scope.emit(SqueezeOp, node, [rows], (*shape[:ROW_AXIS], shape[-1]), {"axes": (ROW_AXIS,)})


def window(node: Node, image: Shape, kernel: Shape) -> Window:
    """The window of `node` over an `image` of (rows, columns); auto_pad and ceil_mode become explicit pads.

    A `kernel` of one dimension, with attributes of one, slides along the columns. Refuses attributes that do not fit.
    """
    rank = len(kernel)
    strides, dilations = node.integers("strides", (1,) * rank), node.integers("dilations", (1,) * rank)
    pads = node.integers("pads", (0,) * (2 * rank))
    if rank not in (1, 2) or not rank == len(strides) == len(dilations) or len(pads) != 2 * rank:
        node.refuse("does not have as many dimensions in kernel_shape, strides, dilations and pads as its input")
    if rank == 1:
        kernel, strides, dilations, pads = (1, *kernel), (1, *strides), (1, *dilations), (0, pads[0], 0, pads[1])
    if min((*kernel, *strides, *dilations)) < 1 or min(pads) < 0:
        node.refuse(f"has kernel {kernel}, strides {strides}, dilations {dilations}, pads {pads}: out of range")
    if max((*kernel, *strides, *dilations, *pads)) > MAX_SIZE:
        node.refuse(f"has a kernel, stride, dilation or pad larger than {MAX_SIZE}, which nothing needs")
    spans = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True))
    pads = _explicit_pads(node, image, spans, strides, pads)
    given = pads
    if node.integer("ceil_mode", 0):
        pads = _ceil_pads(image, spans, strides, pads)
    output = tuple((image[axis] + pads[axis] + pads[axis + 2] - spans[axis]) // strides[axis] + 1 for axis in range(2))
    if min(output) < 1:
        node.refuse(f"has an image of shape {list(output)} as output: it is empty, check kernel, strides, input shape")
    return Window(kernel, strides, dilations, pads, output, pads != given)


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
    ends: list[int] = []
    for size, span, stride, begin, end in zip(image, spans, strides, pads[:2], pads[2:], strict=True):
        last = -(-(size + begin + end - span) // stride)
        if last * stride >= size + begin:
            last -= 1
        ends.append(max(end, last * stride + span - size - begin))
    return (*pads[:2], *ends)
