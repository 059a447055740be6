"""Windows that slide over images of any number of dimensions: the attributes that convolution and pooling share."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.basis.limits import MAX_SIZE
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of

_MODES = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


@dataclass(frozen=True, slots=True)
class OperatorWindow:
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


@dataclass(frozen=True, slots=True)
class _Sliding:
    """The attributes of a window, one number per dimension; `spans` reach from its first tap to its last."""

    kernel: Shape
    strides: Shape
    dilations: Shape
    pads: Shape

    @property
    def spans(self) -> Shape:
        return tuple((size - 1) * step + 1 for size, step in zip(self.kernel, self.dilations, strict=True))


def _sliding(node: Node, image: Shape, kernel: Shape) -> _Sliding:
    """The attributes of `node` for a `kernel` over an `image`; refuses those that do not fit."""
    rank = len(kernel)
    strides, dilations = node.integers("strides", (1,) * rank), node.integers("dilations", (1,) * rank)
    pads = node.integers("pads", (0,) * (2 * rank))
    if not len(image) == rank == len(strides) == len(dilations) or len(pads) != 2 * rank:
        node.refuse("does not have as many dimensions in kernel_shape, strides, dilations and pads as its input")
    if min((*kernel, *strides, *dilations)) < 1 or min(pads) < 0:
        node.refuse(f"has kernel {kernel}, strides {strides}, dilations {dilations}, pads {pads}: out of range")
    if max((*kernel, *strides, *dilations, *pads)) > MAX_SIZE:
        node.refuse(f"has a kernel, stride, dilation or pad larger than {MAX_SIZE}, which nothing needs")
    return _Sliding(kernel, strides, dilations, pads)


def window(node: Node, image: Shape, kernel: Shape) -> OperatorWindow:
    """The window of `node` over an `image`, of the sizes [...,H,W]; auto_pad and ceil_mode become explicit pads.

    Refuses attributes that do not fit.
    """
    view, rank = _sliding(node, image, kernel), len(kernel)
    spans, strides = view.spans, view.strides
    pads = given = _explicit_pads(node, image, spans, strides, view.pads)
    if node.integer("ceil_mode", 0):
        pads = _ceil_pads(image, spans, strides, pads)
    sizes = zip(image, pads, pads[rank:], spans, strides, strict=False)
    output = tuple((size + begin + end - span) // stride + 1 for size, begin, end, span, stride in sizes)
    _check_output(node, output)
    return OperatorWindow(kernel, strides, view.dilations, pads, output, given)


def _check_output(node: Node, output: Shape) -> None:
    if min(output) < 1:
        node.refuse(f"has an image of shape {list(output)} as output: it is empty, check kernel, strides, input shape")


def transposed_window(node: Node, image: Shape, kernel: Shape) -> tuple[OperatorWindow, Shape]:
    """The window of a transposed convolution, and its output_padding; auto_pad and output_shape become explicit pads.

    Where output_shape asks for more than inputs reach, output_padding is what is missing.
    """
    view, rank = _sliding(node, image, kernel), len(kernel)
    extra = node.integers("output_padding", (0,) * rank)
    wanted = node.integers("output_shape", ())[-rank:]
    mode = node.text("auto_pad", "NOTSET")
    if len(extra) != rank or len(wanted) not in (0, rank) or not 0 <= min(extra) <= max(extra) <= MAX_SIZE:
        node.refuse("does not have as many dimensions in output_padding and output_shape as its input")
    if mode not in _MODES:
        node.refuse(f"has auto_pad '{mode}', which ONNX does not define")
    reached = [
        (size - 1) * stride + more + span
        for size, stride, more, span in zip(image, view.strides, extra, view.spans, strict=True)
    ]
    if not wanted and mode.startswith("SAME"):
        wanted = tuple(size * stride for size, stride in zip(image, view.strides, strict=True))
    pads = (0,) * (2 * rank) if mode == "VALID" else view.pads
    if wanted:
        totals = [max(0, most - size) for most, size in zip(reached, wanted, strict=True)]
        extra = tuple(max(more, more + size - most) for more, size, most in zip(extra, wanted, reached, strict=True))
        small, large = tuple(total // 2 for total in totals), tuple(total - total // 2 for total in totals)
        pads = (*small, *large) if mode == "SAME_UPPER" else (*large, *small)
    output = wanted or tuple(
        most - begin - end for most, begin, end in zip(reached, pads[:rank], pads[rank:], strict=True)
    )
    _check_output(node, output)
    return OperatorWindow(kernel, view.strides, view.dilations, pads, output, pads), extra


def _explicit_pads(node: Node, image: Shape, spans: Shape, strides: Shape, pads: Shape) -> Shape:
    """The pads that `auto_pad` stands for (ONNX specification of Conv): SAME gives ceil(size / stride) outputs.

    The formula may give -2 and less, elements to skip at both ends. onnxruntime does so in AveragePool and in some
    convolutions, takes 0 in others, and refuses it in MaxPool.
    """
    mode = node.text("auto_pad", "NOTSET")
    if mode not in _MODES:
        node.refuse(f"has auto_pad '{mode}', which ONNX does not define")
    if mode == "NOTSET":
        return pads
    if mode == "VALID":
        return (0,) * len(pads)
    begin: list[int] = []
    end: list[int] = []
    for size, span, stride in zip(image, spans, strides, strict=True):
        total = (-(-size // stride) - 1) * stride + span - size
        if total < -1:
            node.refuse(
                f"has auto_pad '{mode}' and strides of {stride} over windows that span {span} of {size} elements: some"
                " would be skipped in front, and implementations differ in how many; give pads instead"
            )
        small, large = max(total, 0) // 2, (max(total, 0) + 1) // 2
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
