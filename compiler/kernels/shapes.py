"""What verifiers of kernels say of the shapes of whole tiles."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array
from compiler.dialects.kernel import Shape
from emu.isa.dtypes import DType


def verify_counts(inputs: Sequence[Shape], outputs: Sequence[Shape], *, of: int | None = None, to: int = 1) -> None:
    """Raise VerifyException unless there are `of` inputs (None: at least one) and `to` outputs."""
    if len(inputs) != (of if of is not None else max(1, len(inputs))) or len(outputs) != to:
        wanted = "one input or more" if of is None else f"{of} inputs"
        raise VerifyException(f"takes {wanted} and makes {to} outputs, not {len(inputs)} and {len(outputs)}")


def verify_axes(inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
    """Raise VerifyException unless all tiles have one number of sizes."""
    if len({len(shape) for shape in (*inputs, *outputs)}) > 1:
        raise VerifyException(f"makes a tile of as many sizes as its inputs, not {list(outputs[0])} of {_text(inputs)}")


def verify_same(inputs: Sequence[Shape], outputs: Sequence[Shape], count: int) -> None:
    """Raise VerifyException unless `count` inputs and one output have one shape."""
    verify_counts(inputs, outputs, of=count)
    if any(shape != outputs[0] for shape in inputs):
        raise VerifyException(f"gives a tile of the shape of its inputs, not {list(outputs[0])} of {_text(inputs)}")


def verify_windows(
    inputs: Sequence[Shape], outputs: Sequence[Shape], extents: Sequence[int], strides: Sequence[int]
) -> None:
    """Raise VerifyException unless every output has one place per step of windows that reach over `extents`."""
    verify_axes(inputs, outputs)
    sizes = {shape[:-1] for shape in inputs}
    if len(sizes) != 1:
        raise VerifyException(f"slides over inputs of one height and width, not {_text(inputs)}")
    wanted = tuple((size - extent) // stride + 1 for size, extent, stride in zip(*sizes, extents, strides, strict=True))
    if any(shape[:-1] != wanted for shape in outputs):
        raise VerifyException(f"makes {' x '.join(map(str, wanted))} pixels of its inputs, not {_text(outputs)}")


def verify_array(
    what: str, array: Array, least: Shape, exact: Shape = (), kinds: Collection[DType] = (DType.f32,)
) -> None:
    """Raise VerifyException unless `array` has at least the sizes `least`, and after them those of `exact`.

    Its element type is one of `kinds`.
    """
    shape, count, types = array.shape, len(least), [kind.numpy for kind in kinds]
    fits = len(shape) == count + len(exact) and shape[count:] == exact
    if not fits or any(have < size for have, size in zip(shape, least, strict=False)) or array.dtype not in types:
        sizes = [*(f"{size} or more" for size in least), *map(str, exact)]
        raise VerifyException(
            f"needs {what} of [{', '.join(sizes)}] {' or '.join(map(str, types))} elements, but those are"
            f" {list(shape)} of {array.dtype}"
        )


def _text(shapes: Sequence[Shape]) -> str:
    return ", ".join(str(list(shape)) for shape in shapes)
