"""Buffers of tensors [1, C, H, W], for tests that need some."""

from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.program import BufferSpec


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
