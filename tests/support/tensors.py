"""Tensors of programs and images: buffers, and inputs and outputs whose tiles are ranges of channels or any boxes."""

from collections.abc import Sequence

from hypothesis import strategies as st

from emu.image.manifest import TensorSpec, TensorTile
from emu.isa.dtypes import DType
from emu.program.form import Box, Form
from emu.program.program import BufferSpec

ChannelTile = tuple[tuple[int, int], int]  # channels, address


def tensor(
    name: str, shape: tuple[int, ...], dtype: DType, extent: tuple[int, ...], layout: Sequence[str], *tiles: ChannelTile
) -> TensorSpec:
    """A tensor cut along its channels."""
    form = Form(shape, extent, tuple(layout))
    return TensorSpec(name, form, dtype, tuple(TensorTile(form.channels(*part), address) for part, address in tiles))


@st.composite
def cuts(draw: st.DrawFn, box: Box, most: int = 3) -> list[Box]:
    """Boxes that make up `box`, cut again and again along any axis."""
    axes = [axis for axis, (low, high) in enumerate(box) if high - low > 1]
    if not most or not axes or draw(st.booleans()):
        return [box] if all(low < high for low, high in box) else []
    axis = draw(st.sampled_from(axes))
    low, high = box[axis]
    at = draw(st.integers(low + 1, high - 1))
    parts = [(*box[:axis], part, *box[axis + 1 :]) for part in ((low, at), (at, high))]
    return [piece for part in parts for piece in draw(cuts(part, most - 1))]


def image_form(channels: int, height: int, width: int) -> Form:
    """The form of an image."""
    return Form((1, channels, height, width), (channels, height, width), ("", "C", "H", "W"))


def image_buffer(
    tensor: str,
    channels: tuple[int, int],
    height: int,
    width: int,
    dtype: DType,
    address: int = 0,
    complete: int = 0,
    total: int = 0,
) -> BufferSpec:
    """A buffer of some channels of an image that has `total` of them (0: no more than these)."""
    form = image_form(total or channels[1], height, width)
    return BufferSpec(tensor, form, form.channels(*channels), dtype, address, complete)
