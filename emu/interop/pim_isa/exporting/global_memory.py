"""The content of global memory when a program begins: the stored input, read-only tensors, constants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.image.layout import to_tiles
from emu.image.reader import Image
from emu.interop.pim_isa.exporting.memory import Constants
from emu.output.stream import OutputStream

_STEP = 1 << 20  # zeros written at once


def write_memory(file: OutputStream, image: Image, constants: Constants) -> int:
    """Write the bytes from address 0 on, 0 where nothing is known; returns how many."""
    for address, content in sorted(_contents(image, constants), key=lambda each: each[0]):
        _fill(file, address)
        file.write(content)
    end = max(image.manifest.global_size, constants.end if constants.contents else 0)
    _fill(file, end)
    return end


def _contents(image: Image, constants: Constants) -> Iterator[tuple[int, bytes | memoryview]]:
    for name, samples in (image.default_inputs() or {}).items():
        spec = next(spec for spec in image.manifest.inputs if spec.name == name)
        for address, content in to_tiles(spec, np.asarray(samples[0])):
            yield address, content.reshape(-1).view(np.uint8).data
    for _, address, content in image.read_only():
        yield address, content
    yield from constants.contents


def _fill(file: OutputStream, end: int) -> None:
    while file.tell() < end:
        file.write(bytes(min(_STEP, end - file.tell())))
